// Who is let in: people, devices, codes; and who has changed what.
import { ask, device, me } from "./api.js";
import { $, el, doing, notice, sure } from "./dom.js";
import { ago, timeElement } from "./time.js";
import { auditLog } from "./audit.js";
import { thisView } from "./view.js";

/** By their paths: what each list is shown as. The forms beside them stay, with what they say once. */
const lists = {
  "/v1/operators": peopleTable, "/v1/tokens": tokenTable, "/v1/enrolment-codes": codeTable, "/v1/webhooks": hookTable,
  "/v1/audit": auditLog,
};
let places = {};

export async function adminView() {
  const isShown = thisView();
  places = Object.fromEntries(Object.keys(lists).map((path) => [path, el("div", {})]));
  await loadLists(isShown);
  if (!isShown()) return;
  $("side").replaceChildren(el("div", { class: "body" },
    el("h2", {}, "People"), places["/v1/operators"], addPerson(),
    el("h2", {}, "Tokens of devices"), issueToken(), places["/v1/tokens"],
    el("h2", {}, "Enrolment codes"), makeCode(), places["/v1/enrolment-codes"],
    el("h2", {}, "Webhooks and mails"), addHook(), places["/v1/webhooks"],
    el("h2", {}, "What was changed"), places["/v1/audit"]));
}

async function loadLists(isShown) {
  const paths = Object.keys(lists);
  const found = await Promise.all(paths.map((path) => ask(path)));
  if (!isShown()) return;
  paths.forEach((path, index) => places[path].replaceChildren(lists[path](found[index])));
}

const table = (heads, rows) => (rows.length === 0 ? el("p", { class: "detail" }, "None.")
  : el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, heads.map((head) => el("th", {}, head)))), el("tbody", {}, rows))));
const line = (...cells) => el("tr", {}, cells.map((cell) => el("td", {}, cell)));
const change = (question, work) => sure(question, () => thenAnew(work));

/** Shows what has become of it in all lists, unless the page has been left meanwhile. */
async function thenAnew(work) {
  const isShown = thisView();
  await work();
  await loadLists(isShown);
}

/** A secret that nobody can be told again stands on the page until it is left. */
const secret = (label, text) => el("p", { class: "secret" }, `${label}: `, el("code", {}, text));

// MARK: People

const roles = ["viewer", "operator", "admin"];

function peopleTable(people) {
  return table(["Name", "Role", "Last login", "", ""], people.map(({ name, role, last_login: last }) => line(
    name,
    el("select", {
      "aria-label": `Role of ${name}`, value: role,
      onchange: doing(async (event) => {
        await thenAnew(() => ask(`/v1/operators/${encodeURIComponent(name)}`, { method: "PATCH", body: { role: event.target.value } }));
        notice(`${name} is ${event.target.value} now, and has to log in again.`);
      }),
    }, roles.map((each) => el("option", { value: each, selected: each === role }, each))),
    ago(last), passwordOf(name),
    el("button", { onclick: change(`Remove ${name}?`, () => ask(`/v1/operators/${encodeURIComponent(name)}`, { method: "DELETE" })) }, "Remove"))));
}

/** Of another one; who changes his own says the old one, and keeps his session. */
function passwordOf(name) {
  if (name === me.name) return el("a", { href: "#/password" }, "Password");
  const form = el("form", {
    class: "tools",
    onsubmit: doing(async () => {
      await thenAnew(() => ask(`/v1/operators/${encodeURIComponent(name)}`, { method: "PATCH", body: { password: form.elements.password.value } }));
      notice(`${name} has a new password, and has to log in again.`);
    }),
  },
  el("input", {
    name: "password", type: "password", placeholder: "12 characters at least", "aria-label": `New password of ${name}`,
    required: true, autocomplete: "new-password",
  }),
  el("button", {}, "Set"));
  return el("details", {}, el("summary", {}, "Password"), form);
}

