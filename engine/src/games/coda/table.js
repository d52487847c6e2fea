// Coda: codes of dark and light panels. Standing panels are seen by their owner only, lying ones by everybody.

table(({ choice, count, el, parts, picture, place, style }) => {
  const PANEL = { width: 40, height: 58, gap: 6, top: 20 };

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
    const start = shown.length * step + (shown.length > 0 && aside.length > 0 ? 18 : 0);
    const drawn = shown.map(({ panel, position, stands }) => codaPanel(panel, position * step, stands, position, stands ? choice({ player: seat, place: position }) : {}, codaMark(seat, position, kind, what)));
    const beside = aside.map((panel, nth) => codaPanel(panel, start + nth * step, true, null, {}, kind === "drew" && what.seat === seat ? { text: "drawn", kind: "new" } : null));
    const words = [...shown.map(({ panel, stands }) => `${codaName(panel)} ${stands ? "standing" : "lying"}`), ...aside.map((panel) => `${codaName(panel)} aside`)];
    return picture(`${bot}: ${words.join(", ")}`, start + aside.length * step, PANEL.top + PANEL.height + 18, ...drawn, ...beside);
  }

  /** Returns the mark for the latest change to a panel; null if it did not change. */
  function codaMark(seat, position, kind, what) {
    const isHere = what.position === position;
    if (kind === "attacked" && what.target === seat && isHere) {
      return { text: `${codaFace(what.panel)} ${what.hit ? "✓" : "✗"}`, kind: what.hit ? "hit" : "miss" };
    }
    if (kind === "inserted" && what.seat === seat && isHere) return { text: "new", kind: "new" };
    if (kind === "exposed" && what.seat === seat && isHere) return { text: "shown", kind: "miss" };
    return null;
  }

  /** Draws a panel, with its place in a code, if any, below it. */
  function codaPanel(panel, x, stands, position, touch, mark) {
    const height = stands ? PANEL.height : PANEL.height * 0.62;
    const y = PANEL.top + PANEL.height - height;
    const colour = panel.startsWith("D") ? "dark" : "light";
    const middle = x + PANEL.width / 2;
    const face = codaFace(panel);
    return el("g", { class: `panel ${colour}${stands ? "" : " lying"}${mark ? ` ${mark.kind}` : ""}`, ...touch },
      el("rect", { x: x + 1.5, y: y + 1.5, width: PANEL.width - 3, height: height - 3, rx: 5 }),
      el("text", { x: middle, y: y + height / 2 + 7, class: face === "?" ? "face unknown" : "face" }, face),
      position === null ? null : el("text", { x: middle, y: PANEL.top + PANEL.height + 14, class: "index" }, String(position)),
      mark ? el("text", { x: middle, y: y - 5, class: "mark" }, mark.text) : null);
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
    .panel .mark{font-weight:700}
    .panel:is(.hit,.miss,.new) rect{stroke-width:3.5;stroke-dasharray:none}
    .panel.hit rect{stroke:var(--good)}
    .panel.miss rect{stroke:var(--bad)}
    .panel.new rect{stroke:var(--new)}
  `);
  return draw;
});
