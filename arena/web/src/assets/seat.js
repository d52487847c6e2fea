// The page of a person's seat: the table as the seat sees it, the events, and the open question.

const facts = JSON.parse(byId("data").textContent ?? "");
const here = location.pathname;
const { bots, seat } = facts;
const happened = [];
/** Turn of the open question, if any. */
let asked = null;
/** True once this page has sent an answer. From then on, new questions get the focus. */
let hasAnswered = false;
/**
 * Answer that the server has not acknowledged yet. It is sent again until then.
 * @type {{ turn: number, action: object } | null}
 */
let unsent = null;
/**
 * Last question and its form, which keeps the chosen values if the question is briefly withdrawn.
 * @type {{ turn: number, offers: string, form: ReturnType<typeof promptForm> } | null}
 */
let last = null;
/** True if the last question timed out. */
let hasRunOut = false;
const title = document.title;
/** Names of the players on the table; people without an open page are marked as away. */
let names = namesOf([]);
/** Queue of updates not shown yet: events, and the state after them. */
const steps = [];
/** Time between two events, in milliseconds, and its timer. The time is shorter if many events are queued. */
const EVENT_INTERVAL = 700;
/** @type {number | undefined} */
let pacing;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** Marks of this person on the table: values ruled out. */
const marks = new Set(recall(`marks ${here}`));
/** @type {ReturnType<typeof promptForm> | null} */
let prompt = null;
/** @type {number | null} */
let deadline = null;
/** @type {View | null} */
let before = null;
/** State that the table shows. It no longer changes once nothing is hidden. */
let drawn = "";
let isOpen = false;
/** True once the end of the match is fully shown. */
let hasEnded = false;
/** Milliseconds between two requests for news: while others move, during a question, and on a hidden page or after the end. */
const [QUICK, USUAL, HIDDEN] = [250, 1000, 3000];

/** Visual turn indicator; screen readers read the line below it. */
const banner = el("p", { class: "turn" });
const now = el("p", { class: "now", "aria-live": "polite" });
const board = el("div", { class: "tables" });
const moveSection = el("section", { class: "sheet", "aria-label": "Your move" });
const events = el("ol", { class: "moves events", tabindex: 0 });
/** Other people with an open question, each with its deadline. */
let waiting = [];
const sound = el("input", { type: "checkbox", checked: recall("sound") === true, onchange: () => { remember("sound", sound.checked); signal("turn"); } });
const skip = el("button", { type: "button", hidden: true, onclick: () => hurry() }, "Skip");
const notes = el("textarea", { rows: 5, maxlength: 10000, "aria-labelledby": "notes", oninput: () => remember(`notes ${here}`, notes.value) }, recall(`notes ${here}`) ?? "");
const unmark = el("button", { type: "button", onclick: () => { marks.clear(); showMarks(); } }, "Clear the marks");
const leave = el("button", { type: "button", onclick: async () => {
  if (!leave.dataset.sure) return setLeave("yes", "Leave and forfeit?");
  const { failed, why } = await post(`${here}/leave`);
  setLeave("", failed ? `You have not left: ${why} Try again` : "Leave");
  look();
}, onblur: () => setLeave("", "Leave") }, "Leave");
byId("table").append(el("div", { class: "stage" },
  el("div", { class: "board" }, banner, now, skip, el("h2", { class: "unseen" }, "The table"), board, moveSection, unmark),
  el("nav", { "aria-label": "What happened" }, el("h2", {}, "What happened"), events, el("h2", { id: "notes" }, "Notes"), notes, el("p", { class: "state" }, "Kept in this browser, and seen by nobody else."),
    el("label", { class: "check" }, sound, "Sound and vibration"), leave)));
leave.hidden = seat === null;

function namesOf(away) {
  return bots.map((bot, of) => (of === seat ? `${bot} (you)` : away.includes(of) ? `${bot} (away)` : bot));
}

function setLeave(isSure, text) {
  leave.dataset.sure = isSure;
  leave.textContent = text;
}

/** Sends an answer until the server acknowledges it. Duplicates have no effect. */
async function send(turn, action) {
  const answer = { turn, action };
  [hasAnswered, unsent, now.textContent] = [true, answer, "Not sent yet."];
  while (unsent === answer) {
    const { failed, isLost, why } = await post(`${here}/answer`, answer);
    if (unsent !== answer) return;
    if (isLost) {
      prompt?.fail(`Not sent yet: ${why} It is tried again.`);
      await wait(USUAL);
      continue;
    }
    unsent = null;
    prompt?.fail("");
    if (!failed) now.textContent = "Sent.";
    await look();
    if (!failed || asked !== turn) return;
    now.textContent = yourMove();
    prompt?.fail(`Not sent: ${why}`);
  }
}

