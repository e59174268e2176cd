// The address of a view: #/view?key=value. Opening it again shows the same.

export function current() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { view: path, options: Object.fromEntries(new URLSearchParams(query)) };
}

export function link(view, options = {}) {
  const kept = Object.entries(options).filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false);
  const query = new URLSearchParams(kept.map(([key, value]) => [key, value === true ? "1" : String(value)])).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

// Keep the address up to date without drawing the view again.
export function note(view, options) {
  history.replaceState(null, "", link(view, options));
}
