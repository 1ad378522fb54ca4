// A vehicle's day: track, trips, stops, events, and the gaps with their causes, on the map, a timeline and a list.
import { ask, device } from "./api.js";
import { $, asText, el, words } from "./dom.js";
import { clock, clockOfDay, dayOf, dayText, duration, otherDay, timeElement, utc } from "./time.js";
import { clearMap, colour, draw, hasMap, showAll, theMap } from "./map.js";
import { replay } from "./replay.js";
import { kilometres, placeText } from "./states.js";
import { timeline } from "./timeline.js";
import { vehicles, whenChanged } from "./fleet.js";
import { thisView } from "./view.js";

/** Of a trip, stop or gap over midnight: what of it the day does not have. */
function wholeOf({ begin, end, whole }) {
  if (!whole) return "";
  return joined(whole.distance_m === undefined ? "" : `of ${kilometres(whole.distance_m)} in all`,
    whole.begin === begin ? "" : `since ${clockOfDay(whole.begin)}`,
    !whole.end || whole.end === end ? "" : `until ${clockOfDay(whole.end)}`);
}

export async function dayView(name, body, date, at) {
  // A clock that is years ahead may be at a day that nobody can ask for.
  const last = Date.parse(vehicles.get(name)?.timestamp);
  const day = date ?? dayText(last < Date.now() ? last : Date.now());
  const isShown = thisView();
  const { from, to } = dayOf(day);
  const query = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
  const list = el("div", {});
  const player = replay(name, day, at);
  let asked = 0;
  let drawn = 0;
  const load = async () => {
    asked += 1;
    const mine = asked;
    const found = await ask(device(name, `/day?${query}`));
    await clickIsOver();
    // An older answer may come after a newer one.
    if (!isShown() || mine < drawn) return;
    drawn = mine;
    const items = itemsOf(found, to);
    const isFirst = !list.parentNode;
    if (isFirst) body.replaceChildren(picker(name, day), player.element, list);
    drawDay(found, items);
    if (isFirst) frame(name, found);
    player.track(found.track);
    showList(name, list, found, items);
    timeline($("timeline"), items, from, to, select);
    mark(items.find((item) => item.key === chosen.key));
  };
  chosen = nothing;
  await load();
  // The day goes on while it is looked at.
  let waits = null;
  const end = whenChanged((names) => {
    if (names && !names.includes(name)) return;
    if (to <= Date.now()) return;
    waits ??= setTimeout(() => {
      waits = null;
      load().catch(() => {});
    }, 2000);
  });
  return () => {
    clearTimeout(waits);
    player.end();
    end();
  };
}

/** One that is under way would be lost with its button. */
async function clickIsOver() {
  while (document.querySelector("#timeline button:active, .events button:active")) {
    await new Promise((go) => setTimeout(go, 100));
  }
}

// MARK: What there is

const at = (text) => Date.parse(text);

/** What ended a sleep of the board. */
const wakes = {
  alarm: ", woken by its alarm", wire: ", woken by the ignition", power: ", woken by the supply",
  other: ", woken by something else",
};

const joined = (...texts) => texts.filter(Boolean).join(", ");

/** Everything of the day in one order: kind, begin and end in ms, title, what it says, and where. Its key outlasts a load. */
function itemsOf(day, to) {
  const trips = day.trips.map((trip, index) => {
    const [begin, end] = [at(trip.begin), at(trip.end)];
    const isGoing = trip.under_way && end < to;
    return {
      kind: "trip", isListed: true, begin, end, number: index + 1, trip: trip.trip,
      title: `Trip ${index + 1}${trip.towed ? ", towed" : ""}`,
      detail: joined(isGoing ? "under way" : "", kilometres(trip.distance_m) + (isGoing ? " so far" : ""),
        duration(end - begin), trip.idle_s > 60 ? `${duration(trip.idle_s * 1000)} idle` : "",
        trip.top_speed === undefined ? "" : `top ${Math.round(trip.top_speed * 3.6)} km/h`, wholeOf(trip)),
    };
  });
  const stops = day.stops.map((stop) => {
    const begin = at(stop.begin);
    // Of a vehicle whose clock is ahead it has not begun.
    const end = stop.end ? at(stop.end) : Math.max(begin, Math.min(Date.now(), +to));
    const isGoing = !stop.end && end < to;
    return {
      kind: "stop", isListed: true, begin, end, place: [stop.latitude, stop.longitude], title: stop.place ? `Stop ${placeText(stop.place)}` : "Stop",
      detail: joined(duration(end - begin) + (isGoing ? " so far" : ""), wholeOf(stop)),
    };
  });
  const gaps = day.gaps.map((gap) => ({
    // A stop says the same of a parked vehicle, and where.
    kind: "gap", isListed: gap.cause !== "parked", cause: gap.cause, begin: at(gap.begin), end: at(gap.end),
    title: `No track: ${words(gap.cause)}`,
    detail: joined(duration(at(gap.end) - at(gap.begin)) + (wakes[gap.wake] ?? ""),
      gap.clock ? "by a clock that was not right" : "", wholeOf(gap)),
  }));
  const events = day.events.filter((event) => event.event !== "trip").map((event) => ({
    kind: "event", isListed: event.event !== "motionchange", begin: at(event.timestamp), end: at(event.timestamp),
    place: event.latitude === undefined ? null : [event.latitude, event.longitude], event: event.event,
    ...eventWords(event),
  }));
  const items = [...trips, ...stops, ...gaps, ...events].sort((one, other) => one.begin - other.begin);
  for (const item of items) item.key = `${item.kind} ${item.begin} ${item.title}`;
  return items;
}

