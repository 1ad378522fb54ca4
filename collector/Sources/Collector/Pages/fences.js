// The fleet's geofences on the map, below what a view draws.
import { ask } from "./api.js";
import { el } from "./dom.js";
import { colour, hasMap, theMap } from "./map.js";

/** More names than this hide the map. */
const mostNamed = 40;

let layer = null;
let isHidden = false;
let known = "";

/** Asks for them anew. They are no reason to complain: without them the map shows all else. */
export async function showFences() {
  if (!hasMap()) return;
  const { features } = await ask("/v1/geofences").catch(() => ({ features: null }));
  if (!features || !theMap()) return;
  const text = JSON.stringify(features);
  if (text === known && layer) return;
  known = text;
  layer?.remove();
  const style = { color: colour("accent"), weight: 1.5, dashArray: "5 4", fillOpacity: 0.07, interactive: false };
  layer = L.featureGroup(features.flatMap((fence) => shape(fence, style, features.length <= mostNamed) ?? []));
  hideFences(isHidden);
}

/** Where they are edited, the editor draws them. */
export function hideFences(hidden) {
  isHidden = hidden;
  if (hidden) layer?.remove();
  else if (layer && theMap()) layer.addTo(theMap()).bringToBack();
}

/** Null for what is none: a vehicle's settings may hold what they like. */
function shape(fence, style, isNamed) {
  try {
    const { geometry, properties } = fence;
    const drawn = geometry.type === "Point"
      ? L.circle([geometry.coordinates[1], geometry.coordinates[0]], { ...style, radius: properties.radius_m })
      : L.geoJSON(fence, { style, interactive: false });
    const name = String(properties?.id ?? fence.id ?? "");
    return isNamed ? drawn.bindTooltip(() => el("span", {}, name), { permanent: true, direction: "center", className: "fence" }) : drawn;
  } catch {
    return null;
  }
}
