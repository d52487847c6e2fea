// Replay of a match, step by step: the controls, the table, the events, prompts and replies.

/** Steps per second. */
const SPEEDS = [0.5, 1, 2, 4, 8];
const EVERYTHING = "everything";
const SIDE_BY_SIDE = "side by side";
/** Maximum width of a window, in pixels, in which mistakes and settings are initially folded. */
const NARROW_WIDTH = 832;

/**
 * Shows a replay in an element. Returns functions to play it, add a judgement, and remove it. `isAlone` if the page shows nothing else, so that it may
 * use all keys and the address. Unless `isOpen`, nothing reveals the future: neither the moves, nor their number, nor the result.
 */
function showReplay(root, /** @type {Replay} */ replay, { isAlone = true, isOpen = true, atEnd = /** @type {() => void} */ (() => {}), atStep = /** @type {(step: number) => void} */ (() => {}) } = {}) {
  const { frames, bots } = replay;
  const views = unfold(frames, bots.length, (view, seen) => ({ ...view, ...seen.view }));
  const known = unfold(frames, bots.length, (known, seen) => seen.known ?? known);
  /** @type {{ isOpen: boolean, hasGuesses: boolean, step: number, perspective: string, timer: number | undefined, speed: number }} */
  const state = { isOpen, hasGuesses: true, step: 0, perspective: replay.seat === null ? EVERYTHING : String(replay.seat), timer: undefined, speed: 1 };

  const perspective = el("select", { id: "perspective", onchange: () => { state.perspective = perspective.value; list(); keepAddress(); } }, ...perspectives(replay));
  const speed = el("select", { id: "speed", onchange: () => { state.speed = Number(speed.value); if (state.timer) { pause(); play(); } } },
    ...SPEEDS.map((speed) => el("option", { value: speed, selected: speed === state.speed }, `${speed} a second`)));
  const lastTurn = frames.flatMap(({ moves }) => moves).at(-1)?.turn;
  const button = (label, sign, act, more = {}) => el("button", { type: "button", "aria-label": label, title: label, onclick: act, ...more }, sign);
  const toggle = button("Play", "Play", () => (state.timer ? pause() : play()));
  const slider = el("input", { type: "range", min: 0, max: frames.length - 1, value: 0, "aria-label": "Turn", oninput: () => go(Number(slider.value)) });
  const where = el("output", { class: "soft", "aria-live": "off" });
  const forward = button("The next mistake", "Mistake →", () => goTo(nextMistake()), { class: "wrong" });
  const result = el("p", { class: "soft" }, places(replay).map(({ place, points, seat }) => `${place}. ${bots[seat]}: ${count(points, "point")}`).join(" · "));
  const hide = el("input", { type: "checkbox", checked: !isOpen, onchange: () => { state.isOpen = !hide.checked; draw(); } });
  const overview = el("div", { class: "overview" });
  const now = el("p", { class: "now", "aria-live": "polite" });
  const table = el("div", { class: "tables" });
  const moves = el("ol", { class: "moves" });
  const details = el("div", { class: "details" });
  const settings = el("details", { class: "settings", open: innerWidth > NARROW_WIDTH }, el("summary", {}, "More"),
    el("div", {}, el("label", {}, "Seen by ", perspective), el("label", {}, "Speed ", speed), el("label", {}, hide, " Hide what comes next")));
  root.append(el("div", { class: "replay" },
    el("div", { class: "controls", role: "group", "aria-label": "Controls" }, slider, where,
      button("To the beginning", "|←", () => go(0), { class: "edge" }), button("A step back", "←", () => go(state.step - 1)), toggle,
      button("A step forward", "→", () => go(state.step + 1)), button("To the end", "→|", () => go(frames.length - 1), { class: "edge" }), forward, settings),
    el("div", { class: "stage" },
      el("div", { class: "board" }, now, el("h2", { class: "unseen" }, "The table"), table, overview, details, result),
      el("nav", { "aria-label": "What happened" }, el("h2", {}, "What happened"), moves))));

  /** Draws the table as a seat sees it; without a seat, with nothing hidden. */
  function tableOf(seat) {
    const { step } = state;
    const events = frames.slice(0, step + 1).map((frame) => sight(frame, seat)?.event).filter(Boolean);
    const event = sight(frames[step], seat)?.event ?? null;
    return drawTable({ bots, eyes: seat, views: views[step], before: views[Math.max(step - 1, 0)], event, events, rules: replay.rules });
  }

  /** Shows the knowledge of a seat by counting. The list of guesses stays open or folded as the viewer left it. */
  function knowledge(seat) {
    const now = seat === null ? null : known[state.step][seat];
    if (!now || now.worlds === null) return [];
    const title = el("h3", {}, "What ", el("bdi", {}, bots[seat]), " can know now");
    const possible = el("dl", {}, el("dt", {}, "Possible"), el("dd", {}, now.worlds.toLocaleString("en")));
    return [el("section", { class: "reaction" }, title, possible, ...likeliest(now, state.hasGuesses, (isOpen) => { state.hasGuesses = isOpen; }))];
  }

  function draw() {
    const { step } = state;
    const seat = seatOf(state.perspective);
    const half = (seat) => el("section", { class: "half" }, el("h2", {}, "As seen by ", el("bdi", {}, bots[seat])), tableOf(seat), ...knowledge(seat));
    now.textContent = summary(replay, step, seat);
    table.replaceChildren(...(state.perspective === SIDE_BY_SIDE ? bots.map((_, seat) => half(seat)) : [tableOf(seat)]));
    details.replaceChildren(...knowledge(seat), ...reactions(replay, frames[step], seat), ...(step === frames.length - 1 ? [ending(replay)] : []));
    atStep(step);
    slider.value = String(step);
    const turn = frames.slice(0, step + 1).findLast(({ moves }) => moves.length > 0)?.moves[0].turn;
    where.textContent = turn === undefined ? "start" : `turn ${turn}${state.isOpen ? ` of ${lastTurn}` : ""}`;
    slider.setAttribute("aria-valuetext", `${where.textContent}: ${now.textContent}`);
    result.hidden = !state.isOpen && step < frames.length - 1;
    overview.hidden = forward.hidden = !state.isOpen;
    forward.disabled = !nextMistake();
    overview.querySelector(".here")?.setAttribute("d", upright(frames, step));
    slider.hidden = !state.isOpen;
    elements("li", moves).forEach((item, nth) => { item.hidden = !state.isOpen && nth > step; });
    for (const item of moves.querySelectorAll("[aria-current]")) item.removeAttribute("aria-current");
    const item = elements("li > button", moves)[step];
    item?.setAttribute("aria-current", "step");
    if (item) moves.scrollTop = item.offsetTop - moves.clientHeight / 2;
  }

  function list() {
    moves.replaceChildren(...frames.map((frame, step) => {
      const text = summary(replay, step, seatOf(state.perspective));
      const turn = frame.moves.length > 0 ? String(frame.moves[0].turn) : "";
      return el("li", {}, el("button", { type: "button", class: turn && "begins", onclick: () => go(step) }, el("span", { class: "soft" }, turn), text));
    }));
    const found = mistakes();
    const items = largest(found).map(({ step, move, grade }) => el("li", {}, el("button", { type: "button", onclick: () => go(step) },
      el("span", { class: "soft" }, String(move.turn)), el("span", {}, el("bdi", {}, bots[move.seat]), ` ${move.lesson}: ${GRADES[grade].name}`))));
    const graph = course(replay, go);
    const heading = [graded(found), found.length > items.length ? `the ${items.length} largest` : ""].filter(Boolean).join("; ");
    const listed = items.length > 0 ? el("details", { class: "mistakes", open: innerWidth > NARROW_WIDTH }, el("summary", {}, heading), el("ol", { class: "moves" }, ...items)) : null;
    overview.replaceChildren(...[graph, listed].filter((part) => part !== null));
    draw();
  }

  /** Returns the mistakes of the seat whose view is shown, or of all seats. */
  function mistakes() {
    const seat = seatOf(state.perspective);
    return mistakesIn(frames).filter(({ move }) => seat === null || move.seat === seat);
  }

  /** Returns the next blunder or mistake; where there are only inaccuracies, the next of these. */
  function nextMistake() {
    return clear().find(({ step }) => step > state.step);
  }

  function clear() {
    const all = mistakes();
    const clear = all.filter(({ grade }) => grade < GRADES.length - 1);
    return clear.length > 0 ? clear : all;
  }

  function go(step) {
    state.step = Math.min(Math.max(step, 0), frames.length - 1);
    if (state.step === frames.length - 1) {
      if (state.timer) atEnd();
      pause();
    }
    draw();
    keepAddress();
  }

  function goTo(/** @type {{ step: number } | undefined} */ mistake) {
    if (mistake) go(mistake.step);
  }

  /** Stores the step and the viewing seat in the address. */
  function keepAddress() {
    const seen = state.perspective === perspective.options[0].value ? "" : `&seen=${encodeURIComponent(state.perspective)}`;
    if (isAlone) history.replaceState(null, "", `#${linkTo(frames, state.step)}${seen}`);
  }

  function readAddress() {
    state.step = stepOf(frames, location.hash);
    const seen = decodeURIComponent(/&seen=([\w%]+)$/.exec(location.hash)?.[1] ?? "");
    if ([...perspective.options].some(({ value }) => value === seen)) perspective.value = state.perspective = seen;
  }

  function play() {
    if (state.step === frames.length - 1) go(0);
    state.timer = setInterval(() => go(state.step + 1), 1000 / state.speed);
    label("Pause");
  }

  function pause() {
    clearInterval(state.timer);
    state.timer = undefined;
    label("Play");
  }

  function label(text) {
    toggle.setAttribute("aria-label", text);
    toggle.title = text;
    toggle.textContent = text;
  }

  const listening = new AbortController();
  document.addEventListener("keydown", (event) => {
    const at = /** @type {Element} */ (event.target);
    if (!isAlone && !root.contains(at)) return;
    if (event.altKey || event.ctrlKey || event.metaKey || at.matches("select, input")) return;
    if (event.key === " " && at.matches("button, summary")) return;
    const isNext = event.key === "ArrowRight";
    if (event.shiftKey && (isNext || event.key === "ArrowLeft")) {
      event.preventDefault();
      return goTo(isNext ? nextMistake() : clear().findLast(({ step }) => step < state.step));
    }
    const act = { ArrowLeft: () => go(state.step - 1), ArrowRight: () => go(state.step + 1), Home: () => go(0), End: () => go(frames.length - 1), " ": () => (state.timer ? pause() : play()) }[event.key];
    if (act) { event.preventDefault(); act(); }
  }, listening);
  if (isAlone) {
    addEventListener("hashchange", () => { readAddress(); list(); }, listening);
    readAddress();
  }
  list();
  return {
    play: (stepsASecond) => { state.speed = stepsASecond; play(); },
    judge: (/** @type {Replay} */ judged) => { frames.forEach((frame, step) => { frame.moves = judged.frames[step].moves; }); list(); },
    remove: () => { pause(); listening.abort(); root.replaceChildren(); },
  };
}

