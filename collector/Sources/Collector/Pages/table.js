// A table that is sorted by a click on a column's head, with sums at its foot.
import { el } from "./dom.js";

const pageSize = 200;

/**
 * - Parameters:
 *   - columns: each `{ key, title, show(row), sort(row), isNumber }`; `sort` gives a number or a text, or nothing.
 *   - order: the key that rows are sorted by, with - before it for the largest first; empty: as they are.
 *   - choose: is given the new order.
 *   - sums: by key, what stands at the foot.
 */
export function dataTable({ columns, rows, order, choose, sums = {}, empty = "Nothing." }) {
  const body = el("tbody", {});
  let shown = pageSize;
  const sorted = sortedBy(order, columns, rows);
  const cell = (column, content, tag = "td") => el(tag, { class: column.isNumber ? "number" : "" }, content);
  const fill = () => {
    body.replaceChildren(...sorted.slice(0, shown).map((row) => el("tr", {}, columns.map((column) => cell(column, column.show(row))))));
    if (sorted.length > shown) {
      body.append(el("tr", {}, el("td", { colspan: columns.length },
        el("button", { onclick: () => { shown += 5 * pageSize; fill(); } }, `${sorted.length - shown} more`))));
    }
    if (rows.length === 0) body.append(el("tr", {}, el("td", { colspan: columns.length, class: "empty" }, empty)));
  };
  fill();
  const head = columns.map((column) => {
    const [isUp, isDown] = [order === column.key, order === `-${column.key}`];
    return el("th", { scope: "col", class: column.isNumber ? "number" : "", "aria-sort": isUp ? "ascending" : isDown ? "descending" : false },
      el("button", {
        class: "plain", onclick: () => choose(isDown ? column.key : isUp || column.isNumber ? `-${column.key}` : column.key),
      }, column.title, isUp ? " ▲" : isDown ? " ▼" : ""));
  });
  const foot = Object.keys(sums).length && rows.length > 1
    ? el("tfoot", {}, el("tr", {}, columns.map((column, index) => cell(column, sums[column.key] ?? (index ? "" : `Sum of ${rows.length}`), index ? "td" : "th"))))
    : null;
  return el("div", { class: "wide" }, el("table", { class: "data" }, el("thead", {}, el("tr", {}, head)), body, foot));
}

/** Rows without a value come last, whichever way. */
function sortedBy(order, columns, rows) {
  const column = columns.find(({ key }) => key === order.replace(/^-/, ""));
  if (!column) return rows;
  const sign = order.startsWith("-") ? -1 : 1;
  const isNone = (value) => value === undefined || value === null || value === "";
  return rows.map((row) => [column.sort(row), row]).sort(([one], [other]) => {
    if (isNone(one) || isNone(other)) return isNone(one) - isNone(other);
    return sign * (typeof one === "number" ? one - other : String(one).localeCompare(String(other), undefined, { numeric: true }));
  }).map(([, row]) => row);
}