function addPerson() {
  const form = el("form", {
    class: "tools",
    onsubmit: doing(async () => {
      const { name, role, password } = form.elements;
      await thenAnew(() => ask("/v1/operators", { method: "POST", body: { name: name.value, role: role.value, password: password.value } }));
      form.reset();
    }),
  },
  el("input", { name: "name", placeholder: "Name", "aria-label": "Name", required: true, autocomplete: "off" }),
  el("select", { name: "role", "aria-label": "Role" }, roles.map((each) => el("option", { value: each }, each))),
  el("input", { name: "password", type: "password", placeholder: "Password, 12 characters", "aria-label": "Password", required: true, autocomplete: "new-password" }),
  el("button", { class: "main" }, "Add"));
  return form;
}

// MARK: Devices

function tokenTable(tokens) {
  return table(["Device", "No.", "Came about", "Last used", ""], tokens.map((token) => line(
    token.device, String(token.number), [`${token.source} `, ago(token.issued)], ago(token.last_used),
    el("button", {
      onclick: change(`End token ${token.number} of ${token.device}?`, () => ask(device(token.device, `/tokens/${token.number}`), { method: "DELETE" })),
    }, "End"))));
}

function issueToken() {
  const place = el("div", {});
  const form = el("form", {
    class: "tools",
    onsubmit: doing(async () => {
      await thenAnew(async () => {
        const issued = await ask(device(form.elements.device.value, "/tokens"), { method: "POST" });
        place.replaceChildren(secret(`Token of ${issued.device}, shown once`, issued.token));
      });
    }),
  }, el("input", { name: "device", placeholder: "Device", "aria-label": "Device", required: true }), el("button", { class: "main" }, "Issue a token"));
  return el("div", {}, form, place);
}

function codeTable(codes) {
  return table(["No.", "For", "State", "Until", ""], codes.map((code) => line(
    String(code.number), code.name ?? "any", code.device ? `${code.state} by ${code.device}` : code.state, timeElement(code.expires),
    el("button", { onclick: change(`Delete code ${code.number}?`, () => ask(`/v1/enrolment-codes/${code.number}`, { method: "DELETE" })) }, "Delete"))));
}

function makeCode() {
  const place = el("div", {});
  const form = el("form", {
    class: "tools",
    onsubmit: doing(async () => {
      const name = form.elements.device.value.trim();
      await thenAnew(async () => {
        const made = await ask("/v1/enrolment-codes", { method: "POST", body: name ? { for: name } : {} });
        place.replaceChildren(secret("Code, shown once", made.codes[0]));
      });
    }),
  }, el("input", { name: "device", placeholder: "For any device", "aria-label": "Device" }), el("button", { class: "main" }, "Make a code"));
  return el("div", {}, form, place);
}

// MARK: Webhooks

const kinds = ["geofence", "trip", "warning", "silence"];

function hookTable(hooks) {
  return table(["No.", "To", "Of", "Delivered", "Waiting", ""], hooks.map((hook) => line(
    String(hook.number), hook.target, hook.events.join(", "),
    [`${hook.delivered}`, hook.given_up ? `, ${hook.given_up} given up` : ""],
    [`${hook.waiting}`, hook.last_failure ? `: ${hook.last_failure}` : ""],
    el("button", { onclick: change(`Remove webhook ${hook.number}, and what waits for it?`, () => ask(`/v1/webhooks/${hook.number}`, { method: "DELETE" })) }, "Remove"))));
}

function addHook() {
  const place = el("div", {});
  const form = el("form", {
    class: "tools",
    onsubmit: doing(async () => {
      const events = kinds.filter((kind) => form.elements[kind].checked);
      await thenAnew(async () => {
        const made = await ask("/v1/webhooks", { method: "POST", body: { target: form.elements.target.value, events } });
        place.replaceChildren(secret("Secret that signs what it sends, shown once", made.secret));
      });
    }),
  }, el("input", { name: "target", placeholder: "https://… or mailto:…", "aria-label": "To", required: true }),
  kinds.map((kind) => el("label", {}, el("input", { type: "checkbox", name: kind, checked: true }), kind)),
  el("button", { class: "main" }, "Add"));
  return el("div", {}, form, place);
}
