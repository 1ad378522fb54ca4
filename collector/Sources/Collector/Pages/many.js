// The same settings for a group of vehicles, or for all: what is named here changes, everything else of each stays.
import { ask } from "./api.js";
import { $, el, notice, sure } from "./dom.js";
import { isFit, settingsForm } from "./form.js";
import { allGroups, vehicles } from "./fleet.js";
import { addressOf, thisView } from "./view.js";

export async function manyView() {
  const isShown = thisView();
  const whom = forWhom();
  const form = await settingsForm({}, true, "settings of many");
  if (!isShown()) return;
  const outcome = el("div", {});
  const back = el("input", { type: "text", placeholder: "motion.mode, track.max_error_m", "aria-label": "Settings to take back" });
  const send = el("button", {
    class: "main",
    onclick: sure("Send these settings to all vehicles that are chosen?", async () => {
      await isFit(form);
      const settings = form.read();
      for (const key of back.value.split(",").map((text) => text.trim()).filter(Boolean)) settings[key] = null;
      if (Object.keys(settings).length === 0) throw new Error("Nothing is set here.");
      await setForMany(chosen(whom), { settings }, outcome);
    }),
  }, "Send");
  $("side").replaceChildren(el("div", { class: "body" },
    el("h2", {}, "Settings of many"),
    el("p", { class: "detail" }, "What is set here is added to what each vehicle has; nothing else of it changes."),
    el("div", { class: "tools" }, whom), form.element,
    el("label", {}, "Take back, so that the vehicle's own file counts again", back),
    el("div", { class: "actions" }, send), outcome));
}

/** Groups, and all. */
export function forWhom() {
  return el("select", { "aria-label": "For whom" }, el("option", { value: "" }, "Choose for whom"),
    allGroups().map((group) => el("option", { value: `group:${group}` }, `Group ${group} (${members(group)})`)),
    el("option", { value: "all" }, `All vehicles (${vehicles.size})`));
}

/** What `forWhom()` stands at, as the collector wants it. */
export function chosen(whom) {
  if (!whom.value) throw new Error("Choose for whom first.");
  return whom.value === "all" ? { all: true } : { group: whom.value.slice("group:".length) };
}

/** Adds to what each has; says at `outcome` for whom that failed. */
export async function setForMany(target, what, outcome) {
  const answer = await ask("/v1/config", { method: "PUT", body: { ...target, merge: true, ...what } });
  notice(`Set for ${answer.set.length}, failed for ${answer.failed.length}.`, answer.failed.length > 0);
  const whom = target.group ? { group: target.group } : {};
  outcome.replaceChildren(
    el("p", {}, el("a", { href: addressOf("table", { ...whom, sort: "settings" }) }, "Who has taken it over")), el("ul", {}, answer.failed.map(({ device, error }) => el("li", {}, `${device}: ${error}`))));
}

const members = (group) => [...vehicles.values()].filter((vehicle) => (vehicle.groups ?? []).includes(group)).length;
