// One vehicle: its day, settings, commands, geofences and status, each behind a tab.
import { ask, device, may } from "./api.js";
import { $, el, doing, notice, words } from "./dom.js";
import { ago } from "./time.js";
import { coordinates, placeText, sinceText, stateText } from "./states.js";
import { followButton } from "./follow.js";
import { hideFences } from "./fences.js";
import { colour, draw, hasMap, showAll } from "./map.js";
import { asleep, vehicles, whenChanged } from "./fleet.js";
import { dayView } from "./day.js";
import { settingsView } from "./settings.js";
import { commandsView } from "./commands.js";
import { geofencesView } from "./geofences.js";
import { statusView } from "./status.js";
import { thisView } from "./view.js";

const tabs = {
  day: ["Day", dayView], settings: ["Settings", settingsView], geofences: ["Geofences", geofencesView],
  commands: ["Commands", commandsView], status: ["Status", statusView],
};

/** Where its tabs stood on the screen when another one of them was chosen: they stay under the finger. */
let tabsAt = null;

export async function vehicleView(name, tab = "day", ...rest) {
  if (!name || !tabs[tab]) {
    location.hash = "#/";
    return undefined;
  }
  const wereAt = tabsAt;
  tabsAt = null;
  const head = el("div", { class: "vehicle" });
  const body = el("div", { class: "body" });
  const showHead = () => head.replaceChildren(...headOf(name, tab));
  showHead();
  $("side").replaceChildren(head, body);
  const tabsTop = () => head.querySelector(".tabs").getBoundingClientRect().top;
  const keepTabs = () => { if (wereAt !== null) scrollBy(0, tabsTop() - wereAt); };
  keepTabs();
  const endWatch = whenChanged((names) => { if (!names || names.includes(name)) showHead(); });
  if (tab !== "day" && tab !== "geofences") showPlace(vehicles.get(name));
  const [, view] = tabs[tab];
  hideFences(tab === "geofences");
  const beat = setInterval(showHead, 15000);
  const isShown = thisView();
  try {
    const end = await view(name, body, ...rest);
    if (isShown()) keepTabs();
    return () => {
      endWatch();
      clearInterval(beat);
      hideFences(false);
      if (location.hash.startsWith(`#/v/${encodeURIComponent(name)}`)) tabsAt = tabsTop();
      end?.();
    };
  } catch (error) {
    endWatch();
    clearInterval(beat);
    hideFences(false);
    throw error;
  }
}

/** Where it is, for the tabs that draw nothing themselves. */
function showPlace(vehicle) {
  if (!hasMap() || vehicle?.latitude === undefined) return;
  const place = [vehicle.latitude, vehicle.longitude];
  draw(L.circleMarker(place, { radius: 8, weight: 2, color: colour("paper"), fillColor: colour("accent"), fillOpacity: 1 }));
  showAll([place]);
}

function headOf(name, tab) {
  const vehicle = vehicles.get(name) ?? { problems: [] };
  const path = `#/v/${encodeURIComponent(name)}`;
  return [
    el("a", { class: "back", href: "#/", "aria-label": "Back to the fleet" }, "‹ Fleet"),
    el("h2", {}, name),
    el("p", { class: "now" }, stateText(vehicle), " ", sinceText(vehicle)),
    el("p", { class: "detail" }, placeText(vehicle.place), " ", coordinates(vehicle),
      vehicle.latitude === undefined || !hasMap() ? null : followButton(name)),
    el("p", { class: "detail heard" },
      vehicle.last_contact ? ["heard ", ago(vehicle.last_contact)] : "has not sent yet",
      vehicle.version ? ` · version ${vehicle.version}` : "",
      vehicle.asleep_until ? [" · ", asleep(vehicle)] : "",
      vehicle.problems.length ? el("strong", {}, ` · ${vehicle.problems.map(words).join(", ")}`) : ""),
    groupsOf(name, vehicle),
    el("nav", { class: "tabs", "aria-label": "Of this vehicle" }, Object.entries(tabs).map(([key, [title]]) =>
      el("a", { href: key === "day" ? path : `${path}/${key}`, "aria-current": key === tab ? "page" : false }, title))),
  ];
}

function groupsOf(name, vehicle) {
  const groups = vehicle.groups ?? [];
  if (!may("operator")) return groups.length ? el("p", { class: "detail groups" }, `Groups: ${groups.join(", ")}`) : null;
  return el("button", {
    class: "plain detail groups",
    onclick: doing(async () => {
      const text = prompt("Groups of this vehicle, with commas between", groups.join(", "));
      if (text === null) return;
      const names = text.split(",").map((group) => group.trim()).filter(Boolean);
      await ask(device(name, "/groups"), { method: "PUT", body: { groups: names } });
      notice("The groups are set.");
    }),
  }, groups.length ? `Groups: ${groups.join(", ")}` : "Groups: none");
}
