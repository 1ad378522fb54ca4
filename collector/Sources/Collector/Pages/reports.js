// Reports: which, of when, of whom, each an address of its own; sorted, summed up, as a file and on paper.
import { ask } from "./api.js";
import { $, el, words } from "./dom.js";
import { allGroups, vehicles } from "./fleet.js";
import { dayText, duration, otherDay, timeElement, dayOf } from "./time.js";
import { kilometres, speedText } from "./states.js";
import { dataTable } from "./table.js";
import { addressOf, query, thisView } from "./view.js";

const kinds = {
  summary: "Summary", trips: "Trips", stops: "Stops", sites: "Sites", events: "Events", days: "By day",
};
const spans = {
  today: "Today", yesterday: "Yesterday", week: "This week", "last-week": "Last week", month: "This month", "last-month": "Last month",
};
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** First and last day of a span, in the viewer's zone. */
function daysOf(span, from, to) {
  const today = dayText(Date.now());
  const date = new Date();
  const monday = otherDay(today, -((date.getDay() + 6) % 7));
  const first = (months) => dayText(new Date(date.getFullYear(), date.getMonth() + months, 1));
  switch (span) {
    case "yesterday": return [otherDay(today, -1), otherDay(today, -1)];
    case "week": return [monday, today];
    case "last-week": return [otherDay(monday, -7), otherDay(monday, -1)];
    case "month": return [first(0), today];
    case "last-month": return [first(-1), otherDay(first(0), -1)];
    case "own": return [from || today, to || from || today];
    default: return [today, today];
  }
}

const titles = {
  device: "Vehicle", begin: "Begin", end: "End", duration_s: "Duration", from: "From", to: "To", distance_m: "Distance", idle_s: "Idle",
  driving_s: "Driving", engine_s: "Engine", top_speed_mps: "Top speed", first_start: "First start", last_end: "Last end",
  share_percent: "In use", entered: "Entered", left: "Left", geofence: "Site",
};
const isTime = new Set(["begin", "end", "entered", "left", "time", "first_start", "last_end"]);

/** A column by the unit in its name. */
function column(key, index, keys, address) {
  const value = (row) => row[index];
  const [show, isNumber] = isTime.has(key) ? [(row) => (value(row) ? timeElement(value(row), "clockOfDay") : still(key)), false]
    : key.endsWith("_m") ? [(row) => kilometres(value(row)), true]
      : key.endsWith("_s") ? [(row) => (value(row) ? duration(value(row) * 1000) : ""), true]
        : key.endsWith("_mps") ? [(row) => speedText(value(row)), true]
          : key.endsWith("_percent") ? [(row) => `${value(row)} %`, true]
            : key === "device" ? [(row) => dayLink(row, index, keys), false]
              : key === "geofence" ? [(row) => el("a", { href: address({ site: value(row) }) }, value(row)), false]
                : [(row) => words(value(row)), typeof value === "number" || key === "trips" || key === "stops"];
  return { key, title: titles[key] ?? words(key)[0].toUpperCase() + words(key).slice(1), show, sort: value, isNumber };
}

const still = (key) => ({ end: "goes on", left: "still there" })[key] ?? "";

/** The vehicle, on the day that the row is about. */
function dayLink(row, index, keys) {
  const when = ["day", "begin", "entered", "time", "first_start"].map((key) => row[keys.indexOf(key)]).find(Boolean);
  const day = when ? `/day/${when.length === 10 ? when : dayText(when)}` : "";
  return el("a", { href: `#/v/${encodeURIComponent(row[index])}${day}` }, row[index]);
}

