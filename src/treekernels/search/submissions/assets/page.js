"use strict";
// All texts of students come through textContent: nothing in them becomes part of the page.
const data = JSON.parse(document.getElementById("data").textContent);
const SVG = "http://www.w3.org/2000/svg";
const COLOURS = 6, PAGE = 200;
const byId = id => document.getElementById(id);
let hidden = false, listed = PAGE, order = [], sorting = "similarity", chosen = null;

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const percent = share => `${Math.round(100 * share)} %`;
const isEarlier = number => number >= data.count;

function nameOf(number) {
  if (!hidden) return visible(data.submissions[number].name) + (isEarlier(number) ? " (earlier)" : "");
  return isEarlier(number) ? `earlier ${number - data.count + 1}` : `submission ${number + 1}`;
}

// Characters that change the direction of writing could make code look like other code.
function visible(text) {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, "\ufffd");
}

const places = new Map(data.pairs.map((pair, place) => [`${pair[0]} ${pair[1]}`, place]));

function pairOf(one, other) {
  return places.get(`${one} ${other}`) ?? places.get(`${other} ${one}`);
}

function shareBar(share) {
  const inside = element("i");
  inside.style.width = percent(share).replace(" ", "");
  return [element("span", {class: "share", "aria-hidden": "true"}, inside), percent(share)];
}

function showSummary() {
  const groups = data.groups.length;
  const count = data.above === 0 ? "No" : data.above.toLocaleString();
  byId("summary").textContent =
    `${count} ${data.above < 2 ? "pair is" : "pairs are"} at least ${percent(data.threshold)} alike` +
    (groups ? `, and ${groups === 1 ? "there is one group" : `there are ${groups} groups`} of submissions that are.` : ".");
  byId("reason").textContent = `The threshold is ${percent(data.threshold)}. ${data.reason}`;
  byId("ignored").textContent = data.ignored;
  if (data.leftOut.length) {
    const list = element("ul", {}, ...data.leftOut.slice(0, 100).map(text => element("li", {}, visible(text))));
    byId("left-out").replaceChildren(element("h2", {}, "What was left out"), list);
  }
}

function showHistogram() {
  const width = 640, height = 130, base = height - 28, bins = data.histogram.length;
  const tallest = Math.log1p(Math.max(1, ...data.histogram));
  const picture = drawn("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": "How many pairs have which similarity"});
  data.histogram.forEach((count, bin) => {
    const tall = count ? Math.max(2, (base - 20) * Math.log1p(count) / tallest) : 0;
    const bar = drawn("rect", {x: bin * width / bins + .5, width: width / bins - 1, y: base - tall, height: tall,
      class: bin / bins >= data.threshold - 1e-9 ? "count above" : "count"});
    bar.append(drawn("title", {}, `${count.toLocaleString()} pairs from ${percent(bin / bins)} to ${percent((bin + 1) / bins)}`));
    picture.append(bar);
  });
  const at = data.threshold * width, left = data.threshold > .6;
  picture.append(
    drawn("line", {x1: 0, x2: width, y1: base, y2: base, class: "axis"}),
    drawn("line", {x1: at, x2: at, y1: 4, y2: base, class: "threshold"}),
    drawn("text", {x: at + (left ? -5 : 5), y: 14, "text-anchor": left ? "end" : "start"}, `threshold ${percent(data.threshold)}`),
    drawn("text", {x: 0, y: height - 10}, "0 %"),
    drawn("text", {x: width / 2, y: height - 10, "text-anchor": "middle"}, "similarity (the height is the logarithm of the number of pairs)"),
    drawn("text", {x: width, y: height - 10, "text-anchor": "end"}, "100 %"));
  byId("histogram").replaceChildren(picture);
}

