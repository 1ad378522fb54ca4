// A form of the settings that a server may set, made from the agent's own schema.
import { ask } from "./api.js";
import { el, words } from "./dom.js";
import { draftNote, draftOf, keepDraft } from "./drafts.js";

let known = null;

/** What may be set, as /v1/settings has it. */
export async function settingsKnown() {
  known ??= await ask("/v1/settings");
  return known;
}

const units = {
  s: "seconds", m: "metres", ms: "milliseconds", mps: "m/s", mps2: "m/s²", v: "volts", deg: "degrees", kb: "kB", mb: "MB",
};

function unit(key) {
  const end = key.split("_").pop();
  return key.includes("_") ? units[end] ?? "" : "";
}

/** The sentence that says what a program may do is for programs. */
const description = (setting) => setting.description.replace(/ The server may set it too \(docs\/remote\.md\)\.$/, "");

/**
 * - Parameters:
 *   - values: what is set now, by key.
 *   - canEdit: who may look alone gets the same, and cannot change it.
 *   - what: whose changes they are; they are kept under it until they are sent.
 * - Returns: the element; `read()` gives all values that are set, `saved()` says that they are now, and `show(problems)`
 *   marks what the collector finds wrong.
 */
export async function settingsForm(values, canEdit, what) {
  const settings = await settingsKnown();
  const fields = settings.map((setting) => new Field(setting, values[setting.key], canEdit));
  const note = draftNote(() => {
    for (const field of fields) field.put(field.before);
    keep();
  });
  const keep = () => {
    const changed = fields.filter((field) => field.isChanged());
    keepDraft(what, changed.length ? Object.fromEntries(changed.map((field) => [field.setting.key, field.input.value])) : undefined);
    note.show(changed.length > 0);
  };
  const draft = canEdit ? draftOf(what) ?? {} : {};
  for (const field of fields) if (field.setting.key in draft) field.put(draft[field.setting.key]);
  const groups = new Map();
  for (const field of fields) {
    const group = field.setting.key.includes(".") ? field.setting.key.split(".")[0] : "general";
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(field);
  }
  const sections = [...groups].map(([name, members]) => el("details", { open: members.some((field) => field.isSet() || field.isChanged()) },
    el("summary", {}, words(name), el("small", {}, ` ${members.filter((field) => field.isSet()).length || ""}`)),
    members.map((field) => field.element)));
  const search = el("input", {
    type: "search", id: "search", placeholder: "Find a setting", "aria-label": "Find a setting",
    oninput: () => {
      const text = search.value.toLowerCase();
      for (const [index, members] of [...groups.values()].entries()) {
        for (const field of members) field.element.hidden = !!text && !field.says(text);
        const found = members.some((field) => !field.element.hidden);
        sections[index].hidden = !found;
        if (text && found) sections[index].open = true;
      }
    },
  });
  // What this schema does not have stays as it is: a newer agent may know it.
  const others = Object.fromEntries(Object.entries(values).filter(([key]) => !settings.some((setting) => setting.key === key)));
  const read = () => ({
    ...others, ...Object.fromEntries(fields.filter((field) => field.isSet()).map((field) => [field.setting.key, field.value()])),
  });
  const element = el("div", { class: "settings", oninput: (event) => { if (event.target !== search) keep(); } },
    search, note.element, sections);
  keep();
  return {
    element, read,
    saved: () => {
      for (const field of fields) field.saved();
      keep();
    },
    show: (problems) => {
      for (const field of fields) field.show(problems.find((problem) => problem.key === field.setting.key)?.problem ?? "");
    },
  };
}

class Field {
  constructor(setting, value, canEdit) {
    this.setting = setting;
    this.before = value === undefined ? "" : Field.text(value);
    this.input = this.#input(canEdit);
    this.input.value = this.before;
    this.problem = el("span", { class: "problem", role: "alert" });
    const range = setting.minimum === undefined ? "" : `${setting.minimum} to ${setting.maximum}`;
    this.element = el("label", { class: "setting" },
      el("span", { class: "name" }, words(setting.key.split(".").pop()), el("code", {}, setting.key)),
      this.input,
      el("span", { class: "detail" }, [unit(setting.key), range].filter(Boolean).join(", ")),
      el("span", { class: "detail doc" }, description(setting)),
      this.problem);
    this.#mark();
    this.input.addEventListener("input", () => this.#mark());
  }

  static text(value) {
    return Array.isArray(value) ? value.join("\n") : String(value);
  }

  #input(canEdit) {
    const { type, choices, minimum, maximum } = this.setting;
    const standard = this.setting.default === undefined ? "" : Field.text(this.setting.default);
    const placeholder = standard === "" ? "the device's own" : `the device's own (usual: ${standard})`;
    if (choices || type === "boolean") {
      const names = choices ?? ["true", "false"];
      return el("select", { disabled: !canEdit }, el("option", { value: "" }, placeholder), names.map((name) => el("option", { value: name }, name)));
    }
    if (type === "array") return el("textarea", { rows: 3, disabled: !canEdit, placeholder: `${placeholder}; one a line` });
    const isNumber = type === "number" || type === "integer";
    return el("input", {
      type: isNumber ? "number" : "text", step: type === "integer" ? 1 : "any", min: minimum, max: maximum, placeholder,
      disabled: !canEdit,
    });
  }

  put(text) {
    this.input.value = text;
    this.#mark();
  }

  isSet() { return this.input.value.trim() !== ""; }
  isChanged() { return this.input.value.trim() !== this.before; }
  says(text) { return `${this.setting.key} ${this.setting.description}`.toLowerCase().includes(text); }

  value() {
    const text = this.input.value.trim();
    switch (this.setting.type) {
      case "number": case "integer": return Number(text);
      case "boolean": return text === "true";
      case "array": return text.split("\n").map((line) => line.trim()).filter(Boolean);
      default: return text;
    }
  }

  saved() {
    this.before = this.input.value.trim();
    this.#mark();
  }

  show(problem) {
    this.problem.textContent = problem;
    this.input.setAttribute("aria-invalid", String(!!problem));
    if (problem) this.element.closest("details").open = true;
  }

  #mark() {
    this.element.classList.toggle("set", this.isSet());
    this.element.classList.toggle("changed", this.isChanged());
  }
}

/** Asks the collector what is wrong with values, and shows it. - Returns: whether nothing is. */
export async function isFit(form) {
  const { problems } = await ask("/v1/settings/check", { method: "POST", body: { settings: form.read() } });
  form.show(problems);
  if (problems.length) throw new Error(`Not sent: ${problems.map(({ key, problem }) => `${key} ${problem}`).join("; ")}`);
  return true;
}