export async function reportsView(kind = "summary") {
  const isShown = thisView();
  const asked = Object.fromEntries(query());
  const wanted = { span: "today", group: "", device: "", sort: "", outside: "", site: "", ...asked };
  if (!kinds[kind]) throw new Error("There is no such report.");
  const [from, to] = daysOf(wanted.span, wanted.from, wanted.to);
  const address = (more = {}, view = kind) => addressOf(`reports/${view}`, { ...wanted, span: wanted.span === "today" ? "" : wanted.span, ...more });
  const place = el("div", {}, el("p", { class: "empty" }, "One moment …"));
  const parameters = new URLSearchParams({ from: dayOf(from).from.toISOString(), to: dayOf(to).to.toISOString(), zone });
  if (wanted.group) parameters.set("group", wanted.group);
  if (wanted.device) parameters.set("device", wanted.device);
  if (wanted.outside && ["summary", "trips", "days"].includes(kind)) parameters.set("outside", wanted.outside);
  $("side").replaceChildren(el("div", { class: "body report" },
    el("nav", { class: "tabs", "aria-label": "Report" }, Object.entries(kinds).map(([key, title]) =>
      el("a", { href: address({ sort: "" }, key), "aria-current": key === kind ? "page" : false }, title))),
    tools(kind, wanted, from, to, address),
    el("p", { class: "actions" },
      el("a", { class: "button", href: `/v1/reports/${kind}.csv?${parameters}`, download: `${kind}-${from}-${to}.csv` }, "CSV"), " ",
      el("button", { onclick: () => print() }, "Print")),
    el("h2", {}, `${kinds[kind]}, ${from === to ? from : `${from} – ${to}`}`), place));
  const table = await ask(`/v1/reports/${kind}?${parameters}`);
  if (!isShown()) return;
  const columns = table.columns.map((key, index, keys) => column(key, index, keys, address));
  const rows = wanted.site ? table.rows.filter((row) => row[0] === wanted.site) : table.rows;
  const isWhole = rows === table.rows;
  if (kind === "sites") showSites($("side").querySelector(".sites"), table.rows, wanted.site);
  const sums = Object.fromEntries(table.columns.map((key, index) => [key, isWhole ? table.sums[index] : null])
    .filter(([, sum]) => sum !== null).map(([key, sum]) => {
      const index = table.columns.indexOf(key);
      return [key, columns[index].show(table.columns.map((_, at) => (at === index ? sum : null)))];
    }));
  const show = () => place.replaceChildren(dataTable({
    columns, rows, order: wanted.sort, sums, empty: "Nothing in this span.",
    choose: (order) => {
      wanted.sort = order;
      history.replaceState(null, "", address());
      show();
    },
  }));
  show();
}

function tools(kind, wanted, from, to, address) {
  const go = (more) => { location.hash = address(more); };
  const select = (label, value, options, change) => el("select", { "aria-label": label, onchange: (event) => change(event.target.value) },
    options.map(([key, title]) => el("option", { value: key, selected: key === value }, title)));
  const date = (label, value, key) => el("label", {}, `${label} `, el("input", {
    type: "date", value, onchange: (event) => { if (event.target.value) go({ span: "own", from, to, [key]: event.target.value }); },
  }));
  const whom = wanted.device ? `device:${wanted.device}` : wanted.group ? `group:${wanted.group}` : "";
  const names = [...vehicles.keys()].sort((one, other) => one.localeCompare(other, undefined, { numeric: true }));
  return el("div", { class: "tools" },
    el("nav", { class: "spans", "aria-label": "Span" }, Object.entries(spans).map(([key, title]) =>
      el("a", { class: "button", href: address({ span: key, from: "", to: "" }), "aria-current": key === wanted.span ? "true" : false }, title))),
    date("From", from, "from"), date("to", to, "to"),
    select("Vehicles", whom, [["", "All vehicles"], ...allGroups().map((group) => [`group:${group}`, `Group ${group}`]), ...names.map((name) => [`device:${name}`, name])],
      (value) => go({ group: value.startsWith("group:") ? value.slice(6) : "", device: value.startsWith("device:") ? value.slice(7) : "" })),
    ["summary", "trips", "days"].includes(kind) ? el("label", {}, "Only outside of ", el("input", {
      type: "text", class: "short", placeholder: "06:00-18:00", value: wanted.outside, title: "Hours of Monday to Friday", pattern: "\\d\\d:\\d\\d-\\d\\d:\\d\\d",
      onchange: (event) => go({ outside: event.target.value.trim() }),
    })) : null,
    kind === "sites" ? el("select", { class: "sites", "aria-label": "Site", onchange: (event) => go({ site: event.target.value }) }) : null);
}

/** Which geofences the rows are about. */
function showSites(select, rows, chosen) {
  const names = [...new Set([...rows.map(([name]) => name), chosen])].filter(Boolean).sort();
  select.replaceChildren(el("option", { value: "" }, "All sites"), ...names.map((name) => el("option", { value: name, selected: name === chosen }, name)));
}
