// The same settings for a group of vehicles, or for all: what is named here changes, everything else of each stays.
import { ask } from "./api.js";
import { $, el, notice, sure } from "./dom.js";
import { clearMap } from "./map.js";
import { isFit, settingsForm } from "./form.js";
import { vehicles } from "./fleet.js";

export async function manyView() {
  clearMap();
  $("timeline").hidden = true;
  const groups = [...new Set([...vehicles.values()].flatMap((vehicle) => vehicle.groups ?? []))].sort();
  const whom = el("select", { "aria-label": "For whom" }, el("option", { value: "" }, "Choose for whom"),
    groups.map((group) => el("option", { value: `group:${group}` }, `Group ${group} (${members(group)})`)),
    el("option", { value: "all" }, `All vehicles (${vehicles.size})`));
  const form = await settingsForm({}, true);
  const outcome = el("div", {});
  const back = el("input", { type: "text", placeholder: "motion.mode, track.max_error_m", "aria-label": "Settings to take back" });
  const send = el("button", {
    class: "main",
    onclick: sure("Send these settings to all vehicles that are chosen?", async () => {
      if (!whom.value) throw new Error("Choose for whom first.");
      await isFit(form);
      const settings = form.read();
      for (const key of back.value.split(",").map((text) => text.trim()).filter(Boolean)) settings[key] = null;
      if (Object.keys(settings).length === 0) throw new Error("Nothing is set here.");
      const target = whom.value === "all" ? { all: true } : { group: whom.value.slice("group:".length) };
      const answer = await ask("/v1/config", { method: "PUT", body: { ...target, merge: true, settings } });
      notice(`Set for ${answer.set.length}, failed for ${answer.failed.length}.`, answer.failed.length > 0);
      outcome.replaceChildren(el("ul", {}, answer.failed.map(({ device, error }) => el("li", {}, `${device}: ${error}`))));
    }),
  }, "Send");
  $("side").replaceChildren(el("div", { class: "body" },
    el("h2", {}, "Settings of many"),
    el("p", { class: "detail" }, "What is set here is added to what each vehicle has; nothing else of it changes."),
    el("div", { class: "tools" }, whom), form.element,
    el("label", {}, "Take back, so that the vehicle's own file counts again", back),
    el("div", { class: "actions" }, send), outcome));
}

const members = (group) => [...vehicles.values()].filter((vehicle) => (vehicle.groups ?? []).includes(group)).length;
