// Times in the viewer's zone, with UTC on hover.
import { asText, el } from "./dom.js";

const zone = { hourCycle: "h23" };
const forms = {
  time: new Intl.DateTimeFormat(undefined, { ...zone, hour: "2-digit", minute: "2-digit" }),
  seconds: new Intl.DateTimeFormat(undefined, { ...zone, hour: "2-digit", minute: "2-digit", second: "2-digit" }),
  full: new Intl.DateTimeFormat(undefined, { ...zone, dateStyle: "medium", timeStyle: "medium" }),
  clockOfDay: new Intl.DateTimeFormat(undefined, { ...zone, weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }),
  date: new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", year: "numeric" }),
};

export const utc = (when) => `${new Date(when).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** Null for what is no time, which a device may have sent for one. */
function dateOf(when) {
  const date = new Date(typeof when === "object" && !(when instanceof Date) ? NaN : when);
  return Number.isNaN(date.valueOf()) ? null : date;
}

/** An element that shows an instant; `form` is time, seconds, full or date. */
export function timeElement(when, form = "full") {
  if (when === undefined || when === null) return "–";
  const date = dateOf(when);
  if (!date) return asText(when);
  return el("time", { datetime: date.toISOString(), title: utc(date) }, forms[form].format(date));
}

export function clock(when) {
  const date = dateOf(when);
  return date ? forms.time.format(date) : asText(when);
}

/** With its day: `Fri 27 Nov, 23:40`. */
export const clockOfDay = (when) => forms.clockOfDay.format(new Date(when));

/** `12 min ago`, with the instant on hover. */
export function ago(when, now = Date.now()) {
  if (!when) return "never";
  const date = new Date(when);
  const title = `${forms.full.format(date)}\n${utc(date)}`;
  return el("time", { datetime: date.toISOString(), title }, age(now - date));
}

export function age(milliseconds) {
  const minutes = Math.floor(milliseconds / 60000);
  if (minutes < -1) return "in the future";
  if (minutes < 1) return "just now";
  if (minutes < 120) return `${minutes} min ago`;
  if (minutes < 2880) return `${Math.floor(minutes / 60)} h ago`;
  return `${Math.floor(minutes / 1440)} days ago`;
}

export function duration(milliseconds) {
  const minutes = Math.round(milliseconds / 60000);
  if (minutes < 1) return `${Math.round(milliseconds / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** A day of the viewer's zone, `2026-03-02`, as two instants. Days with a change of the clock have 23 or 25 hours. */
export function dayOf(text) {
  const [year, month, day] = text.split("-").map(Number);
  return { from: new Date(year, month - 1, day), to: new Date(year, month - 1, day + 1) };
}

export function dayText(when) {
  const date = new Date(when);
  const two = (number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export function otherDay(text, days) {
  const { from } = dayOf(text);
  return dayText(new Date(from.getFullYear(), from.getMonth(), from.getDate() + days));
}