/** Says what has just happened, and that it is this person's move. */
function yourMove() {
  return [happened.at(-1)?.sentence, "It is your move."].filter(Boolean).join(" ");
}

/** Discards the unsent answer, since another value was chosen. */
function withdraw() {
  if (unsent) now.textContent = yourMove();
  unsent = null;
}

function drawView(view) {
  const draft = prompt?.draft() ?? null;
  const state = JSON.stringify([view, names, happened.length, draft]);
  if (!view || isOpen || state === drawn) return;
  drawn = state;
  // Spectators see less than any seat. Their view is drawn from the perspective of the first seat.
  const eyes = seat ?? 0;
  const all = (view) => bots.map((_, of) => (of === eyes ? view : null));
  const seen = happened.map(({ event }) => event);
  const controls = () => elements("button, summary, [tabindex]", board);
  const focused = controls().findIndex((control) => control === document.activeElement);
  const isMarking = board.querySelector("details.marks")?.hasAttribute("open") ?? marks.size > 0;
  board.replaceChildren(drawTable({ bots: names, eyes, views: all(view), before: all(before ?? view), event: seen.at(-1) ?? null, events: seen, sentences: happened.map(({ sentence }) => sentence), rules: facts.rules, isPlaying: seat !== null, draft }));
  for (const place of elements(".place", board)) place.classList.toggle("own", seat !== null && place.querySelector("h3 bdi")?.textContent === names[seat]);
  board.querySelector(".marks")?.toggleAttribute("open", isMarking);
  controls()[focused]?.focus({ preventScroll: true });
  before = view;
  showMarks();
  prompt?.rule();
  showChoice();
  markTurn();
}

/** Marks the places of the seats to act, once everything is shown. */
function markTurn() {
  if (steps.length > 0 || hasEnded) return;
  const acting = toAct().map((of) => names[of]);
  elements(".place", board).forEach((place) => place.classList.toggle("acting", acting.includes(place.querySelector("h3 bdi")?.textContent ?? "")));
}

/** Outlines the elements of the table that can be clicked, and highlights the chosen ones. */
function showChoice() {
  for (const element of elements("[data-choice]", board)) {
    const { can, picked } = prompt?.state(JSON.parse(element.dataset.choice ?? "")) ?? {};
    element.classList.toggle("can", Boolean(can));
    element.classList.toggle("picked", Boolean(picked));
  }
}

/** Returns the seats to act, as far as known to this page. */
function toAct() {
  if (asked !== null) return [seat];
  if (waiting.length > 0) return waiting.map(({ of }) => of);
  const machines = bots.map((_, of) => of).filter((of) => !facts.people.includes(of));
  return machines.length === 1 ? machines : [];
}

