// What this browser keeps between pages. Nothing depends on it.

/** Keeps a value, if the browser keeps any. */
function remember(name, value) {
  try { localStorage.setItem(`arena ${name}`, JSON.stringify(value)); } catch { /* It is forgotten. */ }
}

/** A value that was kept, null without one. */
function recall(name) {
  try { return JSON.parse(localStorage.getItem(`arena ${name}`) ?? "null"); } catch { return null; }
}

