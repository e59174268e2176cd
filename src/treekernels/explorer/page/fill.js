// Fill a part of the page with an answer: how far it is, an error, or what `render` makes of it.
import { ask, Gone, once, Refused } from "./ask.js";
import { count, el } from "./dom.js";

const asking = new WeakMap();

export async function fill(box, name, question, render) {
  asking.get(box)?.abort();
  const control = new AbortController();
  asking.set(box, control);
  box.setAttribute("aria-busy", "true");
  try {
    const answer = await ask(name, question, {
      signal: control.signal,
      working: (job, resume) => { if (asking.get(box) === control) box.replaceChildren(working(job, resume)); },
    });
    if (asking.get(box) !== control) return null;
    box.replaceChildren(...[render(answer)].flat(3).filter(Boolean));
    return answer;
  } catch (error) {
    if (error.name === "AbortError" || asking.get(box) !== control) return null;
    if (error instanceof Gone) return null;
    if (!(error instanceof Refused)) throw error;
    box.replaceChildren(el("p", { class: "error", role: "alert" }, error.message));
    return null;
  } finally {
    if (asking.get(box) === control) box.removeAttribute("aria-busy");
  }
}

export function working(job, resume) {
  if (job.state === "cancelled")
    return el("div", { class: "busy" }, el("p", {}, `${job.title}: cancelled.`),
      resume && el("button", { type: "button", onclick: () => once("restart", { job: job.name }).then(() => resume()) }, "Start again"));
  const bar = el("progress", { "aria-label": job.title });
  if (job.total) { bar.max = job.total; bar.value = job.done; }
  const far = job.total ? ` ${count(job.done)} of ${count(job.total)}` : "";
  return el("div", { class: "busy", role: "status" }, el("p", {}, `${job.title} …${far}`), bar,
    el("button", { type: "button", onclick: () => once("cancel", { job: job.name }) }, "Cancel"));
}
