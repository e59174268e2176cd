// Fields in which trees are written, or the number of an example instead.
import { count, el, later } from "./dom.js";

export class TreeInput {
  constructor(about, options, changed, { single = false, name = "tree", title = "Tree" } = {}) {
    this.about = about;
    this.name = name;
    this.row = options.row === undefined ? null : Number(options.row);
    this.base = this.row;
    const wait = later(140, changed);
    const typed = () => { this.row = null; this.showRow(); wait(); };
    this.columns = single ? [about.model.columns[0]] : about.model.columns;
    this.way = el("select", { onchange: () => { typed(); this.placeholders(); } },
      Object.entries(about.ways).map(([value, text]) => el("option", { value }, text)));
    this.way.value = options.way && about.ways[options.way] ? options.way : "brackets";
    this.fields = this.columns.map((column, place) => el("textarea", {
      rows: this.columns.length > 1 ? "4" : "6", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
      "aria-label": column || title, oninput: typed,
    }));
    this.fields.forEach((field, place) => { field.value = options[this.key(place)] || ""; });
    this.anchor = el("input", { type: "checkbox", onchange: typed });
    this.anchor.checked = options.anchor === "1";
    this.number = el("input", { type: "number", min: "1", "aria-label": "Number of the example", onchange: () => this.step(0, changed) });
    this.where = el("span", { class: "quiet" });
    this.stepper = el("div", { class: "step" },
      el("button", { type: "button", "aria-label": "Previous example", onclick: () => this.step(-1, changed) }, "‹"), this.number,
      el("button", { type: "button", "aria-label": "Next example", onclick: () => this.step(1, changed) }, "›"), this.where);
    this.element = el("div", { class: "stack" },
      el("div", { class: "row spread" },
        el("label", { class: "row" }, el("span", {}, "Written as"), this.way), this.stepper),
      this.fields.map((field, place) => this.columns.length > 1 || this.columns[place]
        ? el("label", { class: "field" }, this.columns[place], field) : field),
      about.model.pairs && !single && el("label", { class: "check" }, this.anchor, "Find placeholders by linking equal words"));
    this.placeholders();
    this.showRow();
  }

  key(place) { return this.columns.length > 1 ? `${this.name}${place + 1}` : this.name; }

  get examples() { return this.about.data && this.about.data.examples; }

  placeholders() {
    const hints = { brackets: "(S (NP (D the) (N dog)) (VP (V barks)))", python: "def double(x):\n    return 2 * x", text: "The dog barks." };
    for (const field of this.fields) field.placeholder = hints[this.way.value] || "";
  }

  showRow() {
    this.stepper.hidden = !this.examples;
    if (!this.examples) return;
    this.number.max = String(this.examples);
    this.number.value = this.row === null ? "" : String(this.row + 1);
    this.where.textContent = `of ${count(this.examples)}`;
  }

  step(by, changed) {
    const asked = by === 0 ? Number(this.number.value) - 1 : (this.row ?? this.base ?? -1) + by;
    this.row = Math.max(0, Math.min(this.examples - 1, Number.isFinite(asked) ? Math.trunc(asked) : 0));
    this.base = this.row;
    this.way.value = "brackets";
    this.showRow();
    changed();
  }

  get empty() { return this.row === null && this.fields.every(field => !field.value.trim()); }

  // What the server is asked about.
  question() {
    if (this.row !== null) return { row: this.row };
    const trees = Object.fromEntries(this.columns.map((column, place) => [column, this.fields[place].value]));
    return { trees, way: this.way.value, anchor: this.anchor.checked, base: this.base };
  }

  single() {
    return this.row !== null ? { row: this.row } : { text: this.fields[0].value, way: this.way.value };
  }

  // What a link to this view needs.
  options() {
    if (this.row !== null) return { [this.name === "tree" ? "row" : `${this.name}row`]: this.row };
    const written = { way: this.way.value === "brackets" ? "" : this.way.value, anchor: this.anchor.checked };
    this.fields.forEach((field, place) => { written[this.key(place)] = field.value; });
    return written;
  }

  // Show the trees of an example in the fields.
  take(trees) {
    this.columns.forEach((column, place) => { if (trees[column] !== undefined) this.fields[place].value = trees[column]; });
  }
}
