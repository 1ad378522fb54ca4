// The fleet: what needs a look on top, everything on the map, new positions as they come.
import { ask } from "./api.js";
import { $, el, words } from "./dom.js";
import { severities, showChips } from "./chips.js";
import { ago, timeElement } from "./time.js";
import { fleetMap, forgetFrame } from "./fleetmap.js";
import { showFences } from "./fences.js";
import { liveLine } from "./live.js";
import { placeText, sinceText, stateOf, states, stateText } from "./states.js";
import { addressOf, query, setQuery } from "./view.js";

/** By name, as /v1/fleet and /v1/events have them. */
export const vehicles = new Map();
const listeners = new Set();
const filter = { text: "", state: "", problem: "", group: "" };
/** So many rows are made; the rest follows on demand. */
const pageSize = 100;
/** What came with time alone, such as silence, is seen by then. */
const refresh_ms = 300000;

/** What is said of the time, such as how long a vehicle has stood, is no older. */
const beat_ms = 15000;

let refresh = null;

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
  showFences();
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

// A browser keeps a page that was left, with its line: six of them, and it asks this collector nothing more.
addEventListener("pagehide", () => line.end());
addEventListener("pageshow", (event) => { if (event.persisted && refresh) line.begin(); });

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
  forgetFrame();
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
    if (document.body.dataset.view !== "fleet" && document.body.dataset.view !== "table") location.hash = addressOf("", filter);
    else setQuery(filter);
    changed();
  });
}

/** Whether the filters leave it in. */
export function isWanted(vehicle) {
  const text = filter.text.toLowerCase();
  return (!text || vehicle.device.toLowerCase().includes(text) || (vehicle.version ?? "").startsWith(text))
    && (!filter.state || stateOf(vehicle) === filter.state)
    && (!filter.problem || vehicle.problems.includes(filter.problem))
    && (!filter.group || (vehicle.groups ?? []).includes(filter.group));
}

export const byUrgency = (one, other) =>
  other.severity - one.severity || one.device.localeCompare(other.device, undefined, { numeric: true });

// MARK: The list

function row(vehicle, mark) {
  const since = sinceText(vehicle);
  const place = placeText(vehicle.place);
  return el("a", {
    class: `row ${severities[vehicle.severity]}`, href: `#/v/${encodeURIComponent(vehicle.device)}`,
    "data-device": vehicle.device,
    onmouseenter: () => mark(vehicle), onfocus: () => mark(vehicle),
  },
  el("span", { class: "name" }, vehicle.device), stateText(vehicle),
  since || place ? el("span", { class: "detail" }, since ? el("span", {}, since) : null, place ? el("span", { class: "place" }, place) : null) : null,
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

/** - Parameter others: what else the address has, which stays. */
export function toolbar(redraw, others = () => ({})) {
  const known = query();
  for (const key of Object.keys(filter)) if (known.size > 0) filter[key] = known.get(key) ?? "";
  const change = (key) => (event) => {
    filter[key] = event.target.value;
    setQuery({ ...others(), ...filter });
    redraw();
  };
  setQuery({ ...others(), ...filter });
  showCounts();
  const search = el("input", {
    id: "search", type: "search", placeholder: "Name or version  ( / )", "aria-label": "Search by name or version",
    value: filter.text, oninput: change("text"),
  });
  const state = el("select", { "aria-label": "State", onchange: change("state") });
  options(state, states, "Any state");
  state.value = filter.state;
  const group = el("select", { "aria-label": "Group", onchange: change("group") });
  const showGroups = () => {
    const groups = allGroups();
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

export const allGroups = () => [...new Set([...vehicles.values()].flatMap((vehicle) => vehicle.groups ?? []))].sort();

/** Draws soon after something has changed, and each few seconds; a click that is under way is not lost. */
export function redrawing(place, redraw) {
  let waits = null;
  const later = (pause) => {
    waits ??= setTimeout(() => {
      waits = null;
      if (place.querySelector(":active")) return later(300);
      redraw();
      return undefined;
    }, pause);
  };
  const end = whenChanged(() => later(pause_ms()));
  const beat = setInterval(() => later(0), beat_ms);
  return () => {
    clearTimeout(waits);
    clearInterval(beat);
    end();
  };
}

/** The list with its search, and all vehicles on the map. */
export function fleetView() {
  let shown = pageSize;
  const map = fleetMap();
  const list = el("div", { class: "rows" });
  const tools = toolbar(() => redraw());
  const redraw = () => {
    tools.showGroups();
    const focused = document.activeElement?.dataset?.device;
    const found = [...vehicles.values()].filter(isWanted).sort(byUrgency);
    const rows = found.slice(0, shown).map((vehicle) => row(vehicle, map.mark));
    if (found.length > shown) {
      rows.push(el("button", { onclick: () => { shown += 5 * pageSize; redraw(); } }, `${found.length - shown} more`));
    }
    if (found.length === 0) {
      rows.push(el("p", { class: "empty" }, vehicles.size ? "No vehicle is like that." : "No device has reported yet."));
    }
    list.replaceChildren(...rows);
    if (focused) list.querySelector(`[data-device="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    map.show(found);
  };
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (!step) return;
    event.preventDefault();
    document.activeElement?.[step]?.focus();
  });
  $("side").replaceChildren(tools.element, list);
  redraw();
  const end = redrawing(list, redraw);
  return () => {
    end();
    map.end();
  };
}