/** Returns the state of each seat after each step, from the state before and the event that the seat sees; null for seats not shown. */
function unfold(frames, seats, next) {
  let now = Array(seats).fill(null);
  return frames.map((frame) => (now = now.map((before, seat) => (frame.seats[seat] ? next(before, frame.seats[seat]) : null))));
}

/** Restores what the replay of a page leaves out: events that a seat sees like everybody else, and the unchanged parts of lists. */
function unpacked(/** @type {Replay} */ replay) {
  const append = (value, /** @type {(string | number)[]} */ path, items) => {
    if (path.length === 0) return [...value, ...items];
    const [key, ...within] = path;
    const copy = Array.isArray(value) ? [...value] : { ...value };
    copy[key] = append(copy[key], within, items);
    return copy;
  };
  const views = replay.bots.map(() => ({}));
  for (const { all, seats } of replay.frames) {
    seats.forEach((seen, seat) => {
      if (!seen) return;
      const before = views[seat];
      const { grown = [], ...own } = seen;
      const longer = Object.entries(grown.reduce((view, [path, items]) => append(view, path, items), before));
      const view = Object.fromEntries(longer.filter(([name, value]) => value !== before[name]));
      seats[seat] = { ...all, ...own, view: { ...view, ...own.view } };
      views[seat] = { ...before, ...seats[seat].view };
    });
  }
  return replay;
}

