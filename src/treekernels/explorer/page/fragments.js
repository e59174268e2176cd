// The fragments of the model, and the examples that contain one of them.
import { chip, count, el, fragmentPicture, heading, later, meter, picture, plural, weight } from "./dom.js";
import { pager } from "./examples.js";
import { fill, working } from "./fill.js";
import { link, note } from "./route.js";

export const title = "Fragments", titleOfPairs = "Rules";
const SORTS = { weight: "Weight", class: "Class", label: "Fragment", size: "Size" };

export function show(content, options, about) {
  const asked = { text: options.text || "", class: options.class || "", sort: SORTS[options.sort] ? options.sort : "weight",
    reverse: options.reverse === "1", first: Number(options.first || 0), open: options.open || "", label: options.label || "", from: Number(options.from || 0) };
  const rules = about.model.pairs;
  let alive = true, again = 0;
  const restart = later(200, () => { asked.first = 0; list(); });
  const search = el("input", { type: "search", value: asked.text, placeholder: rules ? "Labels of a rule" : "Labels, or part of a fragment", oninput: () => { asked.text = search.value; restart(); } });
  const classes = el("select", { onchange: () => { asked.class = classes.value; asked.first = 0; list(); } },
    el("option", { value: "" }, "Every class"), (about.model.classes || []).map(name => el("option", { value: name }, name)));
  classes.value = asked.class;
  const listed = el("div"), places = el("div"), status = el("div", { role: "status" });
  content.append(...heading(rules ? "Rewrite rules" : "Fragments", rules
    ? "The rules that count most in the model. Choose one to see the pairs that contain it."
    : "The parts of trees that count most in the model, each for its class. Choose one to see the examples that contain it."),
    el("div", { class: "split" },
      el("section", { class: "card", "aria-label": "List" },
        el("div", { class: "row" }, el("label", { class: "field grow" }, "Search", search),
          about.model.classes && el("label", { class: "field" }, "Counts for", classes)), listed, status),
      el("section", { class: "card sticky", "aria-label": "Places", "aria-live": "polite" }, places)));

  function list() {
    clearTimeout(again);
    note("fragments", asked);
    fill(listed, "fragments", asked, answer => { go(answer); return table(answer); });
  }

  // The search goes on meanwhile: the list is asked for again until it is complete.
  function go(answer) {
    status.replaceChildren(...[answer.job && working(answer.job, list)].filter(Boolean));
    clearTimeout(again);
    if (alive && answer.job && answer.job.state !== "cancelled") again = setTimeout(list, 500);
  }

  function table(answer) {
    if (!answer.count && answer.complete) return el("p", { class: "quiet pager" }, `No ${rules ? "rule" : "fragment"} with a positive weight matches.`);
    const head = el("tr", {}, Object.entries(SORTS).filter(([name]) => name !== "class" || about.model.classes).map(([name, text]) =>
      el("th", { scope: "col", "aria-sort": asked.sort === name ? (asked.reverse ? "ascending" : "descending") : null },
        el("button", { type: "button", "aria-pressed": String(asked.sort === name), onclick: () => {
          asked.reverse = asked.sort === name ? !asked.reverse : false; asked.sort = name; asked.first = 0; list();
        } }, text, asked.sort === name ? (asked.reverse ? " ↑" : " ↓") : ""))));
    const rows = answer.rows.map(one => el("tr", { "aria-selected": String(one.key === asked.open), "data-key": one.key, onclick: () => choose(one.key) },
      el("td", {}, el("span", { class: "number" }, weight(one.weight)), meter(one.weight / answer.largest)),
      about.model.classes && el("td", {}, chip(one.class)),
      el("td", {}, el("button", { type: "button", class: "open", "aria-label": `Show examples with ${one.text}` }, fragmentPicture(one.pictures, one.text)), one.kind && el("span", { class: "quiet" }, one.kind), one.on && el("span", { class: "quiet" }, one.on)),
      el("td", { class: "number" }, String(one.size))));
    return [el("div", { class: "scroll" }, el("table", { class: "fragments" }, el("thead", {}, head), el("tbody", {}, rows))),
      pager(answer, 25, first => { asked.first = first; list(); }),
      answer.complete && el("p", { class: "note" }, `The ${count(answer.count)} heaviest${asked.text ? " that match" : ""}, at most ${answer.most} for each class.`)];
  }

  function choose(key) {
    asked.open = key; asked.label = ""; asked.from = 0;
    for (const row of listed.querySelectorAll("tr[data-key]")) row.setAttribute("aria-selected", String(row.dataset.key === key));
    look();
    if (matchMedia("(max-width: 820px)").matches) places.scrollIntoView({ block: "nearest" });
  }

  function look() {
    note("fragments", asked);
    if (!asked.open) {
      places.replaceChildren(el("p", { class: "quiet" }, about.data ? `Choose a ${rules ? "rule" : "fragment"} in the list.` : "There are no data, and so no examples to show. Start the explorer with data as well."));
      return;
    }
    let name = asked.open;
    try { name = JSON.parse(asked.open)[0].join(" → "); } catch (error) { /* the server answers with the error */ }
    fill(places, "places", { key: asked.open, label: asked.label, first: asked.from }, answer => [
      el("h2", {}, `In ${count(answer.count)} of ${plural(answer.examples, "example")}`),
      el("p", { class: "mono" }, name),
      answer.labels.length > 0 && el("div", { class: "row" }, answer.labels.map(([label, number]) => el("button", {
        type: "button", "aria-pressed": String(asked.label === label),
        onclick: () => { asked.label = asked.label === label ? "" : label; asked.from = 0; look(); },
      }, label, el("span", { class: "quiet number" }, count(number))))),
      el("ul", { class: "examples pager" }, answer.rows.map(row => el("li", {},
        el("div", { class: "row" }, el("a", { class: "where", href: link("tree", { row: row.row }) }, row.place), row.label !== null && chip(row.label)),
        row.pictures.map(one => picture(one, `Example at ${row.place}, with the place marked`))))),
      pager(answer, answer.page, first => { asked.from = first; look(); })]);
  }

  list();
  look();
  return () => { alive = false; clearTimeout(again); };
}
