// Two trees: how similar they are under any kernel, what they share, and what has to be changed.
import { count, el, heading, later, meter, picture, plural } from "./dom.js";
import { fill } from "./fill.js";
import { note } from "./route.js";
import { TreeInput } from "./tree-input.js";

export const title = "Compare";
const KERNELS = ["sst", "sst(decay=0.2)", "ptk", "st", "subpath", "elastic", "0.5*sst + 0.5*ptk"];

export function show(content, options, about) {
  const sides = ["a", "b"].map(name => new TreeInput(about, { row: options[`${name}row`], [name]: options[name], way: options.way }, () => update(), { single: true, name, title: name === "a" ? "First tree" : "Second tree" }));
  if (about.data?.examples && sides[0].empty && sides[1].empty) { sides[0].row = 0; sides[1].row = Math.min(1, about.data.examples - 1); sides.forEach(side => side.showRow()); }
  const kernel = el("input", { type: "text", value: options.kernel || "", list: "kernels", placeholder: "every kernel", spellcheck: "false", oninput: later(250, () => update()) });
  const result = el("div", { class: "stack", "aria-live": "polite" });
  content.append(...heading("Compare two trees", "How similar they are under any kernel, what they share, and what has to be changed. Curves join nodes that match."),
    el("div", { class: "grid" }, sides.map((side, place) => el("section", { class: "card", "aria-label": place ? "Second tree" : "First tree" }, el("h2", {}, place ? "Second tree" : "First tree"), side.element))),
    el("section", { class: "card" }, el("label", { class: "field" }, "Kernel: an expression such as 0.5*sst + 0.5*ptk(0.3); separate several with semicolons", kernel),
      el("datalist", { id: "kernels" }, KERNELS.map(value => el("option", { value })))),
    result);
  result.style.marginTop = "20px";

  function update() {
    note("compare", { ...sides[0].options(), ...sides[1].options(), kernel: kernel.value });
    if (sides.some(side => side.empty)) { result.replaceChildren(el("p", { class: "quiet" }, "Write both trees.")); return; }
    fill(result, "comparison", { a: sides[0].single(), b: sides[1].single(), kernel: kernel.value }, answer => {
      sides.forEach((side, place) => { if (side.row !== null) side.take({ [about.model.columns[0]]: answer.trees[place] }); });
      const joined = picture(answer.picture, "Both trees, with nodes that match joined");
      joined.classList.add("joined");
      const point = (number, on) => {
        joined.classList.toggle("some", on);
        for (const path of joined.querySelectorAll("path.link")) path.classList.toggle("on", on && path.dataset.group === String(Math.min(number, 6)));
      };
      return [
        el("section", { class: "card" }, el("h2", {}, "Both trees"), joined, answer.note && el("p", { class: "note" }, answer.note)),
        el("section", { class: "card" }, el("h2", {}, answer.edits.steps.length ? `Edit distance ${Number(answer.edits.distance.toPrecision(6))}` : "Nothing to change"),
          el("p", { class: "quiet" }, "What has to be changed to make the second tree of the first: nodes that are deleted, renamed and inserted."),
          picture(answer.edits.picture, "Both trees, with what is edited in colour"),
          el("ul", { class: "mono" }, answer.edits.texts.map(text => el("li", {}, text))),
          answer.edits.steps.length > answer.edits.texts.length && el("p", { class: "quiet" }, `and ${count(answer.edits.steps.length - answer.edits.texts.length)} more`)),
        el("div", { class: "grid" },
          el("section", { class: "card" }, el("h2", {}, "Similarity"), el("div", { class: "scroll" }, el("table", {},
            el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Kernel"), el("th", { scope: "col", class: "number" }, "Value"), el("th", { scope: "col", class: "number" }, "Normalised"), el("th", { scope: "col" }))),
            el("tbody", {}, answer.similarities.map(one => el("tr", {},
              el("td", {}, el("div", { class: "mono" }, one.kernel), one.counts && el("div", { class: "quiet" }, one.counts)),
              el("td", { class: "number" }, one.value === null ? "too large" : Number(one.value.toPrecision(5)).toString()),
              el("td", { class: "number" }, one.normalized.toFixed(4)),
              el("td", { class: "similarity-bar" }, meter(one.normalized)))))))),
          el("section", { class: "card" }, el("h2", {}, `${plural(answer.count, "shared fragment")}`),
            el("p", { class: "quiet" }, "The largest fragments of the subset-tree kernel. Hover over one to see where it is."),
            el("ul", { class: "shared" }, answer.shared.map((one, place) => el("li", {}, el("button", {
              type: "button", "aria-label": `Shared fragment ${one.text}`,
              onmouseenter: () => point(place + 1, true), onmouseleave: () => point(place + 1, false),
              onfocus: () => point(place + 1, true), onblur: () => point(place + 1, false),
            }, el("span", { class: `dot g${Math.min(place, 5)}` }),
              el("span", { class: "quiet number" }, Number(one.weight.toPrecision(3)).toString(), one.places > 1 && ` (${count(one.places)}×)`),
              picture(one.picture, one.text, "left"))))))),
      ];
    });
  }
  update();
}