/** Shows whose turn it is and the time left. */
function showTurn() {
  const acting = toAct();
  const until = asked === null ? Math.min(...waiting.map(({ until }) => until ?? Infinity)) : deadline ?? Infinity;
  const left = Math.max(0, Math.ceil((until - Date.now()) / 1000));
  const time = left === Infinity ? "" : ` · ${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  const who = acting.length > 0 ? acting.map((of) => bots[of]).join(" and ") : "the others";
  const words = hasEnded ? "" : asked === null ? `Waiting for ${who}${time}` : `Your turn${time}`;
  if (banner.textContent === words) return;
  if (asked !== null && left <= 5 && time) signal("last");
  banner.textContent = words;
  banner.className = `turn${asked === null ? "" : " yours"}${asked !== null && left <= 10 ? " late" : ""}`;
  markTurn();
}

/** Tones of events: frequencies in Hz. */
const TONES = { turn: 660, hit: 880, miss: 220, last: 440 };
/** @type {AudioContext | undefined} */
let audio;

/** Plays a sound and vibrates, if enabled. */
function signal(kind) {
  if (!sound.checked) return;
  navigator.vibrate?.(kind === "turn" ? [80, 60, 80] : 60);
  audio ??= new AudioContext();
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = TONES[kind];
  volume.gain.value = 0.08;
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.12);
}

/** Removes the last question. */
function close() {
  hasRunOut = deadline !== null && Date.now() >= deadline;
  [asked, prompt, deadline] = [null, null, null];
  document.title = title;
  moveSection.replaceChildren();
  showChoice();
}

function ask(question) {
  // A repeated question keeps the values that were chosen.
  if (question.turn === asked) return question.problem && prompt?.fail(question.problem);
  asked = question.turn;
  document.title = `Your move · ${title}`;
  if (last?.turn !== asked || last.offers !== JSON.stringify(question.offers)) {
    unsent = null;
    signal("turn");
    prompt = promptForm(question.offers, seat, (action) => send(question.turn, action), question.possible ?? [], facts.hints);
    last = { turn: question.turn, offers: JSON.stringify(question.offers), form: prompt };
  }
  prompt = last.form;
  prompt.notify = () => { withdraw(); drawView(before); showChoice(); };
  drawView(before);
  prompt.layout();
  showChoice();
  const advice = el("div", { role: "status" });
  const hint = facts.hints ? el("button", { type: "button", class: "ask", onclick: async () => {
    const { failed, why, hint: { words, worlds, likeliest } = {}, bot } = await post(`${here}/hint`);
    if (failed) return advice.replaceChildren(why);
    const counted = [
      worlds === null ? null : el("p", {}, `By counting, ${count(worlds, "possibility is left", "possibilities are left")}.`),
      showChances() ? el("p", {}, "On the table: the chance of the likeliest guess at each place.") : null,
    ].filter((part) => part !== null);
    const more = el("button", { type: "button", onclick: () => more.replaceWith(...likeliestGuesses(likeliest), el("p", {}, `${bot} would ${words}. It ${why}.`)) }, "Show a move");
    advice.replaceChildren(...counted, more, el("p", {}, "That you asked is noted with the move."));
  } }, "Hint") : null;
  const heading = el("h2", { tabindex: -1, class: "unseen" }, "Your move");
  moveSection.replaceChildren(heading, prompt.form, advice);
  const row = /** @type {Element} */ (prompt.form.querySelector(".do"));
  row.querySelector(".ask")?.remove();
  if (hint) row.append(hint);
  if (hasAnswered && (document.activeElement ?? document.body) === document.body) heading.focus({ preventScroll: true });
  if (question.problem) prompt.fail(question.problem);
}

function likeliestGuesses(likeliest) {
  const shown = likeliest.filter(([, chance]) => chance >= 0.01).map(([words, chance]) => el("li", {}, `${words}: ${rounded(chance)}`));
  return shown.length > 0 ? [el("ol", { "aria-label": "Likeliest guesses" }, ...shown)] : [];
}

function rounded(chance) {
  return `${Math.round(100 * chance)} %`;
}

/** Writes the probability of the likeliest guess on each place of the table. Returns false if there are no guesses. */
function showChances() {
  board.querySelectorAll(".chance").forEach((old) => old.remove());
  for (const element of elements("g[data-choice]", board)) {
    const chance = prompt?.best(JSON.parse(element.dataset.choice ?? "")) ?? 0;
    const shape = /** @type {SVGGraphicsElement | null} */ (element.querySelector("rect, circle"));
    if (chance === 0 || !shape) continue;
    const { x, y, width } = shape.getBBox();
    element.append(el("g", { class: "chance" }, el("rect", { x, y: y - 2, width, height: 17, rx: 5 }), el("text", { x: x + width / 2, y: y + 11 }, rounded(chance))));
  }
  return board.querySelector(".chance") !== null;
}

/** Shows and stores the marks. */
function showMarks() {
  elements("[data-mark]", board).forEach((button) => button.setAttribute("aria-pressed", String(marks.has(button.dataset.mark))));
  unmark.hidden = marks.size === 0;
  remember(`marks ${here}`, [...marks]);
}

function end(update) {
  const { ending, kept, moments, failure } = update;
  showCompany(update);
  if (failure) now.textContent = `The match could not be kept: ${failure}`;
  if (!ending || hasEnded) return;
  hasEnded = kept;
  leave.hidden = true;
  const rows = places(ending);
  const own = rows.find((row) => row.seat === seat);
  const best = rows.find((row) => row.seat !== seat);
  if (own && rows.length === 2) remember(`game ${facts.game}`, { bot: bots[1 - seat], won: own.place < best.place });
  moveSection.replaceChildren(el("h2", { tabindex: -1 }, own ? result(own, best, ending.ended) : "The end"),
    el("ol", {}, ...rows.map(({ place, points, seat }) => el("li", { value: place }, el("bdi", {}, names[seat]), `: ${count(points, "point")}`))),
    el("table", {}, el("caption", {}, "Where the points come from"), el("tbody", {}, ...rows.map(({ breakdown, seat }) => el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, names[seat])), el("td", {}, sources(breakdown)))))),
    ...(moments ? lesson(moments) : []),
    kept ? el("p", {}, el("a", { href: `${here}/replay` }, "Replay with nothing hidden")) : el("p", {}, "The match is being kept."),
    kept ? again() ?? "" : "");
  if (kept) reveal();
  moveSection.querySelector("h2")?.focus({ preventScroll: true });
}

/** Shows the table with nothing hidden, and the chart of the match. */
async function reveal() {
  const { text: page } = await request(`${here}/replay`);
  // The data contain no `<`. The page is not parsed, because that would apply its style, which this page's policy forbids.
  const [, data] = /<script id="data"[^>]*>([^<]*)</.exec(page) ?? [];
  if (!data || isOpen) return;
  isOpen = true;
  /** @type {Replay} */
  const replay = unpacked(JSON.parse(data));
  const views = unfold(replay.frames, bots.length, (view, seen) => ({ ...view, ...seen.view })).at(-1) ?? [];
  const shown = /** @type {GameEvent[]} */ (replay.frames.map(({ all }) => all?.event).filter(Boolean));
  board.replaceChildren(drawTable({ bots: names, eyes: null, views, before: views, event: null, events: shown, rules: replay.rules }));
  unmark.hidden = true;
  const graph = course(replay);
  if (graph) moveSection.append(graph);
}

/** Lists the clear mistakes, by the judge or by counting. */
function lesson(moments) {
  if (moments.length === 0) return [el("p", {}, "No clear mistake of yours was found.")];
  const rows = moments.map(({ turn, words }) => el("li", {}, el("a", { href: `${here}/replay#turn=${turn}` }, `Turn ${turn}`), `: you ${words}.`));
  return [el("h3", {}, "What could be better, by what you knew"), el("ul", {}, ...rows)];
}

