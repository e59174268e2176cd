// The address of a view: #/view?key=value. Whoever opens it again sees the same.

export function current() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { view: path, options: Object.fromEntries(new URLSearchParams(query)) };
}

export function link(view, options = {}) {
  const kept = Object.entries(options).filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  const query = new URLSearchParams(kept.map(([key, value]) => [key, value === true ? "1" : String(value)])).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

// Note where one is without drawing the view anew.
export function note(view, options) {
  history.replaceState(null, "", link(view, options));
}

export function go(view, options) {
  location.hash = link(view, options);
}
