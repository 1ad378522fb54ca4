// The fleet as a table: columns to choose, filters and order in the address, views to keep.
import { $, el, notice, words } from "./dom.js";
import { byUrgency, isWanted, redrawing, toolbar, vehicles } from "./fleet.js";
import { ago, timeElement } from "./time.js";
import { placeText, sinceText, speedText, stateOf, stateText } from "./states.js";
import { dataTable } from "./table.js";
import { addressOf, query, setQuery } from "./view.js";

const figure = (key, unit) => ({
  isNumber: true, sort: (vehicle) => vehicle.figures?.[key],
  show: (vehicle) => (vehicle.figures?.[key] === undefined ? "" : `${vehicle.figures[key]} ${unit}`),
});
const text = (find) => ({ sort: find, show: find });
const nextWindow = ({ figures }) => figures?.next_window ?? figures?.window_until;

const columns = Object.entries({
  device: ["Vehicle", {
    sort: (vehicle) => vehicle.device,
    show: (vehicle) => el("a", { href: `#/v/${encodeURIComponent(vehicle.device)}` }, vehicle.device),
  }],
  state: ["State", { sort: stateOf, show: stateText }],
  since: ["Since", { sort: (vehicle) => vehicle.trip_begin ?? vehicle.still_since ?? vehicle.last_contact, show: (vehicle) => el("span", {}, sinceText(vehicle)) }],
  place: ["Place", text((vehicle) => placeText(vehicle.place))],
  problems: ["Problems", { sort: (vehicle) => -vehicle.severity, show: (vehicle) => vehicle.problems.map(words).join(", ") }],
  contact: ["Last contact", { sort: (vehicle) => vehicle.last_contact, show: (vehicle) => ago(vehicle.last_contact) }],
  speed: ["Speed", { isNumber: true, sort: (vehicle) => vehicle.speed, show: (vehicle) => speedText(vehicle.speed) }],
  version: ["Version", text((vehicle) => vehicle.version ?? "")],
  settings: ["Settings", {
    sort: (vehicle) => vehicle.settings_state,
    show: (vehicle) => el("span", { class: `state-${vehicle.settings_state}`, title: vehicle.figures?.settings_refused_because },
      words(vehicle.settings_state), vehicle.settings_state === "refused" ? `: ${vehicle.figures?.settings_refused_because ?? ""}` : ""),
  }],
  battery: ["Battery", figure("battery_v", "V")],
  board: ["Board", figure("board_c", "°C")],
  free: ["Free", figure("free_mb", "MB")],
  card: ["Card used", figure("card_used_percent", "%")],
  gps: ["GPS signal", figure("gps_dbhz", "dB-Hz")],
  link: ["Link", figure("link_dbm", "dBm")],
  waiting: ["Waiting", figure("waiting_records", "records")],
  odometer: ["Odometer", {
    isNumber: true, sort: (vehicle) => vehicle.figures?.odometer_m,
    show: (vehicle) => (vehicle.figures?.odometer_m === undefined ? "" : `${Math.round(vehicle.figures.odometer_m / 1000)} km`),
  }],
  window: ["Next window", {
    sort: nextWindow,
    show: ({ figures }) => (figures?.window_until ? el("span", {}, "open until ", timeElement(figures.window_until, "clockOfDay"))
      : figures?.next_window ? timeElement(figures.next_window, "clockOfDay") : ""),
  }],
  groups: ["Groups", text((vehicle) => (vehicle.groups ?? []).join(", "))],
}).map(([key, [title, rest]]) => ({ key, title, ...rest }));

const usual = ["device", "state", "since", "place", "problems", "contact", "version", "settings", "battery", "board", "free", "gps"];

