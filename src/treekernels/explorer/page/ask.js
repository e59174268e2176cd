// Questions to the server, which answers them, is still working on them, or refuses with a sentence.

export class Refused extends Error {}
export class Gone extends Error {}

let gone = () => {};
export function whenGone(action) { gone = action; }

export async function once(name, question = {}, signal) {
  let response;
  try {
    response = await fetch(`api/${name}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(question), signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    gone();
    throw new Gone();
  }
  const body = await response.json();
  if (!response.ok) throw new Refused(body.error || "The explorer could not answer.");
  return body;
}

const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

// Ask until there is an answer; `working` is told how far it is.
export async function ask(name, question, { signal, working = () => {} } = {}) {
  for (let wait = 60; ; wait = Math.min(400, wait * 1.4)) {
    const answer = await once(name, question, signal);
    if (!answer.pending) return answer;
    if (answer.pending.state === "cancelled") await new Promise(resume => working(answer.pending, resume));
    else working(answer.pending);
    await pause(wait);
    if (signal && signal.aborted) throw new DOMException("", "AbortError");
  }
}
