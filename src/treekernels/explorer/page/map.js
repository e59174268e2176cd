// A map of the examples: those that share much lie close together.
import { chip, count, el, heading, later, picture, plural } from "./dom.js";
import { exampleItem, pager } from "./examples.js";
import { fill } from "./fill.js";
import { MapCanvas } from "./map-canvas.js";
import { link, note } from "./route.js";

export const title = "Map";
const PAGE = 12;

function numbers(text, Kind) {
  const raw = Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  return Kind === Uint8Array ? raw : new Kind(raw.buffer);
}

export function show(content, options, about) {
  const asked = { x: options.x, y: options.y, z: options.z, box: options.box || "", open: options.open || "", colour: options.colour || (about.data?.labelled ? "label" : "predicted") };
  const surface = el("canvas", { tabindex: "0", role: "application", "aria-label": "Map of the examples. Arrow keys move, plus and minus zoom, zero shows all, and Enter lists what is in view." });
  const stage = el("div", { class: "map" }, surface), legend = el("ul", { class: "legend" });
  const listed = el("section", { class: "card sticky", "aria-label": "Selected examples", "aria-live": "polite" });
  const body = el("div"), mode = el("button", { type: "button", "aria-pressed": "false", onclick: () => choose(!canvas.selecting) }, "Select");
  const colour = el("select", { onchange: () => { asked.colour = colour.value; load(); } },
    about.data?.labelled && el("option", { value: "label" }, "label"), el("option", { value: "predicted" }, "prediction"),
    about.data?.labelled && el("option", { value: "mistake" }, "right or wrong"));
  colour.value = asked.colour;
  const remember = later(150, () => note("map", { ...asked, x: canvas.middle[0].toFixed(5), y: canvas.middle[1].toFixed(5), z: canvas.zoom.toFixed(3) }));
  const canvas = new MapCanvas(surface, {
    moved: remember,
    opened: place => { asked.open = String(place * step); asked.box = ""; canvas.marks = new Set([place]); canvas.draw(); remember(); one(place); },
    selected: (places, from, to) => {
      asked.open = ""; asked.box = from ? [...from, ...to].map(value => value.toFixed(5)).join(",") : "";
      canvas.marks = new Set(places.length <= 400 ? places : []); canvas.draw(); remember(); several(places);
    },
  });
  let step = 1, names = [];
  const tools = el("div", { class: "row spread" },
    el("div", { class: "row" },
      el("button", { type: "button", "aria-label": "Zoom in", onclick: () => canvas.zoomBy(1.5) }, "+"),
      el("button", { type: "button", "aria-label": "Zoom out", onclick: () => canvas.zoomBy(1 / 1.5) }, "−"),
      el("button", { type: "button", onclick: () => canvas.reset() }, "Show all"), mode),
    about.model.classes && el("label", { class: "row" }, "Colour by", colour));
  content.append(...heading("Map", "Each point is an example. Trees that share much lie close together, as far as two dimensions can show it. Drag to move, scroll to zoom, and select an area to list its examples."), body);

  function choose(selecting) {
    canvas.selecting = selecting;
    mode.setAttribute("aria-pressed", String(selecting));
    surface.classList.toggle("selecting", selecting);
  }

  function load() {
    remember();
    fill(body, "map", { colour: asked.colour }, answer => {
      canvas.xy = numbers(answer.points, Uint16Array);
      canvas.codes = numbers(answer.codes, Uint8Array);
      step = answer.step;
      names = answer.classes.length ? answer.classes : ["examples"];
      colours();
      key();
      if (asked.z) { canvas.middle = [Number(asked.x), Number(asked.y)]; canvas.zoom = Number(asked.z); asked.z = undefined; }
      setTimeout(() => { canvas.draw(); restore(); });
      return el("div", { class: "split" }, el("section", { class: "card" }, tools, el("div", { class: "pager" }, stage), legend,
        step > 1 && el("p", { class: "note" }, `One in ${step} of ${count(answer.examples)} examples is drawn.`)), listed);
    });
  }

  function colours() {
    const style = getComputedStyle(document.documentElement);
    canvas.colours = names.map((name, place) => style.getPropertyValue(`--group${place}`).trim());
    surface.style.color = style.getPropertyValue("--text");
  }

  function key() {
    legend.replaceChildren(...names.map((name, place) => el("li", {}, el("button", {
      type: "button", class: "plain", "aria-pressed": String(canvas.shown === place), title: `Show only ${name}`,
      onclick: () => { canvas.shown = canvas.shown === place ? null : place; key(); canvas.draw(); },
    }, el("span", { class: `dot g${place}` }), name))));
  }

  function restore() {
    if (asked.box) {
      const [x1, y1, x2, y2] = asked.box.split(",").map(Number);
      const places = canvas.inside([x1, y1], [x2, y2]);
      canvas.marks = new Set(places.length <= 400 ? places : []);
      canvas.draw();
      several(places);
    } else if (asked.open) { const place = Math.floor(Number(asked.open) / step); canvas.marks = new Set([place]); canvas.draw(); one(place); }
    else listed.replaceChildren(el("h2", {}, plural(canvas.codes.length, "example")), el("p", { class: "quiet" }, "Choose a point to see its tree, or select an area of the map to list its examples."));
  }

  function one(place) {
    fill(listed, "map-examples", { rows: [place * step], pictures: true }, answer => answer.rows.map(row => [
      el("h2", {}, el("a", { href: link("tree", { row: row.row }) }, row.place)), row.label !== null && el("p", {}, chip(row.label)),
      row.pictures.map(drawn => picture(drawn, `Example at ${row.place}`)),
      el("div", { class: "row pager" }, el("a", { class: "button", href: link("tree", { row: row.row }) }, "What decides"), el("a", { class: "button", href: link("nearest", { row: row.row }) }, "Nearest examples"))]));
  }

  function several(places, first = 0) {
    const rows = places.slice(first, first + PAGE).map(place => place * step);
    const classes = names.map((name, code) => [name, places.filter(place => canvas.codes[place] === code).length]).filter(([, number]) => number);
    fill(listed, "map-examples", { rows }, answer => [
      el("h2", {}, `${plural(places.length, "example")} selected`),
      el("p", { class: "row" }, classes.map(([name, number]) => chip(`${name} ${count(number)}`))),
      el("ul", { class: "examples" }, answer.rows.map(row => exampleItem(row))),
      pager({ count: places.length, first }, PAGE, next => several(places, next))]);
  }

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const repaint = () => { colours(); canvas.draw(); };
  dark.addEventListener("change", repaint);
  load();
  return () => { dark.removeEventListener("change", repaint); canvas.watch.disconnect(); };
}