function showPairs() {
  const wanted = byId("name").value.trim().toLowerCase(), chosenLeast = Number(byId("least").value);
  const least = chosenLeast === Math.round(100 * data.threshold) ? data.threshold : chosenLeast / 100;
  byId("least-text").textContent = percent(least);
  order = [];
  data.pairs.forEach(([one, other, similarity], place) => {
    const fits = !wanted || [one, other].some(number => nameOf(number).toLowerCase().includes(wanted));
    if (fits && similarity >= least) order.push(place);
  });
  order.sort((a, b) => data.pairs[b][2] - data.pairs[a][2]);
  const rows = order.slice(0, listed).map(place => {
    const [one, other, similarity, inOther, inOne, passages] = data.pairs[place];
    const row = element("tr", similarity < data.threshold ? {class: "below"} : {},
      element("td", {class: "number"}, element("a", {href: `#pair=${place}`}, percent(similarity))),
      element("td", {class: "name"}, nameOf(one)), element("td", {class: "number"}, ...shareBar(inOther)),
      element("td", {class: "name"}, nameOf(other)), element("td", {class: "number"}, ...shareBar(inOne)),
      element("td", {class: "number"}, String(passages.length)));
    return row;
  });
  byId("pair-table").tBodies[0].replaceChildren(...rows);
  byId("more").hidden = order.length <= listed;
  byId("shown").textContent = order.length
    ? `${Math.min(listed, order.length).toLocaleString()} of ${order.length.toLocaleString()} are listed.`
    : "No pair is like that.";
}

const COLUMNS = [
  ["name", "Submission", row => nameOf(row.number)],
  ["lines", "Lines", row => row.lines],
  ["files", "Files", row => row.files],
  ["closest", "Closest", row => row.closest === undefined ? "" : nameOf(row.closest)],
  ["similarity", "Similarity", row => row.similarity],
  ["group", "Group", row => row.group],
];

function showSubmissions() {
  const group = new Map(data.groups.flatMap((members, place) => members.map(number => [number, place + 1])));
  const rows = data.submissions.slice(0, data.count).map((one, number) => {
    const closest = data.closest[number], pair = closest === undefined ? undefined : pairOf(number, closest);
    return {number, lines: one.lines, files: one.count, closest, pair,
      similarity: pair === undefined ? 0 : data.pairs[pair][2], group: group.get(number) ?? 0};
  });
  const value = COLUMNS.find(([key]) => key === sorting)[2];
  const down = ["similarity", "lines", "files"].includes(sorting) ? -1 : 1;
  rows.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (sorting === "group" && !x !== !y) return x ? -1 : 1;
    return down * (typeof x === "string" ? x.localeCompare(y, undefined, {numeric: true}) : x - y) || a.number - b.number;
  });
  const table = byId("submission-table");
  table.tHead.rows[0].replaceChildren(...COLUMNS.map(([key, title]) => {
    const button = element("button", {type: "button"}, title);
    button.addEventListener("click", () => { sorting = key; showSubmissions(); });
    const sorted = key === sorting ? {"aria-sort": down < 0 ? "descending" : "ascending"} : {};
    return element("th", {scope: "col", ...sorted}, button);
  }));
  table.tBodies[0].replaceChildren(...rows.map(row => element("tr", {},
    element("td", {class: "name"}, nameOf(row.number)),
    element("td", {class: "number"}, row.lines.toLocaleString()), element("td", {class: "number"}, String(row.files)),
    element("td", {class: "name"}, row.closest === undefined ? "" : nameOf(row.closest)),
    element("td", {class: "number"}, row.pair === undefined ? "" : element("a", {href: `#pair=${row.pair}`}, percent(row.similarity))),
    element("td", {class: "number"}, row.group ? element("a", {href: "#groups"}, String(row.group)) : ""))));
}

function showGroups() {
  byId("groups-text").textContent = data.groups.length
    ? "The members of a group are on average as alike as the threshold asks for. A line joins two that are; choose it to see the pair."
    : "No submissions are alike enough to make a group.";
  byId("group-list").replaceChildren(...data.groups.map((members, place) => element("div", {class: "group"},
    element("h2", {}, `Group ${place + 1}: ${members.length} submissions`), graph(members))));
}

