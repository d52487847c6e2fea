// A screen for everybody: plays the closest finished matches, one after the other.

const screen = document.getElementById("screen");
const caption = document.getElementById("caption");
/** A match takes about so long, in seconds, and each step so long at least and at most. */
const LENGTH = 40;
const [FASTEST, SLOWEST] = [0.12, 2];
/** How long the end of a match stays, and how long is waited where there is none, in milliseconds. */
const [STAY, WAIT] = [6000, 3000];
const isKiosk = document.body.classList.contains("kiosk");
let seen = [];

async function next() {
  try {
    const response = await fetch(`${screen.dataset.source}?seen=${seen.join(",")}`);
    if (response.status === 200) return await response.json();
    caption.textContent = response.status === 204 ? "No match is finished yet." : "The server does not answer as it should.";
  } catch {
    caption.textContent = "The server cannot be reached.";
  }
  return null;
}

function wait(milliseconds) {
  return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}

async function show({ key, replay }) {
  seen = seen.includes(key) ? [key] : [...seen, key];
  const match = `${replay.title}, match ${replay.match}`;
  caption.textContent = `${match}: ${replay.bots.join(" · ")}`;
  const each = Math.min(Math.max(LENGTH / replay.frames.length, FASTEST), SLOWEST);
  const ended = Promise.withResolvers();
  const shown = showReplay(screen, replay, { isAlone: false, isOpen: false, atEnd: ended.resolve });
  const watching = new MutationObserver(fit);
  watching.observe(screen.querySelector(".tables"), { childList: true });
  fit();
  shown.play(1 / each);
  await ended.promise;
  await wait(STAY);
  watching.disconnect();
  shown.remove();
}

/** On a screen for everybody the table is as large as there is room. */
function fit() {
  if (!isKiosk) return;
  const tables = screen.querySelector(".tables");
  tables.style.zoom = 1;
  const { left, top } = tables.getBoundingClientRect();
  const drawn = [...tables.querySelectorAll("svg")].map((svg) => svg.getBoundingClientRect().right - left + 24);
  const wide = drawn.length > 0 ? Math.max(...drawn) : tables.clientWidth;
  tables.style.zoom = Math.max(1, Math.min(tables.clientWidth / wide, (innerHeight - top - 16) / tables.scrollHeight, 4));
}

/** The standings, for a while. */
async function standings() {
  const response = await fetch(location.pathname.replace(/\/tv$/, "")).catch(() => null);
  const page = response?.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : null;
  const table = page?.querySelector("#live .box");
  if (!table) return;
  caption.textContent = page.querySelector("#live .what")?.textContent ?? "";
  screen.replaceChildren(table);
  await wait(STAY);
  screen.replaceChildren();
}

for (;;) {
  const found = await next();
  if (found) await show(found).then(standings);
  else await wait(WAIT);
}
