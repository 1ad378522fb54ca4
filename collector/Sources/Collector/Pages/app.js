// Which view is shown, by what stands behind # in the address, and who is logged in.
import { me, may, session, logOut, whenLost } from "./api.js";
import { $, el, doing, notice } from "./dom.js";
import { clearMap, makeMap } from "./map.js";
import { loginView, passwordView } from "./login.js";
import { endFleet, fleetView, startFleet } from "./fleet.js";
import { tableView } from "./fleettable.js";
import { reportsView } from "./reports.js";
import { endFollow } from "./follow.js";
import { vehicleView } from "./vehicle.js";
import { manyView } from "./many.js";
import { adminView } from "./admin.js";
import { nextView, thisView } from "./view.js";

/** Each view fills the side and the map, if it is still shown by then, and returns what ends it. */
const views = {
  "": fleetView, table: tableView, reports: reportsView, v: vehicleView, many: manyView, admin: adminView, password: passwordView,
};
const layouts = new Map([[vehicleView, "vehicle"], [fleetView, "fleet"], [tableView, "table"], [reportsView, "table"]]);

let leave = null;

/** Nothing of it stays under the next address, also where that one's view fails or is slow. */
function leaveView() {
  leave?.();
  leave = null;
  nextView();
  clearMap();
  $("timeline").hidden = true;
  $("side").replaceChildren();
}

/** What stands behind # in the address; null for what is no address. */
function parts() {
  try {
    return location.hash.replace(/^#\/?/, "").split("?")[0].split("/").map(decodeURIComponent);
  } catch {
    return null;
  }
}

async function route() {
  leaveView();
  notice("");
  const [name, ...rest] = parts() ?? [null];
  const view = views[name] ?? (name === null ? null : fleetView);
  document.body.dataset.view = layouts.get(view) ?? "form";
  endFollow(name === "v" ? rest[0] : null);
  showCurrent();
  const isShown = thisView();
  if (!view) return failed("This is no address of these pages.");
  try {
    const end = await view(...rest);
    if (isShown()) leave = end;
    else end?.();
  } catch (error) {
    if (!isShown()) return undefined;
    if (error.status === 401) return start();
    failed(error.message);
  }
  return undefined;
}

function failed(reason) {
  leaveView();
  notice(reason, true);
  $("side").replaceChildren(el("p", { class: "empty" }, "This cannot be shown. ",
    el("button", { onclick: () => route() }, "Try again"), " ", el("a", { href: "#/" }, "To the fleet")));
}

function showNavigation() {
  const links = [
    el("a", { href: "#/" }, "Map"), el("a", { href: "#/table" }, "Table"), el("a", { href: "#/reports" }, "Reports"),
  ];
  if (may("operator")) links.push(el("a", { href: "#/many" }, "Settings"));
  if (may("admin")) links.push(el("a", { href: "#/admin" }, "Access"));
  if (me.csrf) {
    links.push(el("a", { href: "#/password" }, me.name));
    links.push(el("button", { class: "plain", onclick: doing(leaveAll) }, "Log out"));
  }
  $("nav").replaceChildren(...links);
  showCurrent();
}

/** The link of the view that is shown. */
function showCurrent() {
  const view = parts()?.[0];
  for (const link of $("nav").querySelectorAll("a")) {
    const its = link.getAttribute("href").slice(2);
    link.toggleAttribute("aria-current", its === (view === "v" ? "" : view));
  }
}

/** Nothing of the fleet stays in the page. */
async function leaveAll() {
  await logOut();
  history.replaceState(null, "", "/");
  location.reload();
}

function showLogin() {
  leaveView();
  endFleet();
  $("nav").replaceChildren();
  $("counts").replaceChildren();
  document.body.dataset.view = "form";
  loginView(start);
}

async function start() {
  await session();
  if (!me.role && me.accounts) return showLogin();
  // Where there are no accounts the browser itself asks for a token, with the first list.
  await startFleet();
  if (!me.role) await session();
  makeMap($("map"), me.map);
  showNavigation();
  return route();
}

whenLost(() => start().then(
  () => { if (!me.role) notice("Your session has ended: log in again.", true); },
  (error) => notice(error.message, true)));
addEventListener("hashchange", route);
addEventListener("keydown", (event) => {
  const isTyping = /^(input|select|textarea)$/i.test(event.target.tagName);
  if (event.key === "/" && !isTyping) {
    const search = $("search");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
  if (event.key === "Escape" && !isTyping && location.hash.length > 2 && document.body.dataset.view !== "fleet") location.hash = "#/";
});
start().catch((error) => notice(error.message, true));
