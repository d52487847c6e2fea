// A screen for everybody: plays the newest finished match, and goes on to the next; if there is none, to older ones.

const screen = document.getElementById("screen");
const caption = document.getElementById("caption");
/** A match takes about so long, in seconds, and each step so long at least and at most. */
const LENGTH = 40;
const [FASTEST, SLOWEST] = [0.12, 2];
/** How long the end of a match stays, and how long is waited where there is none, in milliseconds. */
const [STAY, WAIT] = [6000, 3000];
const seen = { newest: null, oldest: null };

async function next() {
  const query = new URLSearchParams();
  if (seen.newest !== null) { query.set("newest", seen.newest); query.set("oldest", seen.oldest); }
  try {
    const response = await fetch(`${screen.dataset.source}?${query}`);
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

async function show({ number, replay }) {
  seen.newest = Math.max(seen.newest ?? number, number);
  seen.oldest = Math.min(seen.oldest ?? number, number);
  caption.textContent = `${replay.title}, match ${replay.match}: ${replay.bots.join(" · ")}`;
  const each = Math.min(Math.max(LENGTH / replay.frames.length, FASTEST), SLOWEST);
  await new Promise((resolve) => {
    const shown = showReplay(screen, replay, { isAlone: false, atEnd: async () => { await wait(STAY); shown.remove(); resolve(); } });
    shown.play(1 / each);
  });
}

for (;;) {
  const found = await next();
  if (found) await show(found);
  else await wait(WAIT);
}
