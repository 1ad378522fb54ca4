// What was changed in a form and not sent yet: it outlasts a look at another tab, and goes with the page.
import { me } from "./api.js";
import { el } from "./dom.js";

const drafts = new Map();
/** Another person who logs in on the same page has none of it. */
const keyOf = (what) => JSON.stringify([me.name, what]);

export const draftOf = (what) => drafts.get(keyOf(what));

/** - Parameter draft: undefined for none. */
export function keepDraft(what, draft) {
  if (draft === undefined) drafts.delete(keyOf(what));
  else drafts.set(keyOf(what), draft);
}

/**
 * Says that there is something that was not sent.
 * - Parameter drop: shows what there is without it.
 * - Returns: the element, and `show(isThere)`.
 */
export function draftNote(drop) {
  const element = el("p", { class: "draft", role: "status", hidden: true },
    "Changed here and not sent yet. ", el("button", { type: "button", onclick: drop }, "Drop the changes"));
  return { element, show: (isThere) => { element.hidden = !isThere; } };
}