function graph(members) {
  const radius = members.length === 2 ? 50 : Math.max(60, members.length * 9), room = 190;
  const middle = [radius + room, members.length === 2 ? 20 : radius + 30];
  const at = members.map((_, place) => {
    const angle = 2 * Math.PI * place / members.length - Math.PI / 2 + (members.length === 2 ? Math.PI / 2 : 0);
    return [middle[0] + radius * Math.cos(angle), middle[1] + radius * Math.sin(angle)];
  });
  const width = 2 * middle[0], height = 2 * middle[1];
  const picture = drawn("svg", {class: "graph", viewBox: `0 0 ${width} ${height}`, width, height});
  members.forEach((one, a) => members.slice(a + 1).forEach((other, rest) => {
    const pair = pairOf(one, other);
    if (pair === undefined || data.pairs[pair][2] < data.threshold) return;
    const [from, to] = [at[a], at[a + 1 + rest]], similarity = data.pairs[pair][2];
    const strength = (similarity - data.threshold) / Math.max(.01, 1 - data.threshold);
    const title = drawn("title", {}, `${nameOf(one)} and ${nameOf(other)}: ${percent(similarity)}`);
    const ends = {x1: from[0], y1: from[1], x2: to[0], y2: to[1]};
    picture.append(drawn("a", {href: `#pair=${pair}`}, title,
      drawn("line", {...ends, "stroke-width": 12, "stroke-opacity": 0}),
      drawn("line", {...ends, "stroke-width": 1 + 4 * strength, "stroke-opacity": .35 + .65 * strength})));
  }));
  members.forEach((one, place) => {
    const [x, y] = at[place], side = Math.abs(x - middle[0]) < 1 ? "middle" : x > middle[0] ? "start" : "end";
    const below = side === "middle" ? (y > middle[1] ? 20 : -12) : 4;
    const name = nameOf(one), short = name.length > 26 ? `${name.slice(0, 25)}…` : name;
    const label = drawn("text", {x: x + (side === "start" ? 10 : side === "end" ? -10 : 0), y: y + below, "text-anchor": side}, short);
    label.append(drawn("title", {}, name));
    picture.append(drawn("circle", {cx: x, cy: y, r: 5}), label);
  });
  return picture;
}

function showPair(place) {
  const [one, other, similarity, inOther, inOne, passages] = data.pairs[place];
  byId("pair-text").textContent = `${percent(similarity)} alike, ${passages.length} ${passages.length === 1 ? "passage" : "passages"}`;
  const sides = [[byId("left"), one, other, inOther, 0], [byId("right"), other, one, inOne, 3]];
  for (const [side, number, against, share, column] of sides) {
    const submission = data.submissions[number];
    side.replaceChildren(element("h2", {}, `${nameOf(number)}: ${percent(share)} of it in ${nameOf(against)}`));
    if (!submission.files) {
      side.append(element("p", {}, isEarlier(number)
        ? "The text is not here: an index of earlier courses has trees alone."
        : "No passage is long enough to be shown."));
      continue;
    }
    submission.files.forEach(([name, text], file) => {
      const marks = passages.map((passage, mark) => ({mark, file: passage[column], begin: passage[column + 1], end: passage[column + 2]}))
        .filter(mark => mark.file === file);
      const ignored = submission.ignored.filter(range => range[0] === file);
      const lines = text.split("\n").length;
      const numbers = Array.from({length: lines}, (_, line) => line + 1).join("\n");
      const counts = marks.length || isCounted(text, ignored);
      const title = (hidden ? `file ${file + 1}` : visible(name)) + (counts ? "" : " (counts nothing)");
      side.append(element("details", counts ? {open: ""} : {}, element("summary", {}, title), element("div", {class: "code"},
        element("pre", {class: "numbers", "aria-hidden": "true"}, numbers), element("pre", {}, ...pieces(text, marks, ignored)))));
    });
    side.scrollTop = 0;
  }
  const row = listWith(place), at = row.indexOf(place);
  byId("previous-pair").disabled = at === 0;
  byId("next-pair").disabled = at + 1 >= row.length;
  byId("previous-passage").disabled = byId("next-passage").disabled = !passages.length;
  chosen = null;
  if (passages.length) choose(passages.reduce((best, one, mark) => one[2] - one[1] > passages[best][2] - passages[best][1] ? mark : best, 0));
}

// Whether there is anything in a file beside what the template has: imports and comments are little.
function isCounted(text, ignored) {
  return ignored.reduce((sum, range) => sum + range[2] - range[1], 0) < .8 * text.length;
}

