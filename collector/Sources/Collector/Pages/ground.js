// The map's ground where no tiles are: land, lakes, borders and towns, drawn from one file of the collector's own.
import { colour, theMap } from "./map.js";

const cell_deg = 10;
const unit = 1000;
/** From this zoom on borders within a country are drawn. */
const statesFrom = 5;

let ground = null;

/** - Returns: whether there is one. Asked for once, when the map is there. */
export async function loadGround() {
  if (ground) return true;
  const answer = await fetch("/pages/ground.json").catch(() => null);
  if (!answer?.ok) return false;
  ground = await answer.json();
  for (const cell of Object.values(ground.cells)) cell.towns?.sort((one, other) => other[2] - one[2]);
  return true;
}

export const source = () => ground?.source ?? "";

/** A tile: `project` gives the pixels of a place within it. */
export function drawGround(pen, size, project, { west, south, east, north }, zoom) {
  pen.fillStyle = colour("water");
  pen.fillRect(0, 0, size.x, size.y);
  const cells = cellsOf(west, south, east, north);
  const trace = (points, cell) => {
    let [x, y] = [0, 0];
    for (let index = 0; index < points.length; index += 2) {
      x += points[index];
      y += points[index + 1];
      const at = project(cell.south + y / unit, cell.west + x / unit);
      if (index) pen.lineTo(at.x, at.y);
      else pen.moveTo(at.x, at.y);
    }
  };
  const areas = (key, fill) => {
    pen.fillStyle = fill;
    pen.strokeStyle = fill;
    pen.lineWidth = 0.7;
    for (const cell of cells) {
      for (const rings of cell.content[key] ?? []) {
        pen.beginPath();
        for (const ring of rings) trace(ring, cell);
        pen.fill("evenodd");
        // Without it the edges of the cells shine through.
        if (key === "land") pen.stroke();
      }
    }
  };
  const lines = (key, stroke, width) => {
    pen.strokeStyle = stroke;
    pen.lineWidth = width;
    pen.beginPath();
    for (const cell of cells) for (const line of cell.content[key] ?? []) trace(line, cell);
    pen.stroke();
  };
  areas("land", colour("land"));
  areas("lakes", colour("water"));
  if (zoom >= statesFrom) lines("states", colour("line"), 0.7);
  lines("borders", colour("faint"), 1);
}

/** So many inhabitants a place has at least for its name to be shown. */
const least = (zoom) => 3e6 / 3 ** Math.max(0, zoom - 3);

/** Names of towns over the whole view: within single tiles they would be cut. */
export function towns(bounds, zoom) {
  const found = [];
  for (const cell of cellsOf(bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth())) {
    for (const [x, y, people, name] of cell.content.towns ?? []) {
      if (people < least(zoom)) break;
      const place = [cell.south + y / unit, cell.west + x / unit];
      if (bounds.contains(place)) found.push({ place, people, name });
    }
  }
  return found.sort((one, other) => other.people - one.people).slice(0, 60);
}

function cellsOf(west, south, east, north) {
  const cells = [];
  for (let x = Math.floor(west / cell_deg) * cell_deg; x < east; x += cell_deg) {
    // The map goes round: the cell of 190° is the one of -170°.
    const known = ((((x + 180) % 360) + 360) % 360) - 180;
    for (let y = Math.floor(south / cell_deg) * cell_deg; y < north; y += cell_deg) {
      const content = ground.cells[`${known},${y}`];
      if (content) cells.push({ west: x, south: y, content });
    }
  }
  return cells;
}

export const TownNames = typeof L === "undefined" ? null : L.Layer.extend({
  onAdd(map) {
    this._pane = map.getPane("tilePane");
    this._canvas = L.DomUtil.create("canvas", "towns", this._pane);
    map.on("moveend zoomend resize", this._draw, this);
    this._draw();
  },
  onRemove(map) {
    this._canvas.remove();
    map.off("moveend zoomend resize", this._draw, this);
  },
  redraw() { this._draw(); },
  _draw() {
    const map = theMap();
    const size = map.getSize();
    if (!size.x) return;
    [this._canvas.width, this._canvas.height] = [size.x, size.y];
    L.DomUtil.setPosition(this._canvas, map.containerPointToLayerPoint([0, 0]));
    const pen = this._canvas.getContext("2d");
    pen.font = "12px system-ui, sans-serif";
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    const taken = [];
    for (const { place, name } of towns(map.getBounds(), map.getZoom())) {
      const { x, y } = map.latLngToContainerPoint(place);
      const width = pen.measureText(name).width;
      const box = [x - 3, y - 9, x + width + 10, y + 9];
      if (taken.some((one) => one[0] < box[2] && box[0] < one[2] && one[1] < box[3] && box[1] < one[3])) continue;
      taken.push(box);
      pen.fillStyle = colour("faint");
      pen.beginPath();
      pen.arc(x, y, 2.5, 0, 2 * Math.PI);
      pen.fill();
      pen.strokeStyle = colour("land");
      pen.strokeText(name, x + 6, y + 4);
      pen.fillText(name, x + 6, y + 4);
    }
  },
});
