// A match, step by step: the controls, the table, what happened, and what was asked and replied.

const TABLES = { coda: codaTable, "code-777": code777Table, "crack-the-code": crackTheCodeTable, "digit-code": digitCodeTable };
/** Steps per second. */
const SPEEDS = [0.5, 1, 2, 4, 8];
const EVERYTHING = "everything";
const SIDE_BY_SIDE = "side by side";

/** Shows a replay in an element. */
function showReplay(root, replay) {
  const { frames, bots } = replay;
  const views = unfold(frames, bots.length);
  const state = { step: 0, eyes: replay.seat === null ? EVERYTHING : String(replay.seat), timer: null, speed: 1 };

  const eyes = el("select", { id: "eyes", onchange: () => { state.eyes = eyes.value; draw(); list(); } }, ...perspectives(replay));
  const speed = el("select", { id: "speed", onchange: () => { state.speed = Number(speed.value); if (state.timer) { pause(); play(); } } },
    ...SPEEDS.map((speed) => el("option", { value: speed, selected: speed === state.speed }, `${speed} a second`)));
  const button = (label, sign, act) => el("button", { type: "button", "aria-label": label, title: label, onclick: act }, sign);
  const toggle = button("Play", "Play", () => (state.timer ? pause() : play()));
  const slider = el("input", { type: "range", min: 0, max: frames.length - 1, value: 0, "aria-label": "Step", oninput: () => go(Number(slider.value)) });
  const where = el("output", { class: "soft" });
  const now = el("p", { class: "now", "aria-live": "polite" });
  const table = el("div", { class: "tables" });
  const moves = el("ol", { class: "moves" });
  const details = el("div", { class: "details" });
  root.append(
    el("div", { class: "controls", role: "group", "aria-label": "Controls" },
      button("To the beginning", "|←", () => go(0)), button("A step back", "←", () => go(state.step - 1)), toggle,
      button("A step on", "→", () => go(state.step + 1)), button("To the end", "→|", () => go(frames.length - 1)),
      slider, where, el("label", {}, "Seen by ", eyes), el("label", {}, "Speed ", speed)),
    el("div", { class: "stage" },
      el("div", { class: "board" }, now, table, details),
      el("nav", { "aria-label": "What happened" }, el("h2", {}, "What happened"), moves)));

  function sight(step) {
    const { eyes } = state;
    return eyes === EVERYTHING || eyes === SIDE_BY_SIDE ? frames[step].all : frames[step].seats[Number(eyes)];
  }

  function tableOf(eyes) {
    const frame = frames[state.step];
    const event = (eyes === null ? frame.all : frame.seats[eyes])?.event ?? null;
    const secret = eyes === null ? secretOf(frames, state.step) : null;
    return TABLES[replay.game]({ bots, eyes, views: views[state.step], event, secret, rules: replay.rules });
  }

  function draw() {
    const { step, eyes } = state;
    now.textContent = summary(replay, frames, step, sight(step), seatOf(eyes));
    const seats = eyes === SIDE_BY_SIDE ? bots.map((_, seat) => seat) : [seatOf(eyes)];
    const tables = seats.map((seat) => eyes === SIDE_BY_SIDE ? el("section", { class: "half" }, el("h2", {}, "As seen by ", el("bdi", {}, bots[seat])), tableOf(seat)) : tableOf(seat));
    table.replaceChildren(...tables);
    details.replaceChildren(...reactions(replay, frames[step], seatOf(eyes)), ...(step === frames.length - 1 ? [ending(replay)] : []));
    slider.value = step;
    slider.setAttribute("aria-valuetext", now.textContent);
    where.textContent = `${step} of ${frames.length - 1}`;
    for (const item of moves.querySelectorAll("[aria-current]")) item.removeAttribute("aria-current");
    const item = moves.children[step]?.firstChild;
    item?.setAttribute("aria-current", "step");
    if (item) moves.scrollTop = item.offsetTop - moves.clientHeight / 2;
  }

  function list() {
    moves.replaceChildren(...frames.map((frame, step) => {
      const text = summary(replay, frames, step, sight(step), seatOf(state.eyes));
      return el("li", {}, el("button", { type: "button", class: frame.moves.length > 0 ? "turn" : null, onclick: () => go(step) }, text));
    }));
    draw();
  }

  function go(step) {
    state.step = Math.min(Math.max(step, 0), frames.length - 1);
    if (state.step === frames.length - 1) pause();
    draw();
    history.replaceState(null, "", `#${linkTo(frames, state.step)}`);
  }

  function play() {
    if (state.step === frames.length - 1) go(0);
    state.timer = setInterval(() => go(state.step + 1), 1000 / state.speed);
    label("Pause");
  }

  function pause() {
    clearInterval(state.timer);
    state.timer = null;
    label("Play");
  }

  function label(text) {
    toggle.setAttribute("aria-label", text);
    toggle.title = text;
    toggle.textContent = text;
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("select, input")) return;
    if (event.key === " " && event.target.matches("button, summary")) return;
    const act = { ArrowLeft: () => go(state.step - 1), ArrowRight: () => go(state.step + 1), Home: () => go(0), End: () => go(frames.length - 1), " ": () => (state.timer ? pause() : play()) }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  addEventListener("hashchange", () => { state.step = stepOf(frames, location.hash); draw(); });
  state.step = stepOf(frames, location.hash);
  list();
}

