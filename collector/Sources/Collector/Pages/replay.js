// A slider through a day: where the vehicle was at each moment, its speed and the place, on the map as well.
import { ask, device } from "./api.js";
import { el } from "./dom.js";
import { colour, draw, hasMap, theMap } from "./map.js";
import { dayOf, timeElement } from "./time.js";
import { coordinates, placeText, speedText } from "./states.js";

const speeds = [30, 60, 300, 1200];
const frame_ms = 100;
/** A place in words is asked for once the slider rests. */
const rest_ms = 350;

/**
 * - Parameter at: `14:10`, where it begins.
 * - Returns: its element; `track(points)` takes a newer track; `end()`.
 */
export function replay(name, day, at) {
  const { from, to } = dayOf(day);
  let points = [];
  let marker = null;
  let plays = null;
  let rests = null;
  const slider = el("input", { type: "range", min: 0, max: Math.round((to - from) / 1000), step: 10, "aria-label": "Time of day", oninput: () => moved() });
  const clock = el("input", { type: "time", step: 60, "aria-label": "Where was it at", onchange: () => { if (clock.value) jump(clock.value); } });
  const speed = el("select", { "aria-label": "Speed of the replay" }, speeds.map((factor) => el("option", { value: factor, selected: factor === 60 }, `${factor}×`)));
  const button = el("button", { onclick: () => (plays ? pause() : play()) }, "▶ Play");
  const says = el("p", { class: "says", role: "status" });
  const element = el("details", { class: "replay", open: !!at || innerWidth > 700 }, el("summary", {}, "Replay"), el("div", { class: "tools" }, button, speed, el("label", {}, "At ", clock), slider), says);

  const now = () => +from + Number(slider.value) * 1000;

  function jump(text) {
    const [hour, minute] = text.split(":").map(Number);
    const time = new Date(from);
    time.setHours(hour, minute);
    slider.value = Math.round((time - from) / 1000);
    moved();
  }

  function moved() {
    const time = new Date(now());
    clock.value = `${String(time.getHours()).padStart(2, "0")}:${String(time.getMinutes()).padStart(2, "0")}`;
    slider.setAttribute("aria-valuetext", clock.value);
    const here = positionAt(points, now());
    show(here);
    clearTimeout(rests);
    rests = setTimeout(() => tell(time), rest_ms);
  }

  function show(here) {
    if (!here || !hasMap() || !theMap()) return;
    if (!marker?._map) {
      marker = draw(L.circleMarker(here.place, { radius: 9, weight: 3, color: colour("paper"), fillColor: colour("accent"), fillOpacity: 1 }));
    }
    marker.setLatLng(here.place).bringToFront();
    if (!theMap().getBounds().contains(here.place)) theMap().panTo(here.place, { animate: false });
    says.replaceChildren(timeElement(now(), "seconds"), here.speed === null ? "" : `  ${speedText(here.speed)}`);
  }

  /** What the collector says, also of a time before the first fix of the day. */
  async function tell(time) {
    const found = await ask(device(name, `/position?time=${encodeURIComponent(time.toISOString())}`)).catch(() => null);
    if (!found || +time !== now() || !element.isConnected) return;
    if (found.latitude === undefined) {
      says.textContent = "Nothing was known of it by then.";
      return;
    }
    if (!positionAt(points, +time)) show({ place: [found.latitude, found.longitude], speed: null });
    const isOld = time - Date.parse(found.timestamp) > 120000;
    says.replaceChildren(timeElement(time, "seconds"), "  ", isOld ? "" : speedText(found.speed), "  ", placeText(found.place), "  ", coordinates(found),
      isOld ? el("span", {}, "  last fix ", timeElement(found.timestamp, "clockOfDay")) : "");
  }

  function play() {
    if (points.length && (now() >= points.at(-1)[0] || now() < points[0][0])) slider.value = Math.floor((points[0][0] - from) / 1000);
    button.textContent = "⏸ Pause";
    let exact = Number(slider.value);
    plays = setInterval(() => {
      exact += (Number(speed.value) * frame_ms) / 1000;
      slider.value = exact;
      moved();
      if (!points.length || now() >= points.at(-1)[0]) pause();
    }, frame_ms);
  }

  function pause() {
    clearInterval(plays);
    plays = null;
    button.textContent = "▶ Play";
  }

  return {
    element,
    track(newer) {
      points = newer;
      if (at) {
        jump(at);
        at = null;
      } else if (marker) show(positionAt(points, now()));
    },
    end() {
      pause();
      clearTimeout(rests);
    },
  };
}

/** Between two points of one trip at an even pace; else at the last one. Nothing before the first. */
export function positionAt(points, time) {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= time) low = middle + 1;
    else high = middle;
  }
  const [one, next] = [points[low - 1], points[low]];
  if (!one) return null;
  if (!next || next[4] !== one[4] || one[4] === null) return { place: [one[1], one[2]], speed: time - one[0] < 120000 ? one[3] : null };
  const share = (time - one[0]) / (next[0] - one[0]);
  return { place: [one[1] + share * (next[1] - one[1]), one[2] + share * (next[2] - one[2])], speed: one[3] };
}
