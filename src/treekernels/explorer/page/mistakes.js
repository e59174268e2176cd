// What the model predicts for all examples, against their labels.
import { count, el, heading, plural } from "./dom.js";
import { exampleItem, pager } from "./examples.js";
import { fill } from "./fill.js";
import { link, note } from "./route.js";

export const title = "Mistakes";

export function show(content, options, about) {
  const asked = { label: options.label || "", predicted: options.predicted || "", first: Number(options.first || 0) };
  const result = el("div", { "aria-live": "polite" });
  content.append(...heading("Mistakes", "Which classes the model confuses. Choose a cell to see its examples, beginning with those that the model was surest about."), result);

  function update() {
    note("mistakes", asked);
    fill(result, "mistakes", asked, answer => answer.regression ? values(answer) : [
      el("section", { class: "card" },
        el("h2", {}, `${(100 * answer.accuracy).toFixed(2)}% right`),
        el("p", { class: "quiet" }, `${plural(answer.wrong, "mistake")} in ${plural(answer.examples, "example")}. Rows are the true classes, and columns the predicted ones. The stronger the colour, the larger the share of the row.`),
        answer.left_out > 0 && el("p", { class: "quiet" }, `The table leaves out ${plural(answer.left_out, "rare class", "rare classes")}.`),
        matrix(answer)),
      el("section", { class: "card", "aria-label": "Examples" }, el("h2", {}, chosen(answer)),
        answer.rows.length ? el("ul", { class: "examples" }, answer.rows.map(row => exampleItem(row))) : el("p", { class: "quiet" }, "There are none."),
        pager(answer, answer.page, first => { asked.first = first; update(); })),
    ]);
  }

  function chosen(answer) {
    const number = plural(answer.count, "example");
    if (!asked.label && !asked.predicted) return `All mistakes: ${number}`;
    if (asked.label === asked.predicted) return `${asked.label}, predicted correctly: ${number}`;
    if (!asked.predicted) return `Labelled ${asked.label}: ${number}`;
    if (!asked.label) return `Taken for ${asked.predicted}: ${number}`;
    return `${asked.label}, taken for ${asked.predicted}: ${number}`;
  }

  function matrix(answer) {
    const names = answer.classes;
    const to = cell => link("mistakes", cell);
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Confusion matrix" }, el("table", { class: "matrix" },
      el("thead", {}, el("tr", {}, el("td"), names.map(name => el("th", { scope: "col", title: name }, name)),
        el("th", { scope: "col", class: "number" }, "precision"), el("th", { scope: "col", class: "number" }, "recall"), el("th", { scope: "col", class: "number" }, "examples"))),
      el("tbody", {}, names.map((name, row) => {
        const total = answer.table[row].reduce((sum, value) => sum + value, 0) || 1;
        const [precision, recall, support] = answer.by_class[row];
        return el("tr", {}, el("th", { scope: "row", title: name }, el("a", { href: to({ label: name }) }, name)),
          answer.table[row].map((value, column) => {
            const cell = el("a", {
              href: to({ label: name, predicted: names[column] }), class: value ? "" : "zero",
              "aria-label": `${name} taken for ${names[column]}: ${count(value)}`,
              "aria-current": asked.label === name && asked.predicted === names[column] ? "true" : null,
            }, count(value));
            cell.style.setProperty("--share", value ? (0.08 + 0.5 * value / total).toFixed(3) : "0");
            return el("td", { class: row === column ? "diagonal" : "" }, cell);
          }),
          el("td", { class: "side" }, precision.toFixed(3)), el("td", { class: "side" }, recall.toFixed(3)), el("td", { class: "side" }, count(support)));
      }))));
  }

  function values(answer) {
    return el("section", { class: "card" }, el("h2", {}, `The values are off by ${answer.error.toPrecision(3)} on average`),
      el("p", { class: "quiet" }, "The examples that are furthest off come first, and the margin is how far they are off."),
      el("ul", { class: "examples" }, answer.rows.map(row => exampleItem(row))), pager(answer, answer.page, first => { asked.first = first; update(); }));
  }
  update();
}
