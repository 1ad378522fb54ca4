// Makes elements. Text is always text: nothing that a device has sent becomes markup.

/** el("button", { class: "x", onclick: f, hidden: true }, "Save") */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  const there = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...there.map((child) => (child instanceof Node ? child : asText(child))));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** As text, whatever a device has sent for one: not every object of JSON can be made a string. */
export const asText = (value) => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? ""));

/** `no_sky` is shown as `no sky`. */
export const words = (name) => asText(name).replaceAll("_", " ");

/** Tells what happened, or went wrong, at the head of the page. */
export function notice(text, isBad = false) {
  const place = $("notice");
  place.textContent = text;
  place.className = isBad ? "bad" : "";
  place.hidden = !text;
}

/** Runs what a button does, and shows why it failed. */
export const doing = (work) => async (event) => {
  event?.preventDefault();
  const button = event?.submitter ?? event?.currentTarget;
  if (button?.disabled) return;
  if (button) button.disabled = true;
  try {
    notice("");
    await work(event);
  } catch (error) {
    notice(error.message, true);
  } finally {
    if (button) button.disabled = false;
  }
};

/** A button that is not pressed by mistake: it asks first. */
export const sure = (question, work) => doing(async (event) => { if (confirm(question)) await work(event); });
