// A person's seat: the table as the seat sees it, what happened, and the open question.

const facts = JSON.parse(document.getElementById("data").textContent);
const here = location.pathname;
const { bots, seat } = facts;
const happened = [];
/** The turn that is asked about. */
let asked = null;
/** True once this page has sent an answer: from then on the next question gets the focus. */
let hasAnswered = false;
/** The number of events that had happened at the last answer. */
let answeredAt = 0;
/** True if the last question was still open when its time was over. */
let hasRunOut = false;
const title = document.title;
/** The players as the table names them. */
const names = bots.map((bot, of) => (of === seat ? `${bot} (you)` : bot));
let prompt = null;
let deadline = null;
let before = null;

const now = el("p", { class: "now", "aria-live": "polite" });
const board = el("div", { class: "tables" });
const moveSection = el("section", { "aria-label": "Your move" });
const news = el("div", { class: "news", role: "log", "aria-label": "Since your last move" });
const events = el("ol", { class: "moves events", tabindex: 0 });
const clock = el("p", { class: "state" });
const leave = el("button", { type: "button", onclick: () => { if (leave.dataset.sure) post("leave"); else setLeave("yes", "Leave and forfeit: sure?"); }, onblur: () => setLeave("", "Leave") }, "Leave");
document.getElementById("table").append(el("div", { class: "stage" },
  el("div", { class: "board" }, now, news, board, moveSection, clock, leave),
  el("nav", { "aria-label": "What happened" }, el("h2", {}, "What happened"), events)));
/** Where the way to another match is put, for who may set up tables. */
const again = el("span", {});
const connection = document.getElementById("connection");

function setLeave(isSure, text) {
  leave.dataset.sure = isSure;
  leave.textContent = text;
}

async function post(what, body = {}) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${here}/${what}`, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => null);
  if (response?.status === 204) return {};
  const answer = await response?.json().catch(() => null);
  return response?.ok ? answer : { why: answer?.why ?? "The server cannot be reached: try again.", failed: true };
}

function drawView(view) {
  const all = (view) => bots.map((_, of) => (of === seat ? view : null));
  const seen = happened.map(({ event }) => event);
  board.replaceChildren(drawTable({ bots: names, eyes: seat, views: all(view), before: all(before ?? view), event: seen.at(-1) ?? null, events: seen, rules: facts.rules, isPlaying: true }));
  before = view;
}

function ask(question) {
  hasRunOut = !question && deadline !== null && Date.now() >= deadline;
  deadline = question?.left_ms === null || question === null ? null : Date.now() + question.left_ms;
  document.title = question ? `Your move · ${title}` : title;
  // A question that is repeated after a wrong answer keeps what was chosen.
  if (question && question.turn === asked) return prompt.fail(question.problem ?? "");
  asked = question?.turn ?? null;
  if (!question) {
    prompt = null;
    moveSection.replaceChildren();
    return;
  }
  prompt = promptForm(question.offers, seat, async (action) => {
    hasAnswered = true;
    answeredAt = happened.length;
    const { failed, why } = await post("answer", { turn: question.turn, action });
    if (failed) prompt?.fail(why);
  });
  const advice = el("div", { role: "status" });
  const hint = facts.hints ? el("button", { type: "button", onclick: async () => {
    const { failed, why, hint: { words, worlds, likeliest } = {}, bot } = await post("hint");
    if (failed) return advice.replaceChildren(why);
    advice.replaceChildren(...byCounting(worlds, likeliest), el("button", { type: "button", onclick: () => {
      advice.replaceChildren(...byCounting(worlds, likeliest), el("p", {}, `${bot} would ${words}. It ${why}.`));
    } }, "Show a move"), el("p", {}, "That you asked is noted with the move."));
  } }, "Hint") : null;
  const heading = el("h2", { tabindex: -1 }, "Your move");
  moveSection.replaceChildren(...[heading, prompt.form, hint, advice].filter(Boolean));
  if (hasAnswered && [document.body, null].includes(document.activeElement)) heading.focus({ preventScroll: true });
  if (question.problem) prompt.fail(question.problem);
}

/** What can be known by counting, as paragraphs: how much is possible, and the likeliest guesses. */
function byCounting(worlds, likeliest) {
  const shown = likeliest.filter(([, chance]) => chance >= 0.01);
  return [
    worlds === null ? null : el("p", {}, `By counting, ${count(worlds, "possibility is left", "possibilities are left")}.`),
    shown.length > 0 ? el("ol", { "aria-label": "Likeliest guesses" }, ...shown.map(([words, chance]) => el("li", {}, `${words}: ${Math.round(100 * chance)} %`))) : null,
  ].filter(Boolean);
}

function end({ ending, kept, moments, failure }) {
  if (failure) now.textContent = `The match could not be kept: ${failure}`;
  if (!ending) return;
  leave.hidden = true;
  const rows = places(ending);
  const [own, best] = [rows.find((row) => row.seat === seat), rows.find((row) => row.seat !== seat)];
  if (rows.length === 2) remember(`game ${facts.game}`, { bot: bots[1 - seat], won: own.place < best.place });
  moveSection.replaceChildren(el("h2", { tabindex: -1 }, result(own, best, ending.ended)),
    el("ol", {}, ...rows.map(({ place, points, seat }) => el("li", { value: place }, el("bdi", {}, names[seat]), `: ${count(points, "point")}`))),
    el("table", {}, el("caption", {}, "Where the points come from"), el("tbody", {}, ...rows.map(({ breakdown, seat }) => el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, names[seat])), el("td", {}, sources(breakdown)))))),
    ...(moments ? lesson(moments) : []),
    kept ? el("p", {}, el("a", { href: `${here}/replay` }, "Replay with nothing hidden"), again) : el("p", {}, "The match is being kept."));
  if (kept) fetch("/play").then(({ ok }) => again.replaceChildren(...(ok ? [" · ", el("a", { href: "/play?again" }, "Play again, seats moved on")] : [])), () => {});
  moveSection.querySelector("h2").focus({ preventScroll: true });
}

/** The moments at which most was lost, by the judge. */
function lesson(moments) {
  if (moments.length === 0) return [el("p", {}, "The judge finds no clear mistake of yours.")];
  const option = ({ action, wins }) => `${action} wins ${Math.round(100 * wins)} %`;
  const rows = moments.map(({ turn, played, options }) => el("li", {}, el("a", { href: `${here}/replay#turn=${turn}` }, `Turn ${turn}`), `: ${option(options[played])}, ${option(options[0])}.`));
  return [el("h3", {}, "Where more could be won, by what you knew"), el("ul", {}, ...rows)];
}

