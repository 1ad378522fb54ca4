// Who has changed what, the newest first.
import { ask } from "./api.js";
import { el, doing } from "./dom.js";
import { timeElement } from "./time.js";
import { vehicles } from "./fleet.js";

/** The collector gives at most so many at once. */
const pageSize = 200;

const outcome = (status) => (status === undefined ? "nobody knows: the collector ended" : status < 300 ? "done" : `refused, ${status}`);
const row = ({ time, who, action, status }) => el("tr", {},
  [timeElement(time), who, el("code", {}, action), outcome(status)].map((cell) => el("td", {}, cell)));

/** - Parameter entries: the newest, of all devices. */
export function auditLog(entries) {
  const rows = el("tbody", {});
  const none = el("p", { class: "detail" }, "None.");
  const older = el("button", { onclick: doing(() => more(device, last)) }, "Older");
  let device = "";
  let last = null;

  async function more(name, before) {
    const query = [name && `device=${encodeURIComponent(name)}`, before !== null && `before=${before}`].filter(Boolean).join("&");
    const found = await ask(`/v1/audit?${query}`);
    if (before === null) rows.replaceChildren();
    device = name;
    add(found);
  }

  function add(found) {
    rows.append(...found.map(row));
    last = found.at(-1)?.number ?? last;
    older.hidden = found.length < pageSize;
    none.hidden = rows.children.length > 0;
  }

  const form = el("form", {
    class: "tools", role: "search", onsubmit: doing(() => more(form.elements.device.value.trim(), null)),
  },
  el("input", { name: "device", type: "search", placeholder: "All devices", "aria-label": "Of the device", list: "auditDevices" }),
  el("datalist", { id: "auditDevices" }, [...vehicles.keys()].map((value) => el("option", { value }))),
  el("button", {}, "Show"));
  add(entries);
  return el("div", { class: "audit" }, form, el("div", { class: "wide" }, el("table", {},
    el("thead", {}, el("tr", {}, ["When", "Who", "What", ""].map((head) => el("th", {}, head)))), rows)), none, older);
}
