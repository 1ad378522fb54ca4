// Which view is shown. What comes for one that has been left draws nothing: map, timeline and side belong to the next.

let shown = Symbol();

/** Another view begins. */
export const nextView = () => { shown = Symbol(); };

/** Asked before a view waits for anything; the result tells whether it is still the one that is shown. */
export function thisView() {
  const mine = shown;
  return () => shown === mine;
}

/** What stands behind ? in the address of a view. */
export const query = () => new URLSearchParams(location.hash.split("?")[1] ?? "");

/** The address of a view with what is set. */
export function addressOf(view, values) {
  const text = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== "" && value !== undefined)).toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

/** The address says what is shown, so that it can be kept and sent; the view stays. */
export function setQuery(values) {
  const view = location.hash.replace(/^#\/?/, "").split("?")[0];
  history.replaceState(null, "", addressOf(view, values));
}
