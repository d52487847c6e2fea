// Values stored in this browser between pages. Everything works without them.

/** Stores a value, if the browser allows it. */
function remember(name, value) {
  try { localStorage.setItem(`arena ${name}`, JSON.stringify(value)); } catch { /* It is forgotten. */ }
}

/** Returns a name by which the server tells browsers with the same page apart. */
function browser() {
  const name = recall("browser") ?? Math.random().toString(36).slice(2);
  remember("browser", name);
  return name;
}

/** Returns a stored value, or null. */
function recall(name) {
  try { return JSON.parse(localStorage.getItem(`arena ${name}`) ?? "null"); } catch { return null; }
}

