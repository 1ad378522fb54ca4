// All vehicles on the map: a shape for each state, names, clusters where they are many, and what is known of one.
import { el } from "./dom.js";
import { colour, draw, hasMap, showAll, theMap } from "./map.js";
import { coordinates, placeText, sinceText, stateOf, stateText } from "./states.js";
import { follow } from "./follow.js";

const colours = { moving: "moving", stationary: "still", asleep: "still", silent: "bad", never: "still", unknown: "still" };
/** More than so many in one view are clustered; up to so many have their names beside them. */
const [mostSingle, mostNamed] = [60, 40];
const cell_px = 56;

/** A circle by its options, another shape on the map: what is drawn tells the state without its colour. */
const Shape = hasMap() ? L.CircleMarker.extend({
  _updatePath() {
    const pen = this._renderer._ctx;
    if (!this._renderer._drawing || this._empty()) return;
    const { x, y } = this._point;
    const r = this._radius;
    pen.beginPath();
    shapes[this.options.state]?.(pen, x, y, r, ((this.options.heading ?? 0) * Math.PI) / 180);
    this._renderer._fillStroke(pen, this);
  },
}) : null;

const polygon = (pen, corners) => {
  corners.forEach(([x, y], index) => (index ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.closePath();
};

const shapes = {
  moving(pen, x, y, r, turn) {
    const at = (forward, side) => [x + Math.sin(turn) * forward + Math.cos(turn) * side, y - Math.cos(turn) * forward + Math.sin(turn) * side];
    polygon(pen, [at(1.5 * r, 0), at(-r, r), at(-0.5 * r, 0), at(-r, -r)]);
  },
  stationary: (pen, x, y, r) => pen.rect(x - 0.85 * r, y - 0.85 * r, 1.7 * r, 1.7 * r),
  asleep(pen, x, y, r) {
    pen.arc(x, y, 1.1 * r, -1.4, 3);
    pen.arc(x - 0.45 * r, y - 0.4 * r, 0.85 * r, 2.3, -0.7, true);
    pen.closePath();
  },
  silent(pen, x, y, r) {
    const [a, b] = [r, 0.35 * r];
    polygon(pen, [[0, -b], [a - b, -a], [a, b - a], [b, 0], [a, a - b], [a - b, a], [0, b], [b - a, a], [-a, a - b], [-b, 0], [-a, b - a], [b - a, -a]]
      .map(([dx, dy]) => [x + dx, y + dy]));
  },
  unknown: (pen, x, y, r) => pen.arc(x, y, r, 0, 2 * Math.PI),
};
shapes.never = shapes.unknown;

/** - Returns: `show(vehicles)`, `mark(vehicle)` and `end()`; a frame is kept from one to the next. */
export function fleetMap() {
  const markers = new Map();
  const clusters = [];
  let isFramed = frame !== null;
  let marked = null;
  if (frame && hasMap() && theMap()) theMap().setView(frame.center, frame.zoom, { animate: false });
  const arranged = () => arrange(markers, clusters);
  if (hasMap()) theMap()?.on("zoomend moveend", arranged);

  return {
    show(vehicles) {
      if (!hasMap() || !theMap()) return;
      const [bad, paper] = [colour("bad"), colour("paper")];
      const fills = Object.fromEntries(Object.entries(colours).map(([state, name]) => [state, colour(name)]));
      const names = new Set();
      for (const vehicle of vehicles.filter((each) => each.latitude !== undefined)) {
        names.add(vehicle.device);
        const state = stateOf(vehicle);
        const isUrgent = vehicle.severity > 1;
        const style = {
          radius: isUrgent ? 9 : 7, weight: 2, fillOpacity: 0.95, color: isUrgent ? bad : paper, fillColor: fills[state],
          state, heading: vehicle.heading,
        };
        const place = [vehicle.latitude, vehicle.longitude];
        let marker = markers.get(vehicle.device);
        if (!marker) {
          marker = new Shape(place, style).bindTooltip(vehicle.device, tooltip).bindPopup(() => popup(marker.vehicle), { autoPan: false });
          // Leaflet takes a tooltip's text for markup.
          marker.setTooltipContent(() => el("span", {}, marker.vehicle.device));
          markers.set(vehicle.device, marker);
        }
        marker.vehicle = vehicle;
        marker.setLatLng(place).setStyle(style);
        if (marker.isPopupOpen()) marker.getPopup().update();
      }
      for (const [name, marker] of markers) {
        if (names.has(name)) continue;
        marker.remove();
        markers.delete(name);
      }
      arranged();
      if (!isFramed && markers.size) {
        showAll([...markers.values()].map((marker) => marker.getLatLng()));
        isFramed = true;
      }
    },
    /** Shows where the one in the list is. */
    mark(vehicle) {
      if (marked && !marked.isNamed) marked.closeTooltip();
      marked = markers.get(vehicle.device) ?? null;
      marked?.openTooltip();
    },
    end() {
      if (!hasMap() || !theMap()) return;
      theMap().off("zoomend moveend", arranged);
      if (isFramed && theMap().getSize().x) frame = { center: theMap().getCenter(), zoom: theMap().getZoom() };
    },
  };
}

/** Where the map was when the fleet was left. */
let frame = null;
export const forgetFrame = () => { frame = null; };

const tooltip = { direction: "right", offset: [8, 0], className: "name" };

/** Markers of one cell of the screen are one circle with their number; a few single ones have their names beside them. */
function arrange(markers, clusters) {
  const map = theMap();
  for (const cluster of clusters.splice(0)) cluster.remove();
  const inView = [...markers.values()].filter((marker) => map.getBounds().pad(0.2).contains(marker.getLatLng()));
  const cells = new Map();
  for (const marker of inView) {
    const { x, y } = map.latLngToLayerPoint(marker.getLatLng());
    const key = inView.length > mostSingle ? `${Math.floor(x / cell_px)},${Math.floor(y / cell_px)}` : marker.vehicle.device;
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(marker);
  }
  const groups = [...cells.values()];
  const single = new Set(groups.filter((group) => group.length === 1).map(([marker]) => marker));
  for (const marker of markers.values()) {
    const isShown = single.has(marker) || inView.length <= mostSingle;
    if (isShown && !marker._map) draw(marker);
    if (!isShown) marker.remove();
    const isNamed = isShown && single.size <= mostNamed && single.has(marker);
    if (marker.isNamed !== isNamed) {
      marker.isNamed = isNamed;
      const text = marker.getTooltip().getContent();
      marker.unbindTooltip().bindTooltip(text, { ...tooltip, permanent: isNamed });
    }
  }
  for (const group of groups.filter((each) => each.length > 1)) clusters.push(cluster(group));
}

function cluster(group) {
  const bounds = L.latLngBounds(group.map((marker) => marker.getLatLng()));
  const worst = Math.max(...group.map((marker) => marker.vehicle.severity));
  return draw(L.circleMarker(bounds.getCenter(), {
    radius: Math.min(11 + Math.sqrt(group.length), 24), weight: 3, color: colour(worst > 1 ? "bad" : "paper"),
    fillColor: colour("accent"), fillOpacity: 0.9,
  })).bindTooltip(() => el("span", {}, String(group.length)), { permanent: true, direction: "center", className: "count" })
    .on("click", () => showAll([bounds], { maxZoom: Math.min(theMap().getZoom() + 4, 18) }));
}

function popup(vehicle) {
  const path = `#/v/${encodeURIComponent(vehicle.device)}`;
  const line = (...children) => el("p", {}, children);
  return el("div", { class: "popup" }, el("h3", {}, el("a", { href: path }, vehicle.device)),
    line(stateText(vehicle)), line(sinceText(vehicle)), line(placeText(vehicle.place)), line(coordinates(vehicle)),
    line(el("a", { href: path }, "Day"), " · ", el("button", { class: "plain", onclick: () => follow(vehicle.device) }, "Follow")));
}
