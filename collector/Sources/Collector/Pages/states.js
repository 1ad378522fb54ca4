// What a vehicle does now, where, and since when: in words and by a sign, so that nobody needs colours for it.
import { $, el, notice, words } from "./dom.js";
import { ago, duration, timeElement, utc } from "./time.js";

/** moving, stationary, asleep, silent, never or unknown. */
export function stateOf(vehicle) {
  if (!vehicle.last_contact) return "never";
  if (vehicle.problems.includes("silent")) return "silent";
  if (vehicle.asleep_until) return "asleep";
  if (vehicle.is_moving === undefined) return "unknown";
  return vehicle.is_moving ? "moving" : "stationary";
}

export const states = ["moving", "stationary", "asleep", "unknown", "silent", "never"];
const signs = { moving: "▶", stationary: "■", asleep: "☾", unknown: "?", silent: "✕", never: "○" };
const points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"];

export const kilometres = (metres) =>
  (metres === undefined || metres === null ? "" : `${(metres / 1000).toFixed(metres < 100000 ? 1 : 0)} km`);
export const speedText = (mps) => (mps === undefined || mps === null ? "" : `${Math.round(mps * 3.6)} km/h`);
export const compass = (degrees) => points[Math.round(degrees / 45) % 8];

/** `▶ moving, 52 km/h NE` */
export function stateText(vehicle) {
  const state = stateOf(vehicle);
  const isOn = state === "moving" && vehicle.speed !== undefined;
  const heading = isOn && vehicle.heading !== undefined ? ` ${compass(vehicle.heading)}` : "";
  return el("span", { class: `state ${state}` }, el("span", { "aria-hidden": "true" }, `${signs[state]} `),
    [words(state), isOn ? speedText(vehicle.speed) + heading : ""].filter(Boolean).join(", "));
}

/** `in Depot Nord`, `1.2 km N of Depot Nord` */
export function placeText(place) {
  if (!place) return "";
  if (place.distance_m === undefined) return `in ${place.name}`;
  const far = place.distance_m < 1000 ? `${Math.round(place.distance_m / 10) * 10} m` : kilometres(place.distance_m);
  return `${far} ${compass(place.bearing_deg)} of ${place.name}`;
}

/** A vehicle that drives gives a fix more often than that. */
const old_ms = 180000;

/** The trip so far, or since when it stands; nothing for what is not known. */
export function sinceText(vehicle) {
  const state = stateOf(vehicle);
  const since = (when) => [timeElement(when, "clockOfDay"), ` (${duration(Date.now() - Date.parse(when))})`];
  const isOld = Date.now() - Date.parse(vehicle.timestamp) > old_ms;
  const last = isOld && state === "moving" ? ["; last fix ", ago(vehicle.timestamp)] : null;
  if (state === "moving" && vehicle.trip_begin) return ["trip ", kilometres(vehicle.trip_distance_m), " so far, since ", since(vehicle.trip_begin), last ?? ""];
  if (last) return ["last fix ", ago(vehicle.timestamp)];
  if (state === "stationary" && vehicle.still_since) return ["since ", since(vehicle.still_since)];
  if (state === "silent") return ["no contact since ", timeElement(vehicle.last_contact, "clockOfDay"), why(vehicle)];
  return "";
}

/** What a vehicle said last of itself, for one from which nothing comes. */
const why = ({ no_track_because: cause, figures }) => [cause ? `; last reported: ${words(cause)}` : "",
  figures?.battery_v === undefined ? "" : `, battery ${figures.battery_v} V`].join("");

/** Degrees to copy, and to open in the system's maps. */
export function coordinates({ latitude, longitude, timestamp }) {
  if (latitude === undefined) return null;
  const text = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  return el("span", { class: "coordinates", title: timestamp ? utc(timestamp) : "" }, text, " ",
    el("button", { class: "plain", onclick: () => copy(text) }, "Copy"), " ",
    el("a", { href: `geo:${latitude.toFixed(6)},${longitude.toFixed(6)}` }, "Maps"), " ",
    el("a", {
      href: `https://www.openstreetmap.org/?mlat=${latitude.toFixed(5)}&mlon=${longitude.toFixed(5)}&zoom=16`,
      target: "_blank", rel: "noopener noreferrer", title: "OpenStreetMap then knows the place",
    }, "OSM"));
}

/** Without TLS a browser lets no page write to the clipboard, but for what is selected. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = el("textarea", { class: "offscreen", value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  notice(`Copied: ${text}`);
  setTimeout(() => { if ($("notice").textContent === `Copied: ${text}`) notice(""); }, 3000);
}