// The text in pieces, with what matches and what counts nothing outside of it marked. Breaks of
// lines and what they are indented by stay as they are.
function pieces(text, marks, ignored) {
  const made = [], ranges = [];
  for (const {mark, begin, end} of marks) ranges.push({mark, begin, end});
  for (const [, begin, end] of ignored) {
    if (!marks.some(mark => mark.begin < end && begin < mark.end)) ranges.push({begin, end});
  }
  let at = 0;
  for (const {mark, begin, end} of ranges.sort((a, b) => a.begin - b.begin)) {
    if (begin < at) continue;
    made.push(visible(text.slice(at, begin)));
    let first = true;
    for (const piece of visible(text.slice(begin, end)).split(/(\n\s*)/)) {
      if (!piece || piece.startsWith("\n")) made.push(piece);
      else if (mark === undefined) {
        made.push(element("span", {class: "ignored", title: "It counts nothing: the template has it, or most submissions do"}, piece));
      } else {
        const focus = first ? {tabindex: 0} : {};
        first = false;
        made.push(element("mark", {class: `m${mark % COLOURS}`, "data-mark": mark, ...focus,
          title: "Choose it to see it on the other side"}, piece));
      }
    }
    at = end;
  }
  made.push(visible(text.slice(at)));
  return made;
}

function choose(mark, from) {
  chosen = mark;
  for (const old of document.querySelectorAll("mark.chosen")) old.classList.remove("chosen");
  for (const found of document.querySelectorAll(`mark[data-mark="${mark}"]`)) found.classList.add("chosen");
  const height = from ? from.getBoundingClientRect().top - from.closest("article").getBoundingClientRect().top : 80;
  for (const side of [byId("left"), byId("right")]) {
    const target = side.querySelector(`mark[data-mark="${mark}"]`);
    if (!target || (from && side.contains(from))) continue;
    target.closest("details").open = true;
    side.scrollTop += target.getBoundingClientRect().top - side.getBoundingClientRect().top - height;
    side.scrollLeft = 0;
  }
}

function step(by) {
  const count = document.querySelectorAll("#left mark").length ? data.pairs[current()][5].length : 0;
  if (count) choose(chosen === null ? (by > 0 ? 0 : count - 1) : (chosen + by + count) % count);
}

const current = () => Number((/^#pair=(\d+)$/.exec(location.hash) ?? [])[1] ?? NaN);

// The pairs as they are listed, or all of them where this one was filtered out.
const listWith = place => order.includes(place) ? order : data.pairs.map((_, number) => number);

function stepPair(by) {
  const row = listWith(current()), next = row[row.indexOf(current()) + by];
  if (next !== undefined) location.hash = `#pair=${next}`;
}

function route() {
  const pair = current(), known = ["pairs", "submissions", "groups", "reading"];
  const view = data.pairs[pair] ? "pair" : known.find(name => location.hash === `#${name}`) ?? "pairs";
  for (const section of document.querySelectorAll("main > section")) section.hidden = section.id !== `view-${view}`;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${view}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (view === "pair") showPair(pair);
  scrollTo(0, 0);
}

function showAll() {
  showPairs();
  showSubmissions();
  showGroups();
  route();
}

byId("least").value = data.above ? Math.round(100 * data.threshold) : 0;
byId("hide").addEventListener("change", event => { hidden = event.target.checked; showAll(); });
byId("filter").addEventListener("submit", event => event.preventDefault());
byId("filter").addEventListener("input", () => { listed = PAGE; showPairs(); });
byId("more").addEventListener("click", () => { listed += PAGE; showPairs(); });
byId("previous-pair").addEventListener("click", () => stepPair(-1));
byId("next-pair").addEventListener("click", () => stepPair(1));
byId("previous-passage").addEventListener("click", () => step(-1));
byId("next-passage").addEventListener("click", () => step(1));
byId("sides").addEventListener("click", event => {
  const mark = event.target.closest("mark");
  if (mark) choose(Number(mark.dataset.mark), mark);
});
byId("sides").addEventListener("keydown", event => {
  const mark = event.target.closest("mark");
  if (mark && event.key === "Enter") choose(Number(mark.dataset.mark), mark);
});
addEventListener("hashchange", route);
showSummary();
showHistogram();
showAll();
