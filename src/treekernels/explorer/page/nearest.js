// The examples that are most like another one.
import { chip, el, heading, later, meter, picture, plural } from "./dom.js";
import { fill } from "./fill.js";
import { link, note } from "./route.js";
import { TreeInput } from "./tree-input.js";

export const title = "Nearest";

export function show(content, options, about) {
  if (options.row === undefined && options.tree === undefined && options.tree1 === undefined && about.data?.examples) options = { ...options, row: "0" };
  const input = new TreeInput(about, options, () => update());
  const kernel = el("input", { type: "text", value: options.kernel || "", placeholder: "the model’s own", spellcheck: "false", oninput: later(350, () => update()) });
  const result = el("section", { class: "card", "aria-label": "Nearest examples", "aria-live": "polite" });
  const own = el("section", { class: "card", "aria-label": "The tree" });
  content.append(...heading("Nearest examples", "The examples most similar to a tree, exactly as a kernel measures it: 1 means that they are equal, and 0 that they share nothing."),
    el("div", { class: "grid" },
      el("section", { class: "card", "aria-label": "Query" }, input.element, !about.model.pairs && el("label", { class: "field pager" }, "Kernel", kernel)), own),
    result);

  function update() {
    note("nearest", { ...input.options(), kernel: kernel.value });
    if (input.empty) { result.replaceChildren(el("p", { class: "quiet" }, about.data ? "Write a tree to search for." : "There are no data to search.")); return; }
    fill(result, "nearest", { ...input.question(), kernel: kernel.value }, answer => {
      if (input.row !== null) input.take(answer.trees);
      own.replaceChildren(...[el("h2", {}, answer.place || "What you wrote", answer.label !== null && " ", answer.label !== null && chip(answer.label)),
        ...answer.pictures.map(one => picture(one))].filter(Boolean));
      const text = answer.trees[about.model.columns[0]];
      return [
        el("h2", {}, `Nearest of ${plural(answer.examples, "example")}`),
        answer.votes.length > 0 && el("p", { class: "row" }, el("span", { class: "quiet" }, "Their labels:"), answer.votes.slice(0, 8).map(([label, number]) => chip(`${label} ${number}`))),
        el("ul", { class: "hits" }, answer.rows.map(row => el("li", {},
          el("div", {}, el("div", { class: "similarity" }, row.similarity.toFixed(4)), meter(row.similarity),
            el("div", { class: "row pager" }, el("a", { href: link("tree", { row: row.row }) }, row.place), row.label !== null && chip(row.label)),
            row.same ? el("p", { class: "note" }, "This is the tree itself.") : !about.model.pairs && el("a", { class: "quiet", href: link("compare", { a: text, brow: row.row, kernel: kernel.value }) }, "Compare")),
          el("div", {}, row.pictures.map(one => picture(one, `Example at ${row.place}`)))))),
      ];
    });
  }
  update();
}