function perspectives(replay) {
  const seats = replay.bots.map((bot, seat) => [String(seat), bot]).filter(([seat]) => replay.seat === null || Number(seat) === replay.seat);
  const all = replay.seat === null ? [[EVERYTHING, "everything shown"], [SIDE_BY_SIDE, "each seat, side by side"]] : [];
  return [...all, ...seats].map(([value, text]) => el("option", { value }, text));
}

function seatOf(perspective) {
  return perspective === EVERYTHING || perspective === SIDE_BY_SIDE ? null : Number(perspective);
}

/** Returns the event of a step as a seat sees it; without a seat, with nothing hidden. */
function sight(frame, seat) {
  return seat === null ? frame.all : frame.seats[seat];
}

/** Returns an event in a sentence. */
function summary(replay, step, seat) {
  const frame = replay.frames[step];
  const words = sight(frame, seat)?.words;
  if (words) return words;
  if (step === 0) return "The match begins.";
  const failed = replay.forfeits.filter((forfeit) => frame.moves.some((move) => move.turn === forfeit.turn));
  if (failed.length > 0) return failed.map((forfeit) => `${forfeit.bot} forfeits.`).join(" ");
  const own = frame.moves.filter((move) => seat === null || move.seat === seat);
  return own.length > 0 ? own.map((move) => `${replay.bots[move.seat]}: ${inWords(move.reply)}.`).join(" ") : "The others choose, unseen.";
}

