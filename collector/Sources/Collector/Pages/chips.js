// The problems of the fleet in the head, counted: each a button that shows the vehicles of that problem alone.
import { el, words } from "./dom.js";

export const severities = ["", "notice", "warning", "alarm"];

/** A chip stays the same element, so that a key or a click that is under way reaches it. */
const chips = new Map();
const total = el("span", { class: "total" });

/**
 * - Parameters:
 *   - chosen: the problem that is shown alone. Its chip stays, also at 0: it is what shows all again.
 *   - choose: is given the problem whose chip was pressed.
 */
export function showChips(place, vehicles, chosen, choose) {
  // Under a hand nothing moves, and nothing goes.
  const isHeld = place.querySelector("button:hover, button:focus, button:active") !== null;
  const counts = countsOf(vehicles);
  for (const problem of counts.keys()) if (!chips.has(problem)) chips.set(problem, newChip(problem, choose));
  for (const [problem, chip] of chips) {
    const { count, severity } = counts.get(problem) ?? { count: 0, severity: 1 };
    if (count === 0 && problem !== chosen && !isHeld) chips.delete(problem);
    Object.assign(chip, { count, severity });
    chip.className = `chip ${severities[severity]}`;
    chip.setAttribute("aria-pressed", String(problem === chosen));
    show(chip, `${count} ${words(problem)}`);
  }
  show(total, `${vehicles.length} ${vehicles.length === 1 ? "vehicle" : "vehicles"}`);
  const order = [...chips.values()];
  if (!isHeld) order.sort((one, other) => other.severity - one.severity || other.count - one.count);
  const wanted = [total, ...order];
  if (isHeld) place.append(...wanted.filter((each) => each.parentNode !== place));
  else if (wanted.length !== place.children.length || wanted.some((each, index) => each !== place.children[index])) {
    place.replaceChildren(...wanted);
  }
}

function countsOf(vehicles) {
  const counts = new Map();
  for (const { problems, severity } of vehicles) {
    for (const problem of problems) {
      const found = counts.get(problem) ?? { count: 0, severity: 1 };
      found.count += 1;
      // A vehicle's is that of its first, which is the worst.
      if (problem === problems[0]) found.severity = Math.max(found.severity, severity);
      counts.set(problem, found);
    }
  }
  return counts;
}

const newChip = (problem, choose) => el("button", { onclick: () => choose(problem) });

function show(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
