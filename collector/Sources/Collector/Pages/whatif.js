// A vehicle's own day with other settings, beside the same day with those of now: godwit simulate at the collector.
import { ask, device } from "./api.js";
import { el, doing } from "./dom.js";
import { colour, draw, hasMap, theMap } from "./map.js";
import { dayOf, dayText, duration } from "./time.js";
import { vehicles } from "./fleet.js";
import { thisView } from "./view.js";

const rows = [
  ["Trips", (result) => result.trips.length, String],
  ["GPS on", (result) => result.totals.gps_on_s, (value) => duration(value * 1000)],
  ["Distance", (result) => result.totals.distance_m, (value) => `${(value / 1000).toFixed(1)} km`],
  ["Fixes kept", (result) => result.totals.kept_fixes, String],
  ["Worst error where seen", (result) => result.totals.seen_error_m_max, (value) => `${value.toFixed(1)} m`],
  ["Way that nobody saw", (result) => result.totals.unseen_m, (value) => `${Math.round(value)} m`],
  ["Records", (result) => result.totals.records, String],
  ["Requests", (result) => result.totals.requests, String],
  ["Charge", (result) => result.totals.energy_mah, (value) => `${Math.round(value)} mAh`],
];

/** - Parameter form: the settings; what differs in it from those of now is tried. */
export function whatIf(name, form) {
  const date = el("input", { type: "date", "aria-label": "Day", value: dayText(vehicles.get(name)?.timestamp ?? Date.now()) });
  const outcome = el("div", {});
  return el("details", {}, el("summary", {}, "What if"),
    el("p", { class: "detail" }, "The vehicle's own day once more, with the settings above in place of those of now."),
    el("div", { class: "tools" }, date, el("button", {
      onclick: doing(async () => {
        const isShown = thisView();
        const { from, to } = dayOf(date.value);
        const answer = await ask(device(name, "/simulate"), {
          method: "POST", body: { from: from.toISOString(), to: to.toISOString(), settings: form.read() },
        });
        if (!isShown()) return;
        outcome.replaceChildren(comparison(answer));
        drawBoth(answer);
      }),
    }, "Try")), outcome);
}

const comparison = ({ now, then }) => el("table", {},
  el("thead", {}, el("tr", {}, ["", "Now", "Then"].map((head) => el("th", {}, head)))),
  el("tbody", {}, rows.map(([title, value, text]) => {
    const cell = (result) => (value(result) === undefined ? "–" : text(value(result)));
    return el("tr", {}, el("th", {}, title), el("td", {}, cell(now)), el("td", {}, cell(then)));
  })));

function drawBoth({ now, then }) {
  if (!hasMap() || !theMap()) return;
  const line = (track, options) => draw(L.polyline(track.map(({ lat, lon }) => [lat, lon]), options));
  line(now.track, { color: colour("still"), weight: 5, opacity: 0.6 });
  const other = line(then.track, { color: colour("trip2"), weight: 2, dashArray: "6" });
  if (then.track.length) theMap().fitBounds(other.getBounds(), { padding: [30, 30] });
}
