// A vehicle's geofences as the server sets them: drawn on the map, sent with its settings.
import { ask, device, may } from "./api.js";
import { el, doing, notice } from "./dom.js";
import { clearMap, colour, draw, hasMap, showAll, theMap } from "./map.js";
import { chosen, forWhom, setForMany } from "./many.js";
import { configOf } from "./settings.js";
import { vehicles } from "./fleet.js";
import { showFences } from "./fences.js";
import { thisView } from "./view.js";
import { draftNote, draftOf, keepDraft } from "./drafts.js";

export async function geofencesView(name, body) {
  const isShown = thisView();
  const config = await configOf(name);
  if (!isShown()) return undefined;
  const editor = new Editor(name, config?.config.geofences?.features ?? [], may("operator"));
  const save = may("operator") ? el("button", {
    class: "main",
    onclick: doing(async () => {
      const now = (await configOf(name))?.config ?? { settings: {} };
      const geofences = collection(editor.features());
      const body = geofences ? { settings: now.settings, geofences } : { settings: now.settings };
      const set = await ask(device(name, "/config"), { method: "PUT", body });
      editor.saved();
      showFences();
      notice(`Version ${set.config.version} goes with the next answer to ${name}.`);
    }),
  }, "Send to this vehicle") : null;
  body.replaceChildren(el("p", { class: "detail" },
    "These take the place of the vehicle's own file while they are in force. None here: its own file counts."),
  editor.element, el("div", { class: "actions" }, save), may("operator") ? toMany(editor) : "");
  editor.redraw();
  editor.frame(vehicles.get(name));
  return () => editor.end();
}

/** Nil where there are none: an empty collection would take the place of the vehicle's own file. */
const collection = (features) => (features.length ? { type: "FeatureCollection", features } : null);

/** What stands in the editor, for more vehicles than this one. */
function toMany(editor) {
  const whom = forWhom();
  const outcome = el("div", {});
  return el("details", { class: "toMany" }, el("summary", {}, "Send these to a group, or to all"),
    el("p", { class: "detail" }, "They take the place of the geofences that each of them was sent before; its settings stay."),
    el("div", { class: "tools" }, whom, el("button", {
      onclick: doing(async () => {
        const target = chosen(whom);
        const geofences = collection(editor.features());
        const what = geofences ? `Send these geofences (${editor.features().length})` : "Take back what geofences were sent, so that each vehicle's own file counts";
        if (confirm(`${what}: ${whom.selectedOptions[0].text}?`)) await setForMany(target, { geofences }, outcome);
      }),
    }, "Send to these")), outcome);
}

/** The fences as GeoJSON features, in a list and on the map. */
class Editor {
  constructor(name, features, canEdit) {
    this.what = `geofences of ${name}`;
    this.before = JSON.stringify(features);
    this.fences = JSON.parse(draftOf(this.what) ?? this.before);
    this.canEdit = canEdit;
    this.note = draftNote(() => {
      this.fences = JSON.parse(this.before);
      this.stop();
      this.redraw();
    });
    this.corners = null;
    this.list = el("ul", { class: "fences" });
    this.hint = el("p", { class: "detail", role: "status" });
    const tools = canEdit && hasMap() ? el("div", { class: "tools" },
      el("button", { onclick: () => this.begin("circle") }, "Add circle"),
      el("button", { onclick: () => this.begin("polygon") }, "Add area"),
      this.done = el("button", { hidden: true, onclick: () => this.finish() }, "Close the area")) : null;
    this.element = el("div", { onchange: () => this.keep() }, tools, this.hint, this.note.element, this.list);
    this.click = (event) => this.place(event.latlng);
  }

  features() { return this.fences; }

  begin(kind) {
    this.kind = kind;
    this.corners = [];
    this.hint.textContent = kind === "circle" ? "Click on the map where its middle is." : "Click on the map for each corner, then close the area.";
    this.done.hidden = kind === "circle";
    theMap().on("click", this.click);
  }