/** Describes a reply in a few words. */
function inWords(reply) {
  if (reply === "late") return "nothing in time";
  if (!reply.act) return "failed";
  const [kind, values] = Object.entries(reply.act)[0];
  const named = Object.entries(values).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`);
  return [kind.replaceAll("_", " "), ...named].join(" ");
}

/** Shows the prompts and replies of a step. */
function reactions(replay, frame, seat) {
  return frame.moves.filter((move) => seat === null || move.seat === seat).map((move) => {
    const failed = replay.forfeits.find((forfeit) => forfeit.turn === move.turn);
    const time = move.wall_us === null ? null : `${duration(move.wall_us)}${move.cpu_us === null ? "" : `, of which it computed ${duration(move.cpu_us)}`}`;
    const facts = [
      ["Did", inWords(move.reply)], ["Mistake", move.lesson], ...counted(move.known),
      ["Noted", move.note], ["Logged", move.log], ["Took", time],
      ...(failed ? [["Fault", failed.detail], ["What helps", failed.help], ["Its log", failed.log || null]] : []),
    ].filter(([, value]) => value);
    return el("section", { class: failed ? "reaction fault" : "reaction" },
      el("h3", {}, el("bdi", {}, replay.bots[move.seat]), el("span", { class: "soft" }, ` turn ${move.turn}`)),
      el("dl", {}, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", { class: ["Its log", "Noted", "Logged"].includes(name) ? "log" : null }, value)])),
      ...likeliest(move.known), ...judgement(move.judged),
      el("details", {}, el("summary", {}, "What it could choose from"), el("pre", { tabindex: 0 }, move.prompt.map((option) => JSON.stringify(option)).join("\n"))));
  });
}

/** Shows the knowledge of a seat by counting, and the information gained. */
function counted(known) {
  if (!known) return [];
  const { worlds, chance, learned } = known;
  return [
    ["Possible", worlds === null ? null : worlds.toLocaleString("en")],
    ["Chance", chance === null ? null : `${percent(chance)} by counting`],
    ["Learned", learned && `${learned.gained.toFixed(2)} bits, ${learned.expected.toFixed(2)} expected`],
  ];
}

/** Shows the likeliest guesses, initially folded unless open: viewers may want to guess first. */
function likeliest(known, open = false, toggled = /** @type {(isOpen: boolean) => void} */ (() => {})) {
  if (!known || known.likeliest.length === 0) return [];
  const guesses = known.likeliest.map(({ action, chance }) => el("li", {}, `${inWords({ act: action })}: ${percent(chance)}`));
  return [el("details", { open, ontoggle: (event) => toggled(event.target.open) }, el("summary", {}, "Likeliest guesses by counting"), el("ol", {}, ...guesses))];
}

/** Shows the judge's best actions, folded. */
function judgement(judged) {
  if (!judged) return [];
  const options = judged.options.map((option, nth) => ({ ...option, isPlayed: nth === judged.played }));
  const shown = options.filter(({ isPlayed, chance }, nth) => nth < 3 || isPlayed || chance === 1);
  const likely = (chance) => (chance === null ? "" : chance === 1 ? " (a certain hit)" : ` (${percent(chance)} likely)`);
  const rows = shown.map(({ action, chance, wins, error, isPlayed }) => el("li", {}, `${action}${likely(chance)}: wins ${percent(wins)} ± ${(100 * error).toFixed(1)}${isPlayed ? ", played" : ""}`));
  return [el("details", {}, el("summary", {}, "What would you do? The judge's options"), el("ol", {}, ...rows))];
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

/** Formats a time in ms, or in s from one second on, to three digits or the integer. */
function duration(micros) {
  const [time, unit] = micros < 999_500 ? [micros / 1000, "ms"] : [micros / 1_000_000, "s"];
  return `${time >= 100 ? Math.round(time) : Number(time.toPrecision(3))} ${unit}`;
}

/** Returns the scores of all seats, best first. */
function places(replay) {
  return replay.outcome.seats.map((score, seat) => ({ ...score, seat })).toSorted((one, other) => one.place - other.place);
}

/** Returns the sources of points, each with its count. */
function counts(breakdown) {
  return Object.entries(breakdown).map(([name, number]) => `${name.replaceAll("_", " ")} ${number}`).join(", ");
}

/** Size of the chart of a match. */
const [WIDE, HIGH] = [600, 110];

/** Kinds of mistakes, worst first: name, and the smallest loss, in the chance to win by the judge, and in the chance to be right by counting. */
const GRADES = [{ name: "blunder", judged: 0.15, counted: 0.5 }, { name: "mistake", judged: 0.1, counted: 0.25 }, { name: "inaccuracy", judged: 0, counted: 0 }];
/** Number of mistakes that are listed and marked in a match full of them. */
const MAX_LISTED = 10;

/** Returns the decisions that were clear mistakes, each with its step, its loss and its kind. */
function mistakesIn(frames) {
  return frames.flatMap(({ moves }, step) => moves.filter(({ lesson }) => lesson).map((move) => {
    const loss = lossOf(move);
    const grade = GRADES.findIndex((grade) => loss >= grade[move.judged ? "judged" : "counted"]);
    return { step, move, loss, grade: grade < 0 ? GRADES.length - 1 : grade };
  }));
}

/** Returns the loss by a mistake: of the chance to win by the judge, or of the chance to be right by counting. A turn that taught nothing is a mistake. */
function lossOf({ judged, known, prompt, reply }) {
  if (judged) return judged.options[0].wins - judged.options[judged.played].wins;
  const best = known.likeliest.find(({ action }) => prompt.some((option) => Object.keys(action)[0] in option))?.chance ?? 0;
  const isWasted = reply.act && known.learned?.expected === 0 && !known.learned.right;
  return Math.max(best - (known.chance ?? 0), isWasted ? GRADES[1].counted : 0);
}

/** Returns the largest mistakes, in their order. */
function largest(mistakes) {
  const least = mistakes.toSorted((one, other) => one.grade - other.grade || other.loss - one.loss).slice(0, MAX_LISTED);
  return mistakes.filter((mistake) => least.includes(mistake));
}

/** Returns the numbers of mistakes by their kind. */
function graded(mistakes) {
  return GRADES.map(({ name }, grade) => [mistakes.filter((mistake) => mistake.grade === grade).length, name]).filter(([number]) => number > 0)
    .map(([number, name]) => count(number, name, name === "inaccuracy" ? "inaccuracies" : `${name}s`)).join(", ");
}

/** Draws the line that marks a step in the chart of a match. */
function upright(frames, step) {
  return `M${across(frames, step)} 0V${HIGH}`;
}

function across(frames, step) {
  return ((step * WIDE) / Math.max(frames.length - 1, 1)).toFixed(1);
}

/**
 * Draws the chart of a match with its mistakes marked: each seat's chance to win by the judge, or its number of possibilities; null if
 * neither is known. With `go`, a click goes to a step.
 */
function course(/** @type {Replay} */ replay, go = /** @type {((step: number) => void) | null} */ (null)) {
  const { frames, bots } = replay;
  const found = chances(replay) ?? possibilities(replay);
  if (!found) return null;
  const { caption, points, words } = found;
  const seats = [...bots.keys()].filter((seat) => points[seat].length > 0);
  const down = (share) => (HIGH * (1 - share)).toFixed(1);
  const lines = seats.map((seat) => el("path", { class: `line${seat}`, d: `M${points[seat].map(([step, share]) => `${across(frames, step)} ${down(share)}`).join("L")}` }));
  const marks = largest(mistakesIn(frames)).filter(({ move }) => points[move.seat].length > 0).map(({ step, move, grade }) => {
    const [, share] = points[move.seat].findLast(([at]) => at <= step) ?? points[move.seat][0];
    return el("circle", { class: `line${move.seat}`, "data-step": step, cx: across(frames, step), cy: down(share), r: 6 - grade }, el("title", {}, `${bots[move.seat]} ${move.lesson}`));
  });
  const legend = seats.map((seat) => el("li", {}, el("span", { class: `key line${seat}` }), " ", el("bdi", {}, bots[seat]), words[seat]));
  const here = go ? [el("rect", { class: "area", width: WIDE, height: HIGH }), el("path", { class: "here" })] : [];
  const drawn = picture(seats.map((seat) => bots[seat] + words[seat]).join(", "), WIDE, HIGH, ...here, ...lines, ...marks);
  if (go) drawn.addEventListener("click", (event) => {
    const { left, width } = drawn.getBoundingClientRect();
    const mark = /** @type {SVGElement} */ (event.target).dataset.step;
    go(Number(mark ?? Math.round(((/** @type {MouseEvent} */ (event).clientX - left) / width) * (frames.length - 1))));
  });
  return el("figure", { class: "course" }, el("figcaption", {}, caption, marks.length > 0 ? "; dots are the largest mistakes" : ""), drawn, el("ul", {}, ...legend));
}

/** Returns each seat's chance to win after its decisions, by the judge; null if the match was not judged. */
function chances(/** @type {Replay} */ { frames, bots, outcome }) {
  const points = bots.map((_, seat) => frames.flatMap(({ moves }, step) => moves.filter((move) => move.seat === seat && move.judged).flatMap(({ judged, lesson }) => {
    const [best, played] = [judged.options[0], judged.options[judged.played]].map(({ wins }) => [step, wins]);
    return lesson ? [best, played] : [played];
  })));
  if (points.every((of) => of.length === 0)) return null;
  const winners = outcome.seats.filter(({ place }) => place === 1).length;
  points.forEach((of, seat) => { if (of.length > 0) of.push([frames.length - 1, outcome.seats[seat].place === 1 ? 1 / winners : 0]); });
  const made = bots.map((_, seat) => graded(mistakesIn(frames).filter(({ move }) => move.seat === seat)));
  return { points, caption: "Chance to win, by the judge, from what each seat knew", words: made.map((number) => `: ${number || "no mistake"}`) };
}

/** Returns the number of possibilities left for each seat, on a logarithmic scale; null for games that do not count them. */
function possibilities(/** @type {Replay} */ { frames, bots }) {
  const known = unfold(frames, bots.length, (known, seen) => seen.known ?? known);
  const left = bots.map((_, seat) => known.flatMap((of, step) => (of[seat]?.worlds ? [[step, of[seat].worlds]] : [])));
  const most = Math.max(...left.flat().map(([, worlds]) => worlds));
  if (most <= 1 || !Number.isFinite(most)) return null;
  const caption = `Possibilities left by counting, from ${most.toLocaleString("en")} to 1 on a logarithmic scale`;
  const points = left.map((of) => of.map(([step, worlds]) => [step, Math.log(Math.max(worlds, 1)) / Math.log(most)]));
  return { points, caption, words: left.map((of) => (of.length > 0 ? `: ${of[of.length - 1][1].toLocaleString("en")} at the end` : "")) };
}

/** Shows places and points. */
function ending(replay) {
  const rows = places(replay);
  return el("section", { class: "ending" }, el("h3", {}, "The end"), el("table", {},
    el("thead", {}, el("tr", {}, ...["place", "bot", "points", "from"].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, el("td", {}, String(row.place)), el("th", { scope: "row" }, el("bdi", {}, replay.bots[row.seat])),
      el("td", {}, String(row.points)), el("td", {}, replay.forfeits.some((forfeit) => forfeit.seat === row.seat) ? `forfeit; ${counts(row.breakdown)}` : counts(row.breakdown)))))));
}

/** Returns the link to a step: its turn, and the number of steps after that. */
function linkTo(frames, step) {
  for (let at = step; at >= 0; at -= 1) {
    if (frames[at].moves.length > 0) return `turn=${frames[at].moves[0].turn}${step > at ? `+${step - at}` : ""}`;
  }
  return `start${step > 0 ? `+${step}` : ""}`;
}

function stepOf(frames, hash) {
  const [, turn, more] = /^#(?:turn=(\d+)|start)(?:\+(\d+))?(?:&seen=.*)?$/.exec(hash) ?? [];
  const at = turn === undefined ? 0 : frames.findIndex((frame) => frame.moves.some((move) => move.turn === Number(turn)));
  return Math.min(Math.max(at, 0) + Number(more ?? 0), frames.length - 1);
}