function eventWords(record) {
  const found = knownWords(record);
  if (record.extras?.clock !== "untrusted") return found;
  return { ...found, detail: [found.detail, "the box did not know the time"].filter(Boolean).join(", ") };
}

function knownWords({ event, extras }) {
  const some = extras ?? {};
  if (event === "geofence") {
    const action = { ENTER: "Entered", EXIT: "Left", DWELL: "Stays in" }[asText(some.action)] ?? words(some.action);
    return { title: `${action} ${asText(some.geofence ?? "a geofence")}`, detail: "" };
  }
  if (event === "warning") return { title: `Warning: ${words(some.warning)}`, detail: words(some.cause ?? "") };
  if (event === "status" && some.board === "asleep" && some.until_ms) {
    return { title: "The board sleeps", detail: `until ${clock(some.until_ms)}, because: ${words(some.cause ?? "")}` };
  }
  if (event === "status" && some.test === "doctor") return { title: "Tested at the box", detail: "godwit doctor" };
  const details = Object.entries(some).filter(([key, value]) => key !== "trip" && key !== "clock" && typeof value !== "object" && !key.endsWith("_ms"))
    .map(([key, value]) => `${words(key)} ${words(value)}`);
  return { title: words(event)[0].toUpperCase() + words(event).slice(1), detail: details.join(", ") };
}

// MARK: The side

function picker(name, day) {
  const path = (other) => `#/v/${encodeURIComponent(name)}/day/${other}`;
  const input = el("input", {
    type: "date", value: day, "aria-label": "Day", onchange: (event) => { if (event.target.value) location.hash = path(event.target.value); },
  });
  return el("div", { class: "tools" },
    el("a", { class: "button", href: path(otherDay(day, -1)), "aria-label": "Day before" }, "‹"), input,
    el("a", { class: "button", href: path(otherDay(day, 1)), "aria-label": "Day after" }, "›"),
    exports(name, day));
}

function exports(name, day) {
  const { from, to } = dayOf(day);
  const query = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
  return el("span", { class: "exports" }, ["gpx", "geojson", "csv"].map((form) =>
    el("a", { href: device(name, `/export.${form}?${query}`), download: `${name}-${day}.${form}` }, form.toUpperCase())));
}

function summary(day) {
  const metres = day.trips.reduce((sum, trip) => sum + (trip.distance_m ?? 0), 0);
  const driven = day.trips.reduce((sum, trip) => sum + at(trip.end) - at(trip.begin), 0);
  return el("p", { class: "detail" }, day.trips.length
    ? `${day.trips.length} ${day.trips.length === 1 ? "trip" : "trips"}, ${kilometres(metres)}, ${duration(driven)}; ${day.track.length} points`
    : "No trip on this day.", day.cut_at ? el("strong", {}, " Only a part is shown: the day has too many records.") : "");
}

/** Anew; who was on one of its buttons stays on it. */
function showList(name, list, day, items) {
  const focused = list.querySelector("button:focus")?.item.key;
  const buttons = items.filter((item) => item.isListed).map(entry);
  list.replaceChildren(summary(day), el("ol", { class: "events" }, buttons.map((button) => el("li", {}, button, gpxOf(name, button.item)))));
  if (focused) buttons.find((button) => button.item.key === focused)?.focus({ preventScroll: true });
}

