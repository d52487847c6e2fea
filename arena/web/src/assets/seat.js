// A person's seat: the table as the seat sees it, what happened, and the open question.

const facts = JSON.parse(document.getElementById("data").textContent);
const here = location.pathname;
const { bots, seat } = facts;
const happened = [];
let shown = "";
let prompt = null;
let deadline = null;
let before = null;

const now = el("p", { class: "now", "aria-live": "polite" });
const board = el("div", { class: "tables" });
const moveSection = el("section", { "aria-label": "Your move" });
const events = el("ol", { class: "moves events", tabindex: 0 });
const clock = el("p", { class: "state" });
const leave = el("button", { type: "button", onclick: () => { if (leave.dataset.sure) post("leave"); else { leave.dataset.sure = "yes"; leave.textContent = "Leave and forfeit: sure?"; } } }, "Leave");
document.getElementById("table").append(el("div", { class: "stage" },
  el("div", { class: "board" }, now, board, moveSection, clock, leave),
  el("nav", { "aria-label": "What happened" }, el("h2", {}, "What happened"), events)));
const connection = document.getElementById("connection");

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
  board.replaceChildren(drawTable({ bots, eyes: seat, views: all(view), before: all(before ?? view), event: seen.at(-1) ?? null, events: seen, rules: facts.rules }));
  before = view;
}

function ask(question) {
  const mark = JSON.stringify(question && [question.turn, question.problem]);
  deadline = question?.left_ms === null || question === null ? null : Date.now() + question.left_ms;
  if (mark === shown) return;
  shown = mark;
  if (!question) {
    prompt = null;
    moveSection.replaceChildren();
    return;
  }
  prompt = promptForm(question.offers, seat, async (action) => {
    const { failed, why } = await post("answer", { turn: question.turn, action });
    if (failed) prompt?.fail(why);
  });
  const advice = el("p", { role: "status" });
  const hint = facts.hints ? el("button", { type: "button", onclick: async () => {
    const { failed, why, words, bot } = await post("hint");
    advice.textContent = failed ? why : `${bot} would ${words}. It ${why}. That you asked is noted with the move.`;
  } }, "Hint") : null;
  moveSection.replaceChildren(...[el("h2", {}, "Your move"), prompt.form, hint, advice].filter(Boolean));
  if (question.problem) prompt.fail(question.problem);
}

function end({ ending, kept, failure }) {
  if (failure) now.textContent = `The match could not be kept: ${failure}`;
  if (!ending) return;
  leave.hidden = true;
  const rows = ending.outcome.seats.map((score, of) => ({ ...score, of })).sort((one, other) => one.place - other.place);
  moveSection.replaceChildren(el("h2", {}, "The end"),
    el("ol", {}, ...rows.map(({ place, points, of }) => el("li", { value: place }, el("bdi", {}, bots[of]), `: ${count(points, "point")}`))),
    kept ? el("p", {}, el("a", { href: `${here}/replay` }, "Replay with nothing hidden"), " · ", el("a", { href: "/play" }, "Play again")) : el("p", {}, "The match is being kept."));
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
  now.textContent = update.question ? "It is your move." : update.ending ? "The match is over." : happened.at(-1)?.sentence ?? "The match begins.";
  if (update.view) drawView(update.view);
  ask(update.question);
  end(update);
});