/** Describes the result for this seat in a few words. */
function result(own, best, ended) {
  const ahead = Math.abs(own.points - best.points);
  const by = ahead > 0 ? ` by ${count(ahead, "point")}` : "";
  const why = ended === "forfeit" ? own.place > 1 ? `: you forfeited${hasRunOut ? ", your time ran out" : ""}` : ": the others forfeited" : by;
  if (own.place < best.place) return `You won${why}`;
  return own.place > best.place ? `You lost${why}` : "A draw";
}

/** Describes the sources of points that counted, each with its count. */
function sources(breakdown) {
  return counts(Object.fromEntries(Object.entries(breakdown).filter(([, number]) => number !== 0))) || "none";
}

// A click on the table marks an element, or chooses it if it can be chosen.
board.addEventListener("click", (event) => {
  hurry();
  const at = /** @type {Element} */ (event.target);
  const mark = /** @type {HTMLElement | null} */ (at.closest("[data-mark]"))?.dataset.mark;
  if (mark && !marks.delete(mark)) marks.add(mark);
  if (mark) return showMarks();
  const element = /** @type {HTMLElement | null} */ (at.closest("[data-choice]"));
  if (element) prompt?.pick(JSON.parse(element.dataset.choice ?? ""));
});

setInterval(showTurn, 250);

const look = follow(`${here}/news?browser=${browser()}&`, {}, takeNews, () => (hasEnded || document.hidden ? HIDDEN : asked === null && seat !== null ? QUICK : USUAL));

/** Processes news from the server. */
function takeNews(update) {
  const { question, away, from } = update;
  if (asked !== null && (question?.turn !== asked || question.is_sent)) close();
  deadline = question && question.left_ms !== null && !question.is_sent ? Date.now() + question.left_ms : null;
  names = namesOf(away);
  waiting = update.waiting.map(([of, left]) => ({ of, until: left === null ? null : Date.now() + left }));
  // After loading or reconnecting, the page shows the current state immediately.
  if (from === 0) {
    steps.length = happened.length = 0;
    events.replaceChildren();
  }
  steps.push(...update.happened.map((happening) => ({ happening })), { update });
  if (from === 0 || calm.matches) hurry();
  else if (pacing === undefined || steps.length === 1) step();
  skip.hidden = steps.length === 0;
}

/** Shows the next event, and continues after a pause. */
function step() {
  clearTimeout(pacing);
  do show(steps.shift()); while (steps[0]?.update);
  skip.hidden = steps.length === 0;
  pacing = setTimeout(() => { pacing = undefined; if (steps.length > 0) step(); }, EVENT_INTERVAL / Math.max(1, steps.length / 6));
}

/** Shows all queued updates immediately. */
function hurry() {
  clearTimeout(pacing);
  pacing = undefined;
  skip.hidden = true;
  steps.splice(0).forEach(show);
}

/** Shows an event, or the state after the last one. */
function show({ happening, update }) {
  if (happening) {
    happened.push(happening);
    now.textContent = happening.sentence;
    events.querySelector("[aria-current]")?.removeAttribute("aria-current");
    events.append(el("li", { "aria-current": "step" }, happening.sentence));
    events.scrollTop = events.scrollHeight;
    drawView(happening.view);
    const mark = board.querySelector(".hit, .miss");
    return mark && signal(mark.classList.contains("hit") ? "hit" : "miss");
  }
  const { question } = update;
  now.textContent = question?.is_sent ? "Sent." : question ? yourMove() : update.ending ? "The match is over." : happened.at(-1)?.sentence ?? "The match begins.";
  drawView(update.view);
  if (question && !question.is_sent) ask(question);
  end(update);
  banner.textContent = "";
  showTurn();
}
