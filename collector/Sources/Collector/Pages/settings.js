// What a vehicle is to have, what it says of it, and who has set what.
import { Refused, ask, device, may, me } from "./api.js";
import { el, doing, notice, words } from "./dom.js";
import { ago, timeElement } from "./time.js";
import { isFit, settingsForm } from "./form.js";
import { whenChanged } from "./fleet.js";
import { whatIf } from "./whatif.js";

const states = {
  pending: "the vehicle has not looked at it yet", trial: "on trial: in force, and kept once a request has succeeded",
  in_force: "in force", refused: "refused by the vehicle", off: "kept, but it no longer fits the vehicle's own file",
  outdated: "the vehicle has seen a newer version than this collector",
};

/** Nil where nobody has set anything. */
export async function configOf(name) {
  try {
    return await ask(device(name, "/config"));
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}

export async function settingsView(name, body) {
  const state = el("div", {});
  const showState = (config) => state.replaceChildren(stateOf(config));
  const config = await configOf(name);
  showState(config);
  const form = await settingsForm(config?.config.settings ?? {}, may("operator"), `settings of ${name}`);
  const past = el("div", {});
  const save = may("operator") ? el("button", {
    class: "main",
    onclick: doing(async () => {
      await isFit(form);
      const { geofences } = (await configOf(name))?.config ?? {};
      const wanted = geofences === undefined ? { settings: form.read() } : { settings: form.read(), geofences };
      const set = await ask(device(name, "/config"), { method: "PUT", body: wanted });
      notice(`Version ${set.config.version} goes with the next answer to ${name}.`);
      form.saved();
      showState(await configOf(name));
      past.replaceChildren(await history(name));
    }),
  }, "Send to this vehicle") : null;
  body.replaceChildren(state, form.element, el("div", { class: "actions" }, save),
    me.can_simulate && may("operator") ? whatIf(name, form) : "", past);
  past.replaceChildren(await history(name));
  return whenChanged(async (names) => {
    if (names?.includes(name)) showState(await configOf(name).catch(() => config));
  });
}

function stateOf(config) {
  if (!config) return el("p", { class: "detail" }, "Nobody has set anything: the vehicle's own file counts.");
  const said = config.reported ?? {};
  const rows = [
    ["Set here", ["version ", config.config.version, ", ", ago(config.set)]],
    ["State", [el("strong", { class: `state-${config.state}` }, words(config.state)), `: ${states[config.state] ?? ""}`]],
    ["Looked at by the vehicle", said.desired === undefined ? "nothing yet" : ["version ", said.desired]],
    ["In force there", said.in_force === undefined ? "its own file alone" : ["version ", said.in_force]],
    said.trial_until && ["Trial until", timeElement(said.trial_until)],
    said.trial_waits_for && ["Trial waits for", words(said.trial_waits_for)],
    said.refused_because && ["Refused because", said.refused_because],
    said.off_because && ["Off because", said.off_because],
    said.not_saved_because && ["Not saved because", said.not_saved_because],
    said.waits !== undefined && ["Waits", ["version ", said.waits, ", until ", timeElement(said.waits_until)]],
  ].filter(Boolean);
  return el("dl", {}, rows.map(([term, value]) => [el("dt", {}, term), el("dd", {}, value)]));
}

async function history(name) {
  const versions = await ask(device(name, "/config/history"));
  if (versions.length === 0) return el("p", { class: "detail" }, "No history.");
  return el("details", {}, el("summary", {}, `History: ${versions.length}`),
    el("ol", { class: "history" }, versions.map((version, index) => el("li", {},
      el("p", {}, `Version ${version.version} by ${version.who}, `, timeElement(version.set)),
      changes(versions[index + 1]?.config, version.config)))));
}

/** What one version sets otherwise than the one before, if there was one. */
function changes(before, after) {
  const settings = differences(before?.settings ?? {}, after.settings);
  const geofences = geofenceDifferences(before, after);
  if (settings.length === 0 && !geofences) return el("p", { class: "detail" }, "The same as before.");
  return el("ul", {}, settings.map((text) => el("li", {}, el("code", {}, text))), geofences ? el("li", {}, geofences) : null);
}

/** By their ids; empty where they are the same. */
function geofenceDifferences(before, after) {
  const texts = (config) => new Map((config?.geofences?.features ?? []).map((fence) => [String(fence.properties?.id), JSON.stringify(fence)]));
  const [old, now] = [texts(before), texts(after)];
  const all = [...new Set([...old.keys(), ...now.keys()])].sort().filter((id) => old.get(id) !== now.get(id))
    .map((id) => `${id} ${!old.has(id) ? "added" : now.has(id) ? "changed" : "removed"}`);
  return all.length ? `geofences changed: ${all.join(", ")}` : "";
}

function differences(before, after) {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const shown = (value) => (value === undefined ? "the device's own" : JSON.stringify(value));
  return keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .map((key) => `${key}: ${shown(before[key])} → ${shown(after[key])}`);
}
