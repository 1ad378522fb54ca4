// Which view is shown. What comes for one that has been left draws nothing: map, timeline and side belong to the next.

let shown = Symbol();

/** Another view begins. */
export const nextView = () => { shown = Symbol(); };

/** Asked before a view waits for anything; the result tells whether it is still the one that is shown. */
export function thisView() {
  const mine = shown;
  return () => shown === mine;
}
