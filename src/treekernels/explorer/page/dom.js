// Building blocks of the page. Texts become text nodes, and never markup.

export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else if (key in made && typeof value !== "string") made[key] = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(3).filter(child => child !== null && child !== undefined && child !== false));
  return made;
}

// Drawings come from the server as SVG, of which only the elements of drawings are kept.
const SMALLEST = 0.66;
const DRAWN = new Set(["svg", "g", "path", "rect", "text", "title"]);

export function drawing(source) {
  const parsed = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
  const parts = [parsed, ...parsed.querySelectorAll("*")];
  for (const part of parts) {
    if (!DRAWN.has(part.localName)) { part.remove(); continue; }
    for (const { name } of [...part.attributes])
      if (name.startsWith("on") || name.includes("href")) part.removeAttribute(name);
  }
  const made = document.importNode(parsed, true);
  // A wide tree becomes smaller, but never so small that it cannot be read: then its box scrolls.
  made.style.minWidth = `${Math.round(SMALLEST * parseFloat(made.getAttribute("width")))}px`;
  return made;
}

export function picture(source, label = "Tree", more = "") {
  return el("div", { class: `picture ${more}`, tabindex: "0", role: "group", "aria-label": label }, drawing(source));
}

export function fragmentPicture(sources, text) {
  if (sources.length === 1) return picture(sources[0], `Fragment ${text}`, "left");
  return el("div", { class: "picture left", tabindex: "0", role: "group", "aria-label": `Rule ${text}` },
    el("div", { class: "rule" }, drawing(sources[0]), el("span", { class: "arrow" }, "→"), drawing(sources[1])));
}

export function meter(share, kind = "") {
  const inner = el("i", { class: kind });
  inner.style.width = `${Math.max(1.5, 100 * Math.min(1, share))}%`;
  return el("span", { class: "meter", "aria-hidden": "true" }, inner);
}

export const count = number => number.toLocaleString("en");

export function plural(number, noun, nouns = `${noun}s`) {
  return `${count(number)} ${number === 1 ? noun : nouns}`;
}

export function weight(value) {
  const size = Math.abs(value);
  const text = size === 0 ? "0" : size >= 0.01 ? size.toFixed(size >= 100 ? 0 : 3) : size.toExponential(1);
  return `${value < 0 ? "−" : "+"}${text}`;
}

export function chip(label, kind = "") {
  return el("span", { class: `chip ${kind}` }, label);
}

export function heading(title, lead) {
  document.title = `${title} · treekernels explorer`;
  return [el("h1", {}, title), el("p", { class: "lead" }, lead)];
}

// Typing takes effect after a pause. Until then the page is marked as not up to date.
let waiting = 0;

export function later(milliseconds, action) {
  let timer = 0;
  return (...given) => {
    if (timer) clearTimeout(timer); else wait(1);
    timer = setTimeout(() => { timer = 0; wait(-1); action(...given); }, milliseconds);
  };
}

function wait(more) {
  waiting += more;
  document.documentElement.toggleAttribute("data-waiting", waiting > 0);
}
