// A bar of a day: trips and stops, gaps with their causes, and events, each a button.
import { el } from "./dom.js";
import { clock, utc } from "./time.js";

const lanes = [["trip", "stop"], ["gap"], ["event"]];
const names = ["Trips and stops", "No track, and why", "Events"];

/**
 * Anew; who was on one of its buttons stays on it.
 * - Parameter select: is given the item whose button was pressed.
 */
export function timeline(place, items, from, to, select) {
  const span = to - from;
  const share = (time) => Math.min(Math.max((time - from) / span, 0), 1) * 100;
  const rows = lanes.map((kinds, index) => {
    const lane = el("div", { class: "lane", role: "group", "aria-label": names[index] });
    for (const item of items.filter((each) => kinds.includes(each.kind))) lane.append(segment(item, share, select));
    return el("div", { class: "laneRow" }, el("span", { class: "laneName" }, names[index]), lane);
  });
  const focused = place.querySelector("button:focus");
  const last = focused ?? place.querySelector('button[tabindex="0"]');
  place.replaceChildren(...rows, el("div", { class: "laneRow" }, el("span", { class: "laneName" }), hours(from, to, share)));
  place.hidden = false;
  place.onkeydown = move;
  const buttons = [...place.querySelectorAll("button")];
  const here = buttons.find((button) => button.item.key === last?.item.key) ?? buttons[0];
  if (here) here.tabIndex = 0;
  if (focused) here?.focus({ preventScroll: true });
}

function segment(item, share, select) {
  const begin = share(item.begin);
  const button = el("button", {
    class: `segment ${item.kind} ${item.number ? `trip${((item.number - 1) % 5) + 1}` : ""} ${item.cause ? `cause-${item.cause}` : ""}`, tabindex: -1,
    title: `${item.title}\n${clock(item.begin)}${item.end > item.begin ? ` – ${clock(item.end)}` : ""}  ${item.detail}\n${utc(item.begin)}`,
    "aria-label": `${item.title}, ${clock(item.begin)}, ${item.detail}`,
    onclick: () => select(item),
  });
  // The page's policy forbids style attributes, and not this.
  button.style.left = `${begin}%`;
  button.style.width = item.kind === "event" ? "" : `${Math.max(share(item.end) - begin, 0.15)}%`;
  button.item = item;
  return button;
}

function hours(from, to, share) {
  const scale = el("div", { class: "lane hours", "aria-hidden": "true" });
  for (let hour = 0; hour < 24; hour += 3) {
    const time = new Date(from);
    time.setHours(hour);
    if (time >= to) break;
    const label = el("span", { class: hour % 6 ? "minor" : "" }, clock(time));
    label.style.left = `${share(time)}%`;
    scale.append(label);
  }
  return scale;
}

/** One stop of the tab key for all; the arrows go on from there. */
function move(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  if (step === undefined) return;
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const here = buttons.indexOf(document.activeElement);
  const next = buttons[Math.min(Math.max(here + step, 0), buttons.length - 1)];
  event.preventDefault();
  for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
  next?.focus();
}