export function tableView() {
  const asked = query();
  let order = asked.get("sort") ?? "";
  let chosen = (asked.get("columns")?.split(",") ?? usual).filter((key) => columns.some((column) => column.key === key));
  let shownOf = asked.get("settings") ?? "";
  const others = () => ({ sort: order, columns: chosen.join(",") === usual.join(",") ? "" : chosen.join(","), settings: shownOf });
  const place = el("div", {});
  const count = el("p", { class: "detail", role: "status" });
  const tools = toolbar(() => redraw(), others);
  const changed = () => { setQuery({ ...Object.fromEntries(query()), ...others() }); redraw(); };
  const settings = el("select", { "aria-label": "State of the settings", onchange: (event) => { shownOf = event.target.value; changed(); } },
    el("option", { value: "" }, "Any settings"),
    ["pending", "trial", "in_force", "refused", "off", "outdated"].map((value) => el("option", { value, selected: value === shownOf }, `settings ${words(value)}`)));
  tools.element.append(settings, picker(chosen, (keys) => { chosen = keys; changed(); }), kept(() => location.hash));
  const redraw = () => {
    tools.showGroups();
    const rows = [...vehicles.values()].filter((vehicle) => isWanted(vehicle) && (!shownOf || vehicle.settings_state === shownOf)).sort(byUrgency);
    const settled = [...vehicles.values()].filter(isWanted).filter((vehicle) => vehicle.settings_state);
    count.textContent = `${rows.length} of ${vehicles.size} vehicles${settled.length ? `; settings: ${counts(settled)}` : ""}`;
    const old = place.querySelector(".wide")?.scrollLeft ?? 0;
    place.replaceChildren(dataTable({
      columns: columns.filter(({ key }) => chosen.includes(key)), rows, order, empty: "No vehicle is like that.",
      choose: (next) => { order = next; changed(); },
    }));
    place.querySelector(".wide").scrollLeft = old;
  };
  $("side").replaceChildren(el("div", { class: "body" }, tools.element, count, place));
  redraw();
  return redrawing(place, redraw);
}

/** `31 in force, 6 pending (2 asleep, 1 silent)` */
function counts(all) {
  const groups = Map.groupBy ? Map.groupBy(all, (vehicle) => vehicle.settings_state)
    : all.reduce((map, vehicle) => map.set(vehicle.settings_state, [...(map.get(vehicle.settings_state) ?? []), vehicle]), new Map());
  return [...groups].map(([state, members]) => {
    const why = ["asleep", "silent"].map((each) => [members.filter((vehicle) => stateOf(vehicle) === each).length, each])
      .filter(([number]) => number && state === "pending").map(([number, each]) => `${number} ${each}`);
    return `${members.length} ${words(state)}${why.length ? ` (${why.join(", ")})` : ""}`;
  }).join(", ");
}

/** Which columns there are. */
function picker(chosen, choose) {
  const boxes = columns.filter(({ key }) => key !== "device").map(({ key, title }) =>
    el("label", {}, el("input", { type: "checkbox", value: key, checked: chosen.includes(key) }), title));
  const all = el("div", {
    class: "choices",
    onchange: () => choose(["device", ...[...all.querySelectorAll("input:checked")].map((box) => box.value)]),
  }, boxes);
  return el("details", { class: "menu" }, el("summary", {}, "Columns"), all);
}

const place = "godwit.views";
const views = () => { try { return JSON.parse(localStorage.getItem(place)) ?? {}; } catch { return {}; } };

/** Addresses with a name, kept in this browser. */
function kept(address) {
  const list = el("div", { class: "choices" });
  const keep = (all) => { localStorage.setItem(place, JSON.stringify(all)); show(); };
  const show = () => list.replaceChildren(
    ...Object.entries(views()).map(([name, hash]) => el("span", {}, el("a", { href: hash, onclick: (event) => { event.preventDefault(); location.hash = addressOf("", {}); location.hash = hash; } }, name), " ",
      el("button", { class: "plain", "aria-label": `Remove the view ${name}`, onclick: () => { const { [name]: _, ...rest } = views(); keep(rest); } }, "✕"))),
    el("button", {
      onclick: () => {
        const name = prompt("Name of this view")?.trim();
        if (!name) return;
        keep({ ...views(), [name]: address() });
        notice(`Kept in this browser: ${name}`);
      },
    }, "Keep this view"));
  show();
  return el("details", { class: "menu" }, el("summary", {}, "Views"), list);
}
