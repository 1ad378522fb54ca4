// What is there of a vehicle, and its last status as it came.
import { ask, device } from "./api.js";
import { el, words } from "./dom.js";
import { ago, timeElement } from "./time.js";
import { recordFacts, recordForms } from "./records.js";

export async function statusView(name, body) {
  const show = async () => {
    const found = await ask(device(name));
    const { status, status_received: received } = found;
    const facts = el("dl", {}, recordFacts(found),
      el("dt", {}, "Status"), el("dd", {}, received ? ["received ", ago(received)] : "none yet"));
    body.replaceChildren(...[facts, recordForms(found, show), status && tree(status)].filter(Boolean));
  };
  await show();
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
