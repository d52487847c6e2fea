// The public screen, which plays the finished matches most worth watching, one after another.

const [screen, caption, stakes] = [byId("screen"), byId("caption"), byId("stakes")];
/** Approximate duration of a match, and minimum and maximum duration of a step, in seconds. */
const MATCH_SECONDS = 40;
const [FASTEST, SLOWEST] = [0.12, 2];
/** Time to show the end of a match, and time to wait if there is no match, in milliseconds. */
const [STAY, WAIT] = [6000, 3000];
/** Minimum and maximum zoom on a public screen, and the width in pixels below which lines break too often. */
const [SMALLEST, LARGEST, NARROWEST] = [0.6, 4, 420];
const isKiosk = document.body.classList.contains("kiosk");
let seen = [];
let announced;

async function next() {
  const { status, text } = await request(`${screen.dataset.source}?seen=${seen.join(",")}`);
  if (status === 200) {
    const { key, replay } = JSON.parse(text);
    return { key, replay: unpacked(replay) };
  }
  caption.textContent = { 0: "The server cannot be reached.", 204: "No match is finished yet." }[status] ?? "The server answered with an error.";
  return null;
}

async function show({ key, replay }) {
  seen = seen.includes(key) ? [key] : [...seen, key];
  const match = `${replay.title}, match ${replay.match}`;
  caption.textContent = `${match}: ${(await placed(replay.bots)).join(" · ")}`;
  const each = Math.min(Math.max(MATCH_SECONDS / replay.frames.length, FASTEST), SLOWEST);
  const ended = Promise.withResolvers();
  const judged = chances(replay);
  const known = unfold(replay.frames, replay.bots.length, (known, seen) => seen.known ?? known);
  const atStep = (step) => { stakes.textContent = stakesAt(replay.bots, judged, known[step], step); };
  const shown = showReplay(screen, replay, { isAlone: false, isOpen: false, atEnd: () => ended.resolve(null), atStep });
  const [tables] = elements(".tables", screen);
  let zoom = fit(tables, LARGEST);
  const watching = new MutationObserver(() => { zoom = fit(tables, zoom); });
  watching.observe(tables, { childList: true });
  shown.play(1 / each);
  await ended.promise;
  await wait(STAY);
  watching.disconnect();
  shown.remove();
  stakes.textContent = "";
}

/** Returns each seat's chance to win according to the judge, or the number of possibilities left for it, as known at a step. */
function stakesAt(bots, judged, known, step) {
  const words = bots.map((bot, seat) => {
    const share = judged?.points[seat].findLast(([at]) => at <= step);
    if (share) return `${bot} ${percent(share[1])}`;
    return !judged && known[seat]?.worlds ? `${bot} ${known[seat].worlds.toLocaleString("en")}` : "";
  }).filter(Boolean);
  return words.length > 0 ? `${judged ? "Chance to win" : "Possibilities left"}: ${words.join(" · ")}` : "";
}

/** Shrinks an element until it fits the screen, unless that is a phone's, starting from the previous zoom. Returns the new zoom. */
function fit(element, zoom) {
  const isWhole = (svg) => svg.getBoundingClientRect().width > Number(svg.getAttribute("width")) * zoom - 1;
  if (!isKiosk && innerWidth <= NARROW_WIDTH) return zoom;
  for (; zoom > SMALLEST; zoom *= 0.95) {
    element.style.zoom = zoom;
    const { width, bottom } = element.getBoundingClientRect();
    const hasRoom = bottom < innerHeight - 8 && width > NARROWEST * zoom && element.scrollWidth <= element.clientWidth;
    if (hasRoom && [...element.querySelectorAll("svg")].every(isWhole)) break;
  }
  return zoom;
}

/** Fetches the page with the standings. */
async function results() {
  return new DOMParser().parseFromString((await request(location.pathname.replace(/\/tv$/, ""))).text, "text/html");
}

/** Returns the bots with their places in the standings. */
async function placed(bots) {
  const [table] = elements("#live .box", (await results()).body);
  const rows = table ? elements("tr:has(th[scope=row])", table) : [];
  return bots.map((bot) => {
    const row = rows.find((row) => row.querySelector("th bdi")?.textContent === bot);
    const place = row?.querySelector("td")?.textContent;
    return place && /^\d/.test(place) ? `${bot} (place ${place})` : bot;
  });
}

/** Shows the pairings of a round that has not been announced yet. Returns false if there is none. */
async function announce() {
  const [round] = elements("#live .round", (await results()).body);
  if (!round || round.dataset.round === announced) return false;
  announced = round.dataset.round;
  screen.replaceChildren(round);
  fit(round, LARGEST);
  return true;
}

/** Shows the standings or the bracket for a while, then the next match. */
async function standings(coming) {
  const page = await results();
  const table = page.querySelector("#live .box");
  if (!table) return;
  caption.textContent = page.querySelector("#live .what")?.textContent ?? "";
  const deal = coming && /^d(\d+)/.exec(coming.replay.match)?.[1];
  screen.replaceChildren(...(coming ? [el("p", { class: "now" }, `Next: ${coming.replay.bots.join(" · ")}, deal ${deal}`)] : []), table);
  fit(table, LARGEST);
  await wait(STAY);
  screen.replaceChildren();
}

let found = await next();
for (;;) {
  const isNew = await announce();
  if (found) {
    if (isNew) {
      caption.textContent = "";
      await wait(2 * STAY);
      screen.replaceChildren();
    }
    await show(found);
    found = await next();
    await standings(found);
  } else {
    await wait(WAIT);
    found = await next();
  }
}