/** A drive as a file of its own. */
function gpxOf(name, { kind, begin, end, number }) {
  if (kind !== "trip") return null;
  const query = new URLSearchParams({ from: new Date(begin).toISOString(), to: new Date(end + 1).toISOString() });
  return el("a", { class: "gpx", href: device(name, `/export.gpx?${query}`), download: `${name}-${dayText(begin)}-trip-${number}.gpx` }, "GPX");
}

function entry(item) {
  const times = item.kind === "event" ? [timeElement(item.begin, "seconds")]
    : [timeElement(item.begin, "time"), " – ", timeElement(item.end, "time")];
  const button = el("button", { class: `item ${item.kind} ${item.number ? `trip${((item.number - 1) % 5) + 1}` : ""}`, onclick: () => select(item) },
    el("span", { class: "when" }, times), el("span", { class: "name" }, item.title), el("span", { class: "detail" }, item.detail));
  button.item = item;
  return button;
}

// MARK: The map

const tripColour = (number) => colour(`trip${((number - 1) % 5) + 1}`);
const nothing = {};
/** The item that was selected. */
let chosen = nothing;

function drawDay(day, items) {
  clearMap();
  if (!hasMap() || !theMap()) return;
  const pieces = new Map();
  for (const point of day.track) {
    const trip = point[4] ?? -1;
    if (!pieces.has(trip)) pieces.set(trip, []);
    pieces.get(trip).push(point);
  }
  const trips = items.filter((item) => item.kind === "trip");
  for (const [trip, points] of pieces) {
    const item = trips.find((each) => each.trip === trip);
    // What belongs to no trip is no way: single looks at a parked vehicle.
    if (trip === -1) continue;
    const way = draw(L.polyline(points.map(([, latitude, longitude]) => [latitude, longitude]),
      { color: item ? tripColour(item.number) : colour("still"), weight: 4, opacity: 0.85 }));
    way.on("click", (event) => showPoint(nearest(points, event.latlng)));
    if (item) {
      item.way = way;
      item.points = points;
    }
  }
  for (const item of items.filter((each) => each.kind === "stop")) drawStop(item);
  for (const item of items.filter((each) => each.kind === "event" && each.place && each.isListed)) drawEvent(item);
}

const drawStop = (item) => {
  item.marker = draw(L.circleMarker(item.place, { radius: 7, weight: 3, color: colour("ink"), fillColor: colour("paper"), fillOpacity: 1 }))
    .bindTooltip(() => el("span", {}, `Stop ${clock(item.begin)} – ${clock(item.end)}, ${item.detail}`)).on("click", () => select(item));
};

const drawEvent = (item) => {
  item.marker = draw(L.circleMarker(item.place, { radius: 5, weight: 2, color: colour("paper"), fillColor: colour("accent"), fillOpacity: 1 }))
    .bindTooltip(() => el("span", {}, `${clock(item.begin)} ${item.title}`)).on("click", () => select(item));
};

function nearest(points, place) {
  const distance = ([, latitude, longitude]) =>
    (latitude - place.lat) ** 2 + ((longitude - place.lng) * Math.cos((place.lat * Math.PI) / 180)) ** 2;
  return points.reduce((best, point) => (distance(point) < distance(best) ? point : best));
}

function showPoint([time, latitude, longitude, speed]) {
  const text = el("span", { title: utc(time) }, timeElement(time), speed === null ? "" : `, ${Math.round(speed * 3.6)} km/h`);
  L.popup().setLatLng([latitude, longitude]).setContent(text).openOn(theMap());
}

function frame(name, day) {
  const vehicle = vehicles.get(name);
  const points = day.track.map(([, latitude, longitude]) => [latitude, longitude]);
  for (const stop of day.stops) points.push([stop.latitude, stop.longitude]);
  if (points.length === 0 && vehicle?.latitude !== undefined) points.push([vehicle.latitude, vehicle.longitude]);
  showAll(points);
}

/** Shows one thing of the day on the map and in the timeline. */
function select(item) {
  mark(item);
  if (!(item.way ?? item.marker)) return;
  if (item.points) showAll(item.points.map(([, latitude, longitude]) => [latitude, longitude]));
  else theMap().panTo(item.place);
  item.marker?.openTooltip();
}

/** - Parameter item: undefined for none. */
function mark(item = nothing) {
  const widen = (one, by) => {
    const layer = one.way ?? one.marker;
    one.usualWeight ??= layer?.options.weight;
    layer?.setStyle({ weight: one.usualWeight + by });
  };
  widen(chosen, 0);
  chosen = item;
  widen(chosen, 3);
  for (const button of document.querySelectorAll("#timeline button")) button.classList.toggle("chosen", button.item === item);
}