/** The views of all seats after each step; those that are not shown are null. */
function unfold(frames, seats) {
  let views = Array(seats).fill(null);
  return frames.map((frame) => (views = views.map((view, seat) => (frame.seats[seat] ? { ...view, ...frame.seats[seat].view } : null))));
}

/** The code that the engine has hidden, where nothing is hidden. */
function secretOf(frames, step) {
  for (let at = step; at >= 0; at -= 1) {
    const [kind, what] = parts(frames[at].all?.event);
    if (kind === "game_started") return null;
    if (kind === "hid" && what.seat === null) return what.code;
  }
  return null;
}

function perspectives(replay) {
  const seats = replay.bots.map((bot, seat) => [String(seat), bot]).filter(([seat]) => replay.seat === null || Number(seat) === replay.seat);
  const all = replay.seat === null ? [[EVERYTHING, "somebody who sees everything"], [SIDE_BY_SIDE, "each seat, side by side"]] : [];
  return [...all, ...seats].map(([value, text]) => el("option", { value }, text));
}

function seatOf(eyes) {
  return eyes === EVERYTHING || eyes === SIDE_BY_SIDE ? null : Number(eyes);
}

/** What happened, in a sentence. */
function summary(replay, frames, step, sight, seat) {
  if (sight?.words) return sight.words;
  if (step === 0) return "The table before the match.";
  const failed = replay.forfeits.filter((forfeit) => frames[step].moves.some((move) => move.turn === forfeit.turn));
  if (failed.length > 0) return failed.map((forfeit) => `${forfeit.bot} forfeits.`).join(" ");
  const own = frames[step].moves.filter((move) => seat === null || move.seat === seat);
  return own.length > 0 ? own.map((move) => `${replay.bots[move.seat]}: ${inWords(move.action)}.`).join(" ") : "The others choose, unseen.";
}

/** An action in a few words. */
function inWords(action) {
  if (action === null) return "no answer";
  const [kind, values] = Object.entries(action)[0];
  const named = Object.entries(values).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return [kind.replaceAll("_", " "), ...named].join(" ");
}

/** What seats were asked and replied in a step. */
function reactions(replay, frame, seat) {
  return frame.moves.filter((move) => seat === null || move.seat === seat).map((move) => {
    const failed = replay.forfeits.find((forfeit) => forfeit.turn === move.turn);
    const time = move.wall_us === null ? null : `${milliseconds(move.wall_us)}${move.cpu_us === null ? "" : `, of which it computed ${milliseconds(move.cpu_us)}`}`;
    const facts = [
      ["Did", move.is_late ? "nothing in time" : failed ? "failed" : inWords(move.action)],
      ["Noted", move.note], ["Took", time],
      ...(failed ? [["Fault", failed.detail], ["What helps", failed.cure], ["Its log", failed.log || null]] : []),
    ].filter(([, value]) => value);
    return el("section", { class: failed ? "reaction fault" : "reaction" },
      el("h3", {}, el("bdi", {}, replay.bots[move.seat]), el("span", { class: "soft" }, ` turn ${move.turn}`)),
      el("dl", {}, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", { class: name === "Its log" || name === "Noted" ? "log" : null }, value)])),
      el("details", {}, el("summary", {}, "What it could choose from"), el("pre", { tabindex: 0 }, move.prompt.map((option) => JSON.stringify(option)).join("\n"))));
  });
}

function milliseconds(micros) {
  return `${(micros / 1000).toPrecision(3)} ms`;
}

/** Places and points. */
function ending(replay) {
  const rows = replay.outcome.seats.map((score, seat) => ({ ...score, seat })).sort((one, other) => one.place - other.place);
  const counts = (breakdown) => Object.entries(breakdown).map(([name, number]) => `${name.replaceAll("_", " ")} ${number}`).join(", ");
  return el("section", { class: "ending" }, el("h3", {}, "The end"), el("table", {},
    el("thead", {}, el("tr", {}, ...["place", "bot", "points", "from"].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, el("td", {}, String(row.place)), el("th", { scope: "row" }, el("bdi", {}, replay.bots[row.seat])),
      el("td", {}, String(row.points)), el("td", {}, replay.forfeits.some((forfeit) => forfeit.seat === row.seat) ? `forfeit; ${counts(row.breakdown)}` : counts(row.breakdown)))))));
}

/** The link to a step: the turn that it follows from, and how many steps it is behind. */
function linkTo(frames, step) {
  for (let at = step; at >= 0; at -= 1) {
    if (frames[at].moves.length > 0) return `turn=${frames[at].moves[0].turn}${step > at ? `+${step - at}` : ""}`;
  }
  return `start${step > 0 ? `+${step}` : ""}`;
}

function stepOf(frames, hash) {
  const [, turn, more] = /^#(?:turn=(\d+)|start)(?:\+(\d+))?$/.exec(hash) ?? [];
  const at = turn === undefined ? 0 : frames.findIndex((frame) => frame.moves.some((move) => move.turn === Number(turn)));
  return Math.min(Math.max(at, 0) + Number(more ?? 0), frames.length - 1);
}

showReplay(document.getElementById("replay"), JSON.parse(document.getElementById("data").textContent));
