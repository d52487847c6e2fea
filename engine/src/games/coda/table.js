// Coda: codes of dark and light panels. Only their owner sees standing panels; everybody sees lying ones.

table(({ choice, count, el, parts, picture, place, style }) => {
  /** A panel, with the height of a row of panels and their numbers. */
  const PANEL = { width: 46, height: 58, gap: 2, row: 78 };
  /** Width of the margins of a row of panels, and of the gap before a drawn panel. */
  const [MARGIN, APART] = [68, 14];

  /** @type {Draw} */
  function draw({ bots, eyes, views, event }) {
    const seen = views[eyes ?? 0];
    const [kind, what] = parts(event);
    const facts = `Round ${Math.max(seen.round, 1)} of ${seen.rounds} · in the pool ${seen.pool.dark} dark, ${seen.pool.light} light`;
    const acting = kind === "eliminated" ? what.by : what.seat;
    const rows = bots.map((bot, seat) => {
      const view = views[eyes ?? seat];
      const facts = count(seen.points[seat], "point");
      const isOut = view.codes[seat].panels.length > 0 && view.codes[seat].standing.length === 0;
      const row = codaRow(bot, seat, view, kind, what);
      return place(bot, isOut ? `${facts}, out of the round` : facts, acting === seat, row);
    });
    return el("div", { class: "table" }, el("p", { class: "soft" }, facts), ...rows);
  }

  /** Draws a seat's code and its drawn panel. */
  function codaRow(bot, seat, view, kind, what) {
    const { panels, standing } = view.codes[seat];
    const taken = view.seat === seat ? view.taken : [];
    const shown = panels.map((panel, position) => ({ panel, position, stands: standing.includes(position) }));
    const aside = view.aside && view.aside.seat === seat ? [view.aside.panel] : taken;
    if (shown.length + aside.length === 0) return el("p", { class: "soft" }, "no panels yet");
    const step = PANEL.width + PANEL.gap;
    // A code that is wider than the window continues in a second row.
    const most = Math.max(Math.floor(((globalThis.innerWidth ?? 1280) - MARGIN) / step), 4);
    const at = (nth, apart = 0) => ({ x: (nth % most) * step + (nth % most > 0 ? apart : 0), top: Math.floor(nth / most) * PANEL.row });
    const beside = (nth) => at(shown.length + nth, shown.length % most + aside.length < most ? APART : 0);
    const drawn = shown.map(({ panel, position, stands }) => codaPanel(panel, at(position), stands, position, stands ? choice({ player: seat, place: position }) : {}, codaMark(seat, position, kind, what)));
    const loose = aside.map((panel, nth) => codaPanel(panel, beside(nth), true, null, {}, kind === "drew" && what.seat === seat ? { text: "drawn", kind: "new" } : null));
    const words = [...shown.map(({ panel, stands }) => `${codaName(panel)} ${stands ? "standing" : "lying"}`), ...aside.map((panel) => `${codaName(panel)} aside`)];
    const places = [...shown.keys()].map((nth) => at(nth)).concat([...aside.keys()].map(beside));
    const [right, bottom] = [Math.max(...places.map(({ x }) => x)) + PANEL.width, Math.max(...places.map(({ top }) => top)) + PANEL.row];
    return picture(`${bot}: ${words.join(", ")}`, right, bottom, ...drawn, ...loose);
  }

  /** Returns the mark for the latest change to a panel; null if it did not change. */
  function codaMark(seat, position, kind, what) {
    const isHere = what.position === position;
    if (kind === "attacked" && what.target === seat && isHere) {
      return { text: `${codaFace(what.panel)} ${what.hit ? "✓" : "✗"}`, kind: what.hit ? "hit" : "miss" };
    }
    if (kind === "inserted" && what.seat === seat && isHere) return { text: "new", kind: "new" };
    if (kind === "exposed" && what.seat === seat && isHere) return { text: "shown", kind: "miss shown" };
    return null;
  }

  /** Draws a panel, with its place in a code, if any, below it. */
  function codaPanel(panel, { x, top }, stands, position, touch, mark) {
    const height = stands ? PANEL.height : PANEL.height * 0.62;
    const y = top + PANEL.height - height;
    const colour = panel.startsWith("D") ? "dark" : "light";
    const middle = x + PANEL.width / 2;
    const face = codaFace(panel);
    return el("g", { class: `panel ${colour}${stands ? "" : " lying"}${mark ? ` ${mark.kind}` : ""}`, ...touch },
      el("rect", { x: x + 1, y: y + 1, width: PANEL.width - 2, height: height - 2, rx: 5 }),
      el("text", { x: middle, y: mark && stands ? y + 26 : y + height / 2 + 7, class: face === "?" ? "face unknown" : "face" }, face),
      position === null ? null : el("text", { x: middle, y: top + PANEL.height + 14, class: "index" }, String(position + 1)),
      mark ? el("g", {}, el("rect", { class: "flag", x, y: top + PANEL.height - 24, width: PANEL.width, height: 24, rx: 5 }), el("text", { x: middle, y: top + PANEL.height - 6, class: "mark" }, mark.text)) : null);
  }

  function codaFace(panel) {
    return panel.slice(1) === "-" ? "–" : panel.slice(1);
  }

  function codaName(panel) {
    const face = { "?": "hidden", "-": "dash" }[panel.slice(1)] ?? panel.slice(1);
    return `${panel.startsWith("D") ? "dark" : "light"} ${face}`;
  }

  style(`
    .panel rect{stroke-width:1.5}
    .dark rect{fill:#23272d;stroke:#8b95a1}
    .dark .face{fill:#fff}
    .light rect{fill:#fbf6e6;stroke:#6f675a}
    .light .face{fill:#1b1f24}
    .lying rect{stroke-dasharray:4 3}
    .lying .face{font-size:17px}
    .panel .unknown{opacity:.75}
    .panel .mark{font-weight:700;font-size:17px;fill:var(--paper)}
    .panel.new .mark,.shown .mark{font-size:12px}
    .panel:is(.hit,.miss,.new) rect{stroke-width:3.5;stroke-dasharray:none}
    .panel.hit rect{stroke:var(--good)}
    .panel.miss rect{stroke:var(--bad)}
    .panel.new rect{stroke:var(--new)}
    .panel.hit .flag{fill:var(--good)}
    .panel.miss .flag{fill:var(--bad)}
    .panel.new .flag{fill:var(--new)}
  `);
  return draw;
});