  place({ lat, lng }) {
    const position = [Number(lng.toFixed(6)), Number(lat.toFixed(6))];
    if (this.kind === "circle") return this.add({ type: "Point", coordinates: position }, { radius_m: 150 });
    this.corners.push(position);
    this.redraw();
    return undefined;
  }

  finish() {
    if (this.corners.length < 3) {
      this.hint.textContent = "An area has three corners at least.";
      return;
    }
    this.add({ type: "Polygon", coordinates: [[...this.corners, this.corners[0]]] }, {});
  }

  add(geometry, properties) {
    const taken = new Set(this.fences.map((fence) => fence.properties.id));
    let number = this.fences.length + 1;
    while (taken.has(`area ${number}`)) number += 1;
    this.fences.push({ type: "Feature", geometry, properties: { id: `area ${number}`, ...properties } });
    this.stop();
    this.redraw();
  }

  stop() {
    this.corners = null;
    this.hint.textContent = "";
    if (this.done) this.done.hidden = true;
    theMap()?.off("click", this.click);
  }

  end() { this.stop(); }

  keep() {
    const now = JSON.stringify(this.fences);
    keepDraft(this.what, now === this.before ? undefined : now);
    this.note.show(now !== this.before);
  }

  saved() {
    this.before = JSON.stringify(this.fences);
    this.keep();
  }

  redraw() {
    this.keep();
    this.list.replaceChildren(...this.fences.map((fence, index) => this.row(fence, index)));
    if (!hasMap() || !theMap()) return;
    clearMap();
    for (const fence of this.fences) this.layer(fence);
    if (this.corners?.length) draw(L.polyline(this.corners.map(([longitude, latitude]) => [latitude, longitude]), { color: colour("accent"), dashArray: "6" }));
  }

  layer(fence) {
    const style = { color: colour("accent"), weight: 2, fillOpacity: 0.12 };
    const { geometry, properties } = fence;
    const layer = geometry.type === "Point"
      ? L.circle([geometry.coordinates[1], geometry.coordinates[0]], { ...style, radius: properties.radius_m })
      : L.geoJSON(fence, { style });
    draw(layer).bindTooltip(() => el("span", {}, String(properties.id)));
  }

  frame(vehicle) {
    const points = this.fences.flatMap(({ geometry }) => flat(geometry.coordinates)).map(([longitude, latitude]) => [latitude, longitude]);
    if (points.length === 0 && vehicle?.latitude !== undefined) points.push([vehicle.latitude, vehicle.longitude]);
    showAll(points);
  }

  row(fence, index) {
    const { properties, geometry } = fence;
    const flag = (key, label, standard) => el("label", {}, el("input", {
      type: "checkbox", checked: properties[key] ?? standard, disabled: !this.canEdit,
      onchange: (event) => { properties[key] = event.target.checked; },
    }), label);
    const number = (key, label, low, high, standard) => el("label", {}, `${label} `, el("input", {
      type: "number", min: low, max: high, value: properties[key] ?? standard, disabled: !this.canEdit,
      onchange: (event) => { properties[key] = Number(event.target.value); this.redraw(); },
    }));
    return el("li", {},
      el("label", {}, "Name ", el("input", {
        type: "text", maxlength: 64, value: properties.id, disabled: !this.canEdit,
        onchange: (event) => { properties.id = event.target.value; this.redraw(); },
      })),
      geometry.type === "Point" ? number("radius_m", "Radius in metres", 10, 100000, 150) : null,
      flag("notify_on_entry", "entering", true), flag("notify_on_exit", "leaving", true), flag("notify_on_dwell", "staying", false),
      properties.notify_on_dwell ? number("loitering_delay_s", "after seconds", 0, 604800, 300) : null,
      this.canEdit ? el("button", { onclick: () => { this.fences.splice(index, 1); this.redraw(); } }, "Remove") : null);
  }
}

/** Positions of any geometry. */
const flat = (coordinates) => (typeof coordinates[0] === "number" ? [coordinates] : coordinates.flatMap(flat));
