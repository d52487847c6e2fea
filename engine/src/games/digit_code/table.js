// Digit Code: six seven-segment digits on a lattice, found by asking about lines, places and comparisons.

table(({ choice, count, el, parts, picture, place, sheet, style }) => {
  const CELL_SIZE = 16;
  const [COLUMNS, ROWS] = [[..."ABCDEFGHI"], [..."JKLMNOPQRS"]];
  const DIGIT_LETTERS = ["T", "U", "V", "W", "X", "Y"];
  /** Segments of each digit as places in its lattice: 3 * row + column. */
  const SEGMENTS = [1, 3, 5, 7, 9, 11, 13];
  const FILLED_SEGMENTS = [
    [1, 3, 5, 9, 11, 13], [5, 11], [1, 5, 7, 9, 13], [1, 5, 7, 11, 13], [3, 5, 7, 11],
    [1, 3, 7, 11, 13], [1, 3, 7, 9, 11, 13], [1, 5, 11], [1, 3, 5, 7, 9, 11, 13], [1, 3, 5, 7, 11, 13],
  ];

  /** @type {Draw} */
  function draw({ bots, eyes, views, event, events, isPlaying }) {
    const seen = views[eyes ?? 0];
    const [, what] = parts(event);
    const facts = `Game ${Math.max(seen.game, 1)}${seen.master === null ? "" : ` · ${bots[seen.master]} is the question master`}`;
    const places = bots.map((bot, seat) => {
      const code = eyes === null || eyes === seat ? views[seat].code : null;
      const mine = seen.sheet.filter((entry) => parts(entry)[1].seat === seat);
      const state = [count(seen.wins[seat], "win"), seen.wrong[seat] > 0 ? count(seen.wrong[seat], "wrong declaration") : "", seen.solving.includes(seat) ? "" : "not solving"];
      const isLast = (entry) => event && entry === seen.sheet.at(-1) && what.seat === seat && JSON.stringify(entry) === JSON.stringify(event);
      const answers = isPlaying && (bots.length > 2 || seat === eyes);
      const lines = mine.map((entry) => el("li", { class: isLast(entry) ? "new" : null, "data-answered": answers ? question(entry) : null }, sheetLine(entry)));
      return place(bot, state.filter(Boolean).join(", "), what.seat === seat,
        code ? el("div", { class: "hidden" }, hidden(`${bot} has hidden`, code), el("span", { class: "soft" }, `hidden by it: ${code}`)) : null,
        el("ol", { class: "sheet" }, ...lines), isPlaying && seat === eyes ? sought(bots.length === 2 ? mine : seen.sheet) : null);
    });
    const secret = eyes === null ? secretOf(events) : null;
    const engine = secret ? place("The engine's code", "", false, hidden("the engine has hidden", secret)) : null;
    return el("div", { class: "table" }, el("p", { class: "soft" }, facts), engine, el("div", { class: "boards" }, ...places));
  }

  /** Draws a code on its lattice. */
  function hidden(label, code) {
    const figures = [...code].map((figure, digit) => `${DIGIT_LETTERS[digit]} ${figure}`).join(", ");
    return lattice(`${label}: ${figures}`, (digit, place) => ({ class: FILLED_SEGMENTS[Number(code[digit])].includes(place) ? "filled" : "empty" }));
  }

  /** Draws the lattice of the code to be solved, with its known places. Clicking an element asks about it. */
  function sought(entries) {
    const known = new Map();
    for (const entry of entries) {
      const [kind, what] = parts(entry);
      if (kind === "asked_place") known.set(what.column + what.row, what.filled ? "filled" : "empty known");
      // All places of a line are known if none or all of them are filled.
      const along = kind === "asked_line" ? onLine(what.line) : [];
      if (along.length > 0 && [0, along.length].includes(what.filled)) along.forEach((place) => known.set(place, what.filled > 0 ? "filled" : "empty known"));
    }
    const drawn = lattice("the code that you look for", (digit, place) => {
      const column = COLUMNS[3 * (digit % 3) + (place % 3)];
      const row = ROWS[5 * Math.floor(digit / 3) + Math.floor(place / 3)];
      return { class: known.get(column + row) ?? "empty", ...choice({ column, row }) };
    }, true);
    const box = el("div", { class: "lattice", tabindex: 0, role: "region", "aria-label": "The code that you look for" }, drawn);
    return el("div", { class: "sought" }, box, el("span", { class: "soft" }, "Touch the letter of a line or digit, or a place, to ask about it."), sheet("code", DIGIT_LETTERS, [..."0123456789"]));
  }

  /** Returns the places of a line that may be filled. */
  function onLine(line) {
    const all = DIGIT_LETTERS.flatMap((_, digit) => SEGMENTS.map((place) => COLUMNS[3 * (digit % 3) + (place % 3)] + ROWS[5 * Math.floor(digit / 3) + Math.floor(place / 3)]));
    return all.filter((place) => place.includes(line));
  }

  /** Draws a lattice with the letters of columns and rows; if it can be clicked, also with those of digits. */
  function lattice(label, attributes, isTouched = false) {
    const [left, top] = [18, 18];
    // Letters that can be clicked have a margin.
    const letter = (x, y, width, text, values) => (isTouched
      ? el("g", choice(values), el("rect", { class: "room", x: x - width / 2, y: y - 13, width, height: 18 }), el("text", { x, y, class: "index" }, text))
      : el("text", { x, y, class: "index" }, text));
    const across = (digit) => left + (digit % 3) * (3 * CELL_SIZE + 10);
    const down = (digit) => top + Math.floor(digit / 3) * (5 * CELL_SIZE + 10);
    const digits = DIGIT_LETTERS.map((name, digit) => {
      return el("g", {}, isTouched ? letter(across(digit) + 1.5 * CELL_SIZE, down(digit) + 2 * CELL_SIZE - 3, CELL_SIZE, name, { digit: name }) : null, SEGMENTS.map((place) => {
        const [x, y] = [across(digit) + (place % 3) * CELL_SIZE, down(digit) + Math.floor(place / 3) * CELL_SIZE];
        return el("rect", { x: x + 1, y: y + 1, width: CELL_SIZE - 2, height: CELL_SIZE - 2, rx: 3, ...attributes(digit, place) });
      }));
    });
    const columns = COLUMNS.map((line, nth) => letter(across(Math.floor(nth / 3)) + (nth % 3) * CELL_SIZE + CELL_SIZE / 2, 13, CELL_SIZE, line, { line }));
    const rows = ROWS.map((line, nth) => letter(9, down(3 * Math.floor(nth / 5)) + (nth % 5) * CELL_SIZE + CELL_SIZE - 3, 18, line, { line }));
    return picture(label, left + 3 * (3 * CELL_SIZE + 10), top + 2 * (5 * CELL_SIZE + 10), ...digits, ...columns, ...rows);
  }

  /** Returns the action that an entry of the sheet answers, as JSON; null for a declaration. */
  function question(entry) {
    const [kind, { line, digit, pair, column, row }] = parts(entry);
    return kind === "declared" ? null : JSON.stringify({ [kind.replace("asked", "ask")]: { line, digit, pair, column, row } });
  }

  /** Draws a question with its answer, or a declaration. */
  function sheetLine(entry) {
    const [kind, what] = parts(entry);
    switch (kind) {
      case "asked_line": return `${COLUMNS.includes(what.line) ? "column" : "row"} ${what.line}: ${what.filled} filled`;
      case "asked_parity": return `${what.digit} is ${what.parity}`;
      case "asked_larger": return `of ${what.pair[0]} and ${what.pair[1]}, ${what.larger} is larger`;
      case "asked_place": return `(${what.column}, ${what.row}) is ${what.filled ? "filled" : "empty"}`;
      case "declared": return `declares ${what.code}: ${what.right ? "✓ right" : "✗ wrong"}`;
      default: return kind;
    }
  }

  /** Draws the code hidden by the engine. */
  function secretOf(events) {
    const started = events.findLastIndex((event) => event.game_started);
    return events.slice(started + 1).find((event) => event.hid?.seat === null)?.hid.code ?? null;
  }

  style(`
    .filled{fill:var(--ink)}
    .empty{fill:transparent;stroke:var(--soft)}
    .empty.known{fill:var(--line);stroke-dasharray:2}
    .room{fill:transparent}
    .sought .lattice{overflow-x:auto;scrollbar-width:thin}
    .sought svg{width:604px;max-width:none;height:auto}
    .sought rect{vector-effect:non-scaling-stroke}
    .sought .index{font-size:8px}
    .sheet{margin:0;padding-left:1.8rem}
  `);
  return draw;
});
