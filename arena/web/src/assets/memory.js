// What this browser keeps between pages. Nothing depends on it.

/** Keeps a value, if the browser keeps any. */
function remember(name, value) {
  try { localStorage.setItem(`arena ${name}`, JSON.stringify(value)); } catch { /* It is forgotten. */ }
}

/** A name for this browser, by which servers tell apart those that show the same. */
function browser() {
  const name = recall("browser") ?? Math.random().toString(36).slice(2);
  remember("browser", name);
  return name;
}

/** A value that was kept, null without one. */
function recall(name) {
  try { return JSON.parse(localStorage.getItem(`arena ${name}`) ?? "null"); } catch { return null; }
}

