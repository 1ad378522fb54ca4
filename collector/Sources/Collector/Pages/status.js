// The last status of a vehicle, as it came.
import { ask, device } from "./api.js";
import { el, words } from "./dom.js";
import { ago, timeElement } from "./time.js";

export async function statusView(name, body) {
  const found = await ask(device(name));
  const { status, status_received: received, records, first_time: first, last_time: last, conflicts } = found;
  const facts = el("dl", {},
    el("dt", {}, "Records"), el("dd", {}, String(records), first ? [", from ", timeElement(first), " to ", timeElement(last)] : ""),
    conflicts ? [el("dt", {}, "Refused"), el("dd", {}, `${conflicts} with the identity of other records: do two devices share this name and a copied queue?`)] : [],
    el("dt", {}, "Status"), el("dd", {}, received ? ["received ", ago(received)] : "none yet"));
  body.replaceChildren(facts, status ? tree(status) : el("span"));
}

/** Groups as sections, values as rows. */
function tree(object) {
  const isGroup = ([, value]) => value !== null && typeof value === "object";
  const all = Object.entries(object);
  const rows = all.filter((entry) => !isGroup(entry)).map(([key, value]) => [el("dt", {}, words(key)), el("dd", {}, shown(value))]);
  const groups = all.filter(isGroup).map(([key, value]) => el("details", {}, el("summary", {}, words(key)), tree(value)));
  return el("div", { class: "tree" }, rows.length ? el("dl", {}, rows) : null, groups);
}

const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const shown = (value) => (isTime.test(value) ? timeElement(value) : String(value));
