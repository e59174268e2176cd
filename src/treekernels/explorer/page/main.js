// The page as a whole: what is explored, which view is shown, and a banner if the server does not answer.
import { once, whenGone } from "./ask.js";
import { count, el, plural } from "./dom.js";
import { current, link } from "./route.js";
import * as compare from "./compare.js";
import * as fragments from "./fragments.js";
import * as map from "./map.js";
import * as mistakes from "./mistakes.js";
import * as nearest from "./nearest.js";
import * as tree from "./tree.js";

const VIEWS = { tree, fragments, compare, nearest, mistakes, map };
const byId = name => document.getElementById(name);
let about = null, leave = null, remembered = {};

whenGone(() => {
  const banner = byId("gone");
  if (!banner.hidden) return;
  banner.hidden = false;
  banner.replaceChildren("The explorer does not answer: it was stopped, or its window was closed. Start it again, and open the address that it prints.",
    el("button", { type: "button", onclick: () => { banner.hidden = true; begin(); } }, "Try again"));
});

function introduce() {
  const { model, data } = about;
  const size = model.subtrees ? `, ${plural(model.subtrees, "distinct subtree")}` : "";
  const kernel = model.kernel ? ` with ${model.kernel}` : "";
  byId("about").textContent = `${model.name}${kernel}`;
  byId("about").title = byId("about").textContent;
  const what = data ? data.examples === undefined ? ` Reading ${data.name}.` : ` Exploring ${data.name}: ${plural(data.examples, "example")} with ${plural(data.nodes, "node")}.` : " There are no data, which some views need.";
  byId("foot").textContent = `${model.name}${kernel}${size}.${what} treekernels ${about.version}.`;
  const shown = Object.entries(VIEWS).filter(([name]) => name !== "compare" || !model.pairs);
  byId("views").replaceChildren(...shown.map(([name, view]) => el("a", { href: link(name, remembered[name]), "data-view": name }, (model.pairs && view.titleOfPairs) || view.title)));
}

// Where the tabs are wider than the screen. scrollIntoView would also move where the Tab key begins.
function reveal(tab) {
  const bar = byId("views").getBoundingClientRect(), place = tab.getBoundingClientRect();
  byId("views").scrollLeft += Math.min(0, place.left - bar.left) + Math.max(0, place.right - bar.right);
}

function show() {
  const { view: asked, options } = current();
  const name = VIEWS[asked] ? asked : "tree";
  if (leave) leave();
  remembered[name] = options;
  for (const tab of byId("views").children) {
    if (tab.dataset.view === name) { tab.setAttribute("aria-current", "page"); reveal(tab); }
    else tab.removeAttribute("aria-current");
  }
  const content = byId("content");
  content.replaceChildren();
  content.dataset.view = name;
  leave = VIEWS[name].show(content, options, about) || null;
}

async function begin() {
  try { about = await once("overview"); } catch (error) { return; }
  introduce();
  show();
  while (about.data && about.data.examples === undefined && about.data.reading?.state === "running") {
    await new Promise(done => setTimeout(done, 150));
    try { about = Object.assign(about, await once("overview")); } catch (error) { return; }
    if (about.data.examples !== undefined) {
      introduce();
      if (!byId("content").contains(document.activeElement) || document.activeElement === byId("content")) show();
    }
  }
}

window.addEventListener("hashchange", () => { if (about && location.hash.startsWith("#/")) show(); });
byId("skip").addEventListener("click", event => { event.preventDefault(); byId("content").focus(); });
byId("views").addEventListener("click", event => {
  // A tab leads back to what it showed last.
  const tab = event.target.closest("a");
  if (tab && tab.dataset.view !== byId("content").dataset.view) remembered[byId("content").dataset.view] = current().options;
  if (tab) tab.href = link(tab.dataset.view, remembered[tab.dataset.view]);
});
byId("stop").addEventListener("click", async () => {
  if (!confirm("Stop the explorer? This page will no longer answer.")) return;
  try { await once("stop"); } catch (error) { return; }
  byId("gone").hidden = false;
  byId("gone").replaceChildren("The explorer has stopped. You can close this page.");
});
begin();
