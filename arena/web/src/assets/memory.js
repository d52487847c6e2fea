// Values stored in this browser between pages. Everything also works without them.

/** Stores a value, if the browser allows it. */
function remember(name, value) {
  try { localStorage.setItem(`arena ${name}`, JSON.stringify(value)); } catch { /* The value is not stored. */ }
}

/** Returns a name by which the server distinguishes browsers that show the same page. */
function browser() {
  const name = recall("browser") ?? Math.random().toString(36).slice(2);
  remember("browser", name);
  return name;
}

/** Returns a stored value, or null. */
function recall(name) {
  try { return JSON.parse(localStorage.getItem(`arena ${name}`) ?? "null"); } catch { return null; }
}

