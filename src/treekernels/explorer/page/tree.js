// One example: what the model predicts, and the evidence for and against it.
import { chip, el, fragmentPicture, heading, meter, picture, weight } from "./dom.js";
import { fill, working } from "./fill.js";
import { link, note } from "./route.js";
import { TreeInput } from "./tree-input.js";

export const title = "Tree", titleOfPairs = "Pair";
const FEW = 10;

export function show(content, options, about) {
  let class_ = options.class || "", all = false, last = null, waiting = 0;
  if (options.row === undefined && options.tree === undefined && options.tree1 === undefined && about.data?.examples)
    options = { ...options, row: "0" };
  const input = new TreeInput(about, options, () => update());
  const verdict = el("section", { class: "card", "aria-live": "polite", "aria-label": "Prediction" });
  const below = el("div", { class: "stack" });
  content.append(...heading(about.model.pairs ? "A sentence pair" : "A tree", about.model.pairs
    ? "Write a sentence pair, or choose one from the data. The model answers as you type. Equal placeholders have the same colour."
    : "Write a tree, paste code, or choose an example. The model answers as you type, and the drawing shows which parts decided."),
    el("div", { class: "grid" }, el("section", { class: "card", "aria-label": "What you write" }, input.element), verdict), below);

  function update() {
    note("tree", { ...input.options(), class: class_ });
    if (input.empty) {
      verdict.replaceChildren(el("p", { class: "quiet" }, "Write a tree to see what the model predicts."));
      below.replaceChildren();
      return;
    }
    ask();
  }

  function ask() {
    fill(verdict, "prediction", { ...input.question(), class: class_ }, answer => {
      last = answer;
      clearTimeout(waiting);
      if (answer.explaining && answer.explaining.state !== "cancelled") waiting = setTimeout(() => ask(), 500);
      if (answer.row !== undefined) input.take(answer.trees);
      below.replaceChildren(...[drawn(answer), reasons(answer)].flat().filter(Boolean));
      return said(answer);
    });
  }

  function said(answer) {
    const known = answer.label !== undefined && answer.label !== null;
    const right = answer.label === answer.predicted;
    return [
      el("p", { class: "quiet" }, "The model predicts"),
      el("p", { class: "verdict" }, answer.predicted),
      answer.place && el("p", { class: "quiet" }, answer.place, known && ", labelled ",
        known && chip(answer.label, !about.model.classes ? "" : right ? "right" : "wrong")),
      scores(answer),
      answer.notes.map(text => el("p", { class: "note" }, text)),
      el("div", { class: "row pager" },
        about.data && el("a", { class: "button", href: link("nearest", input.options()) }, "Nearest examples"),
        !about.model.pairs && el("a", { class: "button", href: link("compare", { a: answer.trees[about.model.columns[0]] }) }, "Compare with another")),
    ];
  }

  function scores(answer) {
    if (!answer.scores.length) return null;
    const sorted = [...answer.scores].sort((one, other) => other.score - one.score);
    const shown = all ? sorted : sorted.slice(0, FEW);
    const largest = Math.max(...sorted.map(one => Math.abs(one.score))) || 1;
    return [
      el("ul", { class: "scores", "aria-label": "Scores of all classes" }, shown.map(one => {
        const bar = el("i", { class: one.score >= 0 ? "for" : "against" });
        bar.style.width = `${50 * Math.abs(one.score) / largest}%`;
        return el("li", {}, el("button", {
          type: "button", "aria-pressed": String(one.class === answer.class), title: `Show the evidence for and against ${one.class}`,
          onclick: () => { class_ = one.class; update(); },
        }, el("span", { class: "name" }, one.class), el("span", { class: "axis", "aria-hidden": "true" }, bar), el("span", { class: "value" }, weight(one.score))));
      })),
      sorted.length > FEW && el("button", { type: "button", class: "plain", onclick: () => { all = !all; verdict.replaceChildren(...said(last).flat(3).filter(Boolean)); } },
        all ? "Show fewer" : `Show all ${sorted.length} classes`),
    ];
  }

  function drawn(answer) {
    const colours = answer.fragments.length > 0;
    return el("section", { class: "card", "aria-label": "Drawing" },
      el("h2", {}, about.model.pairs ? "The pair" : answer.class ? `Evidence for and against ${answer.class}` : "What decides"),
      !about.model.pairs && colours && el("p", { class: "quiet" }, el("span", { class: "key" }), " for, ", el("span", { class: "key against" }),
        " against: each node shows its share of the weight of the strongest fragments. Hover over a node to see the number."),
      answer.pictures.map(one => [answer.pictures.length > 1 && el("h3", {}, one.column), picture(one.svg, one.column || "Tree")]));
  }

  function reasons(answer) {
    if (answer.explaining) return el("section", { class: "card" }, working(answer.explaining, ask));
    if (!answer.fragments.length) return null;
    const largest = Math.max(...answer.fragments.map(one => Math.abs(one.weight)));
    const side = (name, kind, listed) => el("section", { class: "card", "aria-label": name }, el("h2", {}, name),
      listed.length ? el("ul", { class: "reasons" }, listed.slice(0, 8).map(one => el("li", {},
        el("div", { class: "weight" }, meter(Math.abs(one.weight) / largest, kind), weight(one.weight), one.kind && el("div", { class: "quiet" }, one.kind), one.on && el("div", { class: "quiet" }, one.on)),
        el("div", {}, fragmentPicture(one.pictures, one.text),
          about.data && el("a", { class: "quiet", href: link("fragments", { open: one.key }) }, "Where else?"))))) : el("p", { class: "quiet" }, "Nothing."));
    const word = answer.class ? ` ${answer.class}` : "";
    return el("div", { class: "grid" },
      side(`For${word}`, "", answer.fragments.filter(one => one.weight > 0)),
      side(`Against${word}`, "against", answer.fragments.filter(one => one.weight < 0)));
  }

  update();
  return () => clearTimeout(waiting);
}
