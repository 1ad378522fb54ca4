// The map stays on one vehicle until somebody moves it.
import { el } from "./dom.js";
import { hasMap, hasSize, theMap } from "./map.js";
import { vehicles, whenChanged } from "./fleet.js";

let followed = null;
let end = null;
const buttons = new Set();

export function follow(name) {
  stop();
  if (!hasMap() || !theMap()) return;
  followed = name;
  end = whenChanged(() => go(false));
  theMap().on("dragstart", stop);
  go(true);
  show();
}

function stop() {
  end?.();
  end = null;
  followed = null;
  theMap()?.off("dragstart", stop);
  show();
}

function go(isFirst) {
  const vehicle = vehicles.get(followed);
  if (vehicle?.latitude === undefined || !hasSize()) return;
  const place = [vehicle.latitude, vehicle.longitude];
  if (isFirst) theMap().setView(place, Math.max(theMap().getZoom(), 15));
  else theMap().panTo(place);
}

function show() {
  for (const button of buttons) {
    if (!button.isConnected) buttons.delete(button);
    button.setAttribute("aria-pressed", String(button.dataset.device === followed));
  }
}

/** A button that begins and ends it; where another view has the map, it ends. */
export function followButton(name) {
  const button = el("button", {
    class: "follow", "data-device": name, "aria-pressed": String(followed === name),
    onclick: () => (followed === name ? stop() : follow(name)),
  }, "Follow");
  buttons.add(button);
  return button;
}

export function endFollow(unless) {
  if (followed !== null && followed !== unless) stop();
}
