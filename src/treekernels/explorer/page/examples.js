// Lists of examples, the same in all views.
import { chip, count, el } from "./dom.js";
import { link } from "./route.js";

export function exampleItem(row, ...more) {
  const wrong = row.predicted !== undefined && row.label !== null && row.predicted !== row.label;
  return el("li", {},
    el("div", { class: "row" },
      el("a", { class: "where", href: link("tree", { row: row.row }) }, row.place),
      row.label !== null && chip(row.label, row.predicted === undefined ? "" : wrong ? "" : "right"),
      wrong && el("span", { class: "quiet" }, "taken for"), wrong && chip(row.predicted, "wrong"),
      row.margin !== undefined && row.margin !== null && el("span", { class: "quiet number" }, `margin ${row.margin.toFixed(2)}`)),
    el("p", { class: "text" }, row.text), more);
}

export function pager(answer, size, turn) {
  if (answer.count <= size) return null;
  const last = Math.min(answer.first + size, answer.count);
  return el("div", { class: "row pager" },
    el("button", { type: "button", disabled: answer.first === 0, onclick: () => turn(Math.max(0, answer.first - size)) }, "Previous"),
    el("span", { class: "quiet number" }, `${count(answer.first + 1)} to ${count(last)} of ${count(answer.count)}`),
    el("button", { type: "button", disabled: last >= answer.count, onclick: () => turn(answer.first + size) }, "Next"));
}
