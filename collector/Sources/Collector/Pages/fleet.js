// The fleet: what needs a look on top, everything on the map, new positions as they come.
import { ask } from "./api.js";
import { $, el, words } from "./dom.js";
import { severities, showChips } from "./chips.js";
import { ago, timeElement } from "./time.js";
import { colour, draw, hasMap, hasSize, showAll, theMap } from "./map.js";
import { liveLine } from "./live.js";

/** By name, as /v1/fleet and /v1/events have them. */
export const vehicles = new Map();
const listeners = new Set();
const filter = { text: "", state: "", problem: "", group: "" };
/** So many rows are made; the rest follows on demand. */
const pageSize = 100;
/** What came with time alone, such as silence, is seen by then. */
const refresh_ms = 300000;

let refresh = null;
/** Where the map was when the fleet was left. */
let frame = null;

/** What came while all of it is on its way, which may be older: a map for each load. */
const meanwhile = new Set();

async function load() {
  const newer = new Map();
  meanwhile.add(newer);
  try {
    const all = await ask("/v1/fleet");
    vehicles.clear();
    for (const vehicle of [...all, ...newer.values()]) vehicles.set(vehicle.device, vehicle);
  } finally {
    meanwhile.delete(newer);
  }
  changed();
}

function arrived(vehicle) {
  vehicles.set(vehicle.device, vehicle);
  for (const newer of meanwhile) newer.set(vehicle.device, vehicle);
  changed([vehicle.device]);
}

/** Many changes a second make one list, and one head. */
const pause_ms = () => (vehicles.size > 500 ? 2000 : 300);

function changed(names) {
  if (names) countsWait ??= setTimeout(showCounts, pause_ms());
  else showCounts();
  for (const listener of listeners) listener(names);
}

const line = liveLine(load, arrived);

/** Loads the fleet and listens to what is new, once. */
export async function startFleet() {
  await load();
  line.begin();
  // Where that fails, a line that seems to be there may lead nowhere.
  refresh ??= setInterval(() => load().catch(line.anew), refresh_ms);
}

/** Nothing of the fleet stays in the page. */
export function endFleet() {
  line.end();
  clearTimeout(countsWait);
  countsWait = null;
  clearInterval(refresh);
  refresh = null;
  vehicles.clear();
  frame = null;
}