/** How it ended for this seat, in a few words. */
function result(own, best, ended) {
  const ahead = Math.abs(own.points - best.points);
  const by = ahead > 0 ? ` by ${count(ahead, "point")}` : "";
  const why = ended === "forfeit" ? own.place > 1 ? `: you forfeited${hasRunOut ? ", your time was over" : ""}` : ": the others forfeited" : by;
  if (own.place < best.place) return `You won${why}`;
  return own.place > best.place ? `You lost${why}` : "A draw";
}

/** The sources of points that counted, each with its number. */
function sources(breakdown) {
  return counts(Object.fromEntries(Object.entries(breakdown).filter(([, number]) => number !== 0))) || "none";
}

// What is clicked on the table is chosen, if it is on offer.
board.addEventListener("click", (event) => {
  const element = event.target.closest("[data-choice]");
  if (!element || !prompt?.pick(JSON.parse(element.dataset.choice))) return;
  board.querySelector(".picked")?.classList.remove("picked");
  element.classList.add("picked");
});

setInterval(() => {
  clock.textContent = deadline === null ? "" : `${Math.max(0, Math.ceil((deadline - Date.now()) / 1000))} s left`;
}, 250);

const source = new EventSource(`${here}/events`);
source.addEventListener("open", () => { connection.textContent = "connected"; });
source.addEventListener("error", () => { connection.textContent = source.readyState === EventSource.CLOSED ? "not connected: this link is not known any more" : "not connected; trying again"; });
source.addEventListener("replaced", () => { source.close(); connection.textContent = "open in too many windows; load this page again to go on here"; });
source.addEventListener("table", (message) => {
  const update = JSON.parse(message.data);
  happened.splice(update.from, happened.length, ...update.happened);
  events.replaceChildren(...happened.map(({ sentence }, nth) => el("li", { "aria-current": nth === happened.length - 1 ? "step" : null }, sentence)));
  events.scrollTop = events.scrollHeight;
  const since = happened.slice(answeredAt).slice(-12);
  if (update.happened.length > 0) news.replaceChildren(...since.map(({ sentence }) => el("p", {}, sentence)));
  now.textContent = update.question ? "It is your move." : update.ending ? "The match is over." : happened.at(-1)?.sentence ?? "The match begins.";
  if (update.view) drawView(update.view);
  ask(update.question);
  end(update);
});
