// Code 777: everybody sees all racks except their own.

table(({ count, el, parts, picture, place, sheet, style }) => {
  const CARD = { width: 44, height: 60, gap: 6 };
  const CARD_COLOURS = {
    G: ["green", "#1b7f4d", "#fff"], Y: ["yellow", "#f2c230", "#1b1f24"], K: ["black", "#23272d", "#fff"],
    N: ["brown", "#855428", "#fff"], R: ["red", "#bd3226", "#fff"], P: ["purple", "#73398f", "#fff"], B: ["blue", "#1f66a8", "#fff"],
  };

  /** Distinct cards, and the number of copies of each. */
  const COPIES = { G1: 1, Y2: 2, K3: 3, N4: 4, R5: 4, K5: 1, G6: 3, P6: 3, P7: 1, Y7: 2, B7: 4 };
  const KINDS = Object.keys(COPIES);

  /** @type {Draw} */
  function draw({ bots, eyes, views, event, events, sentences, rules, isPlaying }) {
    const seen = views[eyes ?? 0];
    const [kind, what] = parts(event);
    const facts = `${count(seen.questions, "question")} asked · ${count(seen.pile, "card")} in the pile, ${seen.discards.length} discarded`;
    const rows = bots.map((bot, seat) => {
      // Nobody sees their own rack, so when nothing is hidden the rack is taken from another seat's view.
      const from = eyes ?? views.findIndex((_, other) => other !== seat);
      const declared = kind === "declared" && what.seat === seat ? what : null;
      const rack = declared ? declared.rack : views[from].racks[seat];
      const said = declared ? el("p", { class: declared.right ? "hit" : "miss" }, `${declared.right ? "✓ right" : "✗ wrong"}: declared ${Object.values(declared.said)[0].join(" ")}`) : null;
      return place(bot, count(seen.points[seat], "point"), what.seat === seat, cardsRow(bot, rack), said);
    });
    const dummies = seen.dummies.map((rack, nth) => place(`Rack ${nth + 1} of nobody`, "", false, cardsRow("nobody", rack)));
    const [field, values] = rules.colours ? ["cards", KINDS] : ["numbers", [1, 2, 3, 4, 5, 6, 7]];
    const own = isPlaying ? [answers(events, sentences, eyes), deck(seen), sheet(field, ["On your rack"], values)] : [];
    return el("div", { class: "table" }, el("p", { class: "soft" }, facts), ...rows, ...dummies, ...own);
  }

  /** Shows the unseen copies of each card. They are neither on a visible rack nor discarded, so they may be on the player's own rack. */
  function deck(seen) {
    const gone = [...seen.racks.flatMap((rack) => rack ?? []), ...seen.dummies.flat(), ...seen.discards];
    const left = KINDS.map((kind) => [kind, COPIES[kind] - gone.filter((card) => card === kind).length]);
    const cells = left.map(([kind, number]) => el("li", { class: number === 0 ? "cannot" : null }, `${CARD_COLOURS[kind[0]][0]} ${kind[1]}: ${number}`));
    return el("details", { class: "deck" }, el("summary", {}, "Cards that you do not see"), el("ul", {}, ...cells));
  }

  /** Lists the answers since the seat got its rack, and new cards dealt in between. Only these give information about its own cards. */
  function answers(events, sentences, eyes) {
    const all = events.map((event, nth) => ({ kind: parts(event)[0], what: parts(event)[1], sentence: sentences[nth] }));
    const since = all.slice(all.findLastIndex(({ kind, what }) => kind === "dealt" && what.seat === eyes) + 1);
    const others = since.filter(({ kind, what }) => ["answered", "dealt"].includes(kind) && what.seat !== eyes);
    const first = others.findIndex(({ kind }) => kind === "answered");
    if (first < 0) return null;
    const row = ({ kind, sentence }) => el("li", { class: kind === "dealt" ? "soft" : null }, sentence);
    return el("div", {}, el("h3", {}, "Answers and new cards since you got your rack"), el("ol", { class: "answers" }, ...others.slice(first).map(row)));
  }

  function cardsRow(whose, rack) {
    const step = CARD.width + CARD.gap;
    if (!rack) {
      const backs = [0, 1, 2].map((nth) => el("g", { class: "card back" }, cardShape(nth * step), el("text", { x: nth * step + CARD.width / 2, y: 38, class: "face unknown" }, "?")));
      return picture(`${whose}: three cards that are hidden`, 3 * step, CARD.height, ...backs);
    }
    const cards = rack.map((card, nth) => {
      const [, fill, ink] = CARD_COLOURS[card[0]];
      const middle = nth * step + CARD.width / 2;
      return el("g", { class: "card" }, cardShape(nth * step, fill),
        el("text", { x: middle, y: 32, class: "face", fill: ink }, card.slice(1)),
        el("text", { x: middle, y: 50, class: "letter", fill: ink }, card[0]));
    });
    const words = rack.map((card) => `${CARD_COLOURS[card[0]][0]} ${card.slice(1)}`);
    return picture(`${whose}: ${words.join(", ")}`, 3 * step, CARD.height, ...cards);
  }

  function cardShape(x, fill) {
    return el("rect", { x: x + 1, y: 1, width: CARD.width - 2, height: CARD.height - 2, rx: 6, fill });
  }

  style(`
    .card rect{stroke:var(--line)}
    .deck ul{columns:8rem;list-style:none;margin:.25rem 0;padding:0}
    .answers{margin:0 0 .5rem;padding-left:1.8rem}
  `);
  return draw;
});
