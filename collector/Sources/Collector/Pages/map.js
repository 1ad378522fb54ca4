// The map: tiles where there are some, else a grid of degrees. All drawing is Leaflet's.
import { el } from "./dom.js";
import { TownNames, drawGround, loadGround, source as groundSource } from "./ground.js";

let map = null;
let overlay = null;
/** What is to be framed once the map has a size: while the login is shown it has none. */
let waiting = null;

export const hasMap = () => typeof L !== "undefined";
export const theMap = () => map;

/** - Parameter source: `map` of the session. */
export function makeMap(place, source) {
  if (!hasMap()) {
    place.replaceChildren(el("p", { class: "empty" },
      "There is no map: the collector found no Leaflet. Install libjs-leaflet, or see --leaflet."));
    return null;
  }
  if (map) return map;
  map = L.map(place, { preferCanvas: true, worldCopyJump: true, zoomControl: true }).setView([47, 8], 5);
  map.attributionControl.setPrefix(false);
  L.control.scale().addTo(map);
  addBase(source ?? {});
  overlay = L.featureGroup().addTo(map);
  new ShowAll().addTo(map);
  new ResizeObserver(() => {
    map.invalidateSize();
    if (waiting && hasSize()) showAll(...waiting);
  }).observe(place);
  return map;
}

/** Whether it is shown: what is framed without a size is framed wrong. */
export function hasSize() {
  const size = map?.invalidateSize({ pan: false }).getSize();
  return !!size?.x && !!size.y;
}

/** A button that frames everything that is drawn. */
const ShowAll = hasMap() ? L.Control.extend({
  options: { position: "topleft" },
  onAdd() {
    const button = el("button", {
      class: "showAll", type: "button", title: "Show all that is on the map",
      onclick: () => { if (overlay.getBounds().isValid()) showAll([overlay.getBounds()]); },
    }, "Show all");
    L.DomEvent.disableClickPropagation(button);
    return button;
  },
}) : null;

function addBase(source) {
  if (!source.tiles) {
    addGround(source).catch(() => {});
    return;
  }
  L.tileLayer(source.tiles, {
    attribution: escaped(source.attribution ?? ""), minNativeZoom: source.min_zoom ?? 0,
    maxNativeZoom: source.max_zoom ?? 19, maxZoom: 21,
  }).addTo(map);
}

/** The grid until the ground has come, and where there is none. */
async function addGround(source) {
  const grid = new Grid().addTo(map);
  if (!(await loadGround())) return;
  map.attributionControl.addAttribution(escaped(source.attribution ?? groundSource()));
  grid.hasGround = true;
  grid.redraw();
  new TownNames().addTo(map);
}

/** Leaflet takes an attribution for markup. */
const escaped = (text) => el("span", {}, text.replace(/<[^>]*>/g, "")).innerHTML;

const gridFrom = 11;

/** Meridians and parallels, with their degrees: a plain ground for tracks where there are no streets. */
const Grid = hasMap() ? L.GridLayer.extend({
  createTile(place) {
    const size = this.getTileSize();
    const tile = L.DomUtil.create("canvas", "grid");
    [tile.width, tile.height] = [size.x, size.y];
    const pen = tile.getContext("2d");
    pen.font = "11px system-ui, sans-serif";
    const step = gridStep(place.z);
    const corner = (x, y) => map.unproject([(place.x + x) * size.x, (place.y + y) * size.y], place.z);
    const [northWest, southEast] = [corner(0, 0), corner(1, 1)];
    const pixel = (latitude, longitude) =>
      map.project([latitude, longitude], place.z).subtract([place.x * size.x, place.y * size.y]);
    if (this.hasGround) {
      const box = { west: northWest.lng, south: southEast.lat, east: southEast.lng, north: northWest.lat };
      drawGround(pen, size, pixel, box, place.z);
      // Closer, there is less on it than a grid says.
      if (place.z < gridFrom) return tile;
    }
    pen.lineWidth = 1;
    pen.strokeStyle = colour("line");
    pen.fillStyle = colour("faint");
    for (let at = Math.ceil(northWest.lng / step) * step; at <= southEast.lng; at += step) {
      const { x } = pixel(northWest.lat, at);
      line(pen, x, 0, x, size.y);
      label(pen, degrees(at, step), x + 3, 11, size);
    }
    for (let at = Math.ceil(southEast.lat / step) * step; at <= northWest.lat; at += step) {
      const { y } = pixel(at, northWest.lng);
      line(pen, 0, y, size.x, y);
      label(pen, degrees(at, step), 3, y - 3, size);
    }
    return tile;
  },
}) : null;

const line = (pen, x, y, toX, toY) => {
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(toX, toY);
  pen.stroke();
};

/** Beside its line, and whole: what a tile has no room for, it does not show. */
function label(pen, text, x, y, size) {
  const width = pen.measureText(text).width;
  pen.fillText(text, x + width > size.x ? x - width - 6 : x, y < 11 ? y + 16 : y);
}

/** A round number of degrees, about a tile wide. */
function gridStep(zoom) {
  const wanted = 360 / 2 ** zoom;
  const ten = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((factor) => factor * ten).find((step) => step >= wanted * 0.6) ?? ten;
}

const degrees = (value, step) => `${value.toFixed(Math.max(0, -Math.floor(Math.log10(step))))}°`;

/** Takes away what a view has drawn. */
export function clearMap() {
  waiting = null;
  overlay?.clearLayers();
}

export const draw = (layer) => (overlay ? layer.addTo(overlay) : layer);

export function showAll(points, options = {}) {
  if (!map || points.length === 0) return;
  waiting = hasSize() ? null : [points, options];
  if (waiting) return;
  map.fitBounds(L.latLngBounds(points), { padding: [30, 30], maxZoom: 16, animate: false, ...options });
}

/** A colour of the style sheet, as light or dark as it is now. */
export function colour(name) {
  if (colours.has(name)) return colours.get(name);
  const probe = el("span", { hidden: true });
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  colours.set(name, found);
  return found;
}

const colours = new Map();

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colours.clear();
  map?.eachLayer((layer) => layer.redraw?.());
});