/** Calls `listener` with the names of vehicles, or with nothing for all; the result ends that. */
export function whenChanged(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// MARK: What needs a look

let countsWait = null;

function showCounts() {
  clearTimeout(countsWait);
  countsWait = null;
  showChips($("counts"), [...vehicles.values()], filter.problem, (problem) => {
    filter.problem = filter.problem === problem ? "" : problem;
    if (document.body.dataset.view !== "fleet") location.hash = "#/";
    changed();
  });
}

/** moving, stationary, asleep, silent or never. */
function stateOf(vehicle) {
  if (!vehicle.last_contact) return "never";
  if (vehicle.problems.includes("silent")) return "silent";
  if (vehicle.asleep_until) return "asleep";
  if (vehicle.is_moving === undefined) return "unknown";
  return vehicle.is_moving ? "moving" : "stationary";
}

function wanted(vehicle) {
  const text = filter.text.toLowerCase();
  return (!text || vehicle.device.toLowerCase().includes(text) || (vehicle.version ?? "").startsWith(text))
    && (!filter.state || stateOf(vehicle) === filter.state)
    && (!filter.problem || vehicle.problems.includes(filter.problem))
    && (!filter.group || (vehicle.groups ?? []).includes(filter.group));
}

const byUrgency = (one, other) =>
  other.severity - one.severity || one.device.localeCompare(other.device, undefined, { numeric: true });

// MARK: The list

function row(vehicle) {
  const state = stateOf(vehicle);
  const speed = vehicle.speed === undefined || state !== "moving" ? null : `${Math.round(vehicle.speed * 3.6)} km/h`;
  return el("a", {
    class: `row ${severities[vehicle.severity]}`, href: `#/v/${encodeURIComponent(vehicle.device)}`,
    "data-device": vehicle.device,
    onmouseenter: () => mark(vehicle), onfocus: () => mark(vehicle),
  },
  el("span", { class: "name" }, vehicle.device),
  el("span", { class: `state ${state}` }, [words(state), speed].filter(Boolean).join(", ")),
  el("span", { class: "detail" },
    vehicle.problems.length ? el("strong", {}, vehicle.problems.map(words).join(", ")) : null,
    vehicle.last_contact ? el("span", {}, "heard ", ago(vehicle.last_contact)) : el("span", {}, "prepared, has not sent yet"),
    vehicle.asleep_until ? asleep(vehicle) : null,
    vehicle.no_track_because && !vehicle.asleep_until ? el("span", {}, `no track: ${words(vehicle.no_track_because)}`) : null));
}

/** Until when the board is off, and why. */
export const asleep = (vehicle) => el("span", {}, "board asleep until ", timeElement(vehicle.asleep_until),
  vehicle.asleep_because ? `, because: ${words(vehicle.asleep_because)}` : "");

function options(select, values, label) {
  select.replaceChildren(el("option", { value: "" }, label), ...values.map((value) => el("option", { value }, words(value))));
}

function toolbar(redraw) {
  const search = el("input", {
    id: "search", type: "search", placeholder: "Name or version  ( / )", "aria-label": "Search by name or version",
    value: filter.text, oninput: (event) => { filter.text = event.target.value; redraw(); },
  });
  const state = el("select", { "aria-label": "State", onchange: (event) => { filter.state = event.target.value; redraw(); } });
  options(state, ["moving", "stationary", "asleep", "unknown", "silent", "never"], "Any state");
  state.value = filter.state;
  const group = el("select", { "aria-label": "Group", onchange: (event) => { filter.group = event.target.value; redraw(); } });
  const showGroups = () => {
    const groups = [...new Set([...vehicles.values()].flatMap((vehicle) => vehicle.groups ?? []))].sort();
    // The chosen one stays, though nobody be in it any more: without it nothing could show all again.
    if (filter.group && !groups.includes(filter.group)) groups.push(filter.group);
    if (group.dataset.groups === groups.join("\n")) return;
    group.dataset.groups = groups.join("\n");
    group.hidden = groups.length === 0;
    options(group, groups, "Any group");
    group.value = filter.group;
  };
  return { element: el("div", { class: "tools" }, search, state, group), showGroups };
}

/** The list with its search, and all vehicles on the map. */
export function fleetView() {
  markers.clear();
  marked = null;
  let shown = pageSize;
  let waits = null;
  isFramed = frame !== null;
  const list = el("div", { class: "rows" });
  const tools = toolbar(() => redraw());
  const redraw = () => {
    clearTimeout(waits);
    waits = null;
    tools.showGroups();
    const focused = document.activeElement?.dataset?.device;
    const found = [...vehicles.values()].filter(wanted).sort(byUrgency);
    const rows = found.slice(0, shown).map(row);
    if (found.length > shown) {
      rows.push(el("button", { onclick: () => { shown += 5 * pageSize; redraw(); } }, `${found.length - shown} more`));
    }
    if (found.length === 0) {
      rows.push(el("p", { class: "empty" }, vehicles.size ? "No vehicle is like that." : "No device has reported yet."));
    }
    list.replaceChildren(...rows);
    if (focused) list.querySelector(`[data-device="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    showMarkers(found);
  };
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!step) return;
    event.preventDefault();
    document.activeElement?.[step]?.focus();
  });
  $("side").replaceChildren(tools.element, list);
  redraw();
  if (frame && hasSize()) theMap().setView(frame.center, frame.zoom, { animate: false });
  // A click that is under way would be lost with its row.
  const later = () => { waits = setTimeout(() => (list.querySelector(":active") ? later() : redraw()), pause_ms()); };
  const end = whenChanged(() => { if (waits === null) later(); });
  return () => {
    clearTimeout(waits);
    end();
    if (isFramed && hasSize()) frame = { center: theMap().getCenter(), zoom: theMap().getZoom() };
  };
}

// MARK: The map

const markers = new Map();
let marked = null;
/** Later the map stays where the viewer has moved it. */
let isFramed = false;

const colours = { moving: "moving", stationary: "still", asleep: "still", silent: "bad", never: "still", unknown: "still" };

function showMarkers(found) {
  if (!hasMap() || !theMap()) return;
  const names = new Set();
  const [bad, paper] = [colour("bad"), colour("paper")];
  const fills = Object.fromEntries(Object.entries(colours).map(([state, name]) => [state, colour(name)]));
  for (const vehicle of found) {
    if (vehicle.latitude === undefined) continue;
    names.add(vehicle.device);
    const place = [vehicle.latitude, vehicle.longitude];
    const style = {
      radius: vehicle.severity > 1 ? 8 : 6, weight: 2, fillOpacity: 0.9,
      color: vehicle.severity > 1 ? bad : paper, fillColor: fills[stateOf(vehicle)],
    };
    const known = markers.get(vehicle.device);
    if (known) known.setLatLng(place).setStyle(style);
    else markers.set(vehicle.device, newMarker(vehicle, place, style));
  }
  for (const [name, marker] of markers) {
    if (names.has(name)) continue;
    marker.remove();
    markers.delete(name);
  }
  if (!isFramed && markers.size) {
    showAll([...markers.values()].map((marker) => marker.getLatLng()));
    isFramed = true;
  }
}

const newMarker = ({ device }, place, style) => draw(L.circleMarker(place, style))
  .bindTooltip(() => el("span", {}, device))
  .on("click", () => { location.hash = `#/v/${encodeURIComponent(device)}`; });

/** Shows where the one in the list is. */
function mark(vehicle) {
  marked?.closeTooltip();
  marked = markers.get(vehicle.device) ?? null;
  marked?.openTooltip();
}
