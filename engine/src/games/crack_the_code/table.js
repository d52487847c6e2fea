// Crack the Code: each seat guesses the other's code.

table(({ choice, el, parts, picture, place, sheet, style }) => {
  const PEG_SIZE = 44;
  const PEGS = [
    ["#0b65a8", "#fff"], ["#e69f00", "#1b1f24"], ["#007a5a", "#fff"], ["#c24e00", "#fff"], ["#cc79a7", "#1b1f24"],
    ["#f0e442", "#1b1f24"], ["#56b4e9", "#1b1f24"], ["#23272d", "#fff"], ["#9aa3ad", "#1b1f24"], ["#fdfdfb", "#1b1f24"],
  ];

  /** @type {Draw} */
  function draw({ bots, eyes, views, event, rules, isPlaying, draft }) {
    const [kind, what] = parts(event);
    const boards = bots.map((bot, seat) => {
      const other = 1 - seat;
      const guesses = views[eyes ?? 0].guesses[seat];
      const code = views[eyes ?? other].codes[other];
      const rows = guesses.map((guess, nth) => {
        const isNew = kind === "guessed" && what.seat === seat && nth === guesses.length - 1;
        return el("li", { class: isNew ? "new" : null }, pegs(`guess ${nth + 1}`, guess.code), pins(guess.pins));
      });
      const hidden = el("div", { class: "hidden" }, pegs(`the code of ${bots[other]}`, code, rules.positions), el("span", { class: "soft" }, `the code of ${bots[other]}`));
      const isOwn = isPlaying && seat === eyes;
      const colours = Array.from({ length: rules.colours }, (_, nth) => nth + 1);
      const palette = isOwn && draft ? el("div", { class: "palette" }, slots(draft), el("p", { class: "soft" }, "Touch a colour to put it in the ringed place."), ...colours.map(peg)) : null;
      const marks = isOwn ? sheet("code", Array.from({ length: rules.positions }, (_, nth) => `Place ${nth + 1}`), colours) : null;
      return place(bot, `guess ${guesses.length} of ${rules.attempts}`, what.seat === seat, hidden, el("ol", { class: "guesses" }, ...rows), palette, marks);
    });
    return el("div", { class: "table boards" }, ...boards);
  }

  /** Draws the code being chosen: empty places, one of which is filled next. */
  function slots(draft) {
    const { code, slot } = draft;
    const drawn = code.map((colour, place) => {
      const middle = place * PEG_SIZE + PEG_SIZE / 2;
      const [fill, ink] = colour === null ? ["transparent", null] : PEGS[colour - 1];
      return el("g", { class: `slot${place === slot ? " next" : ""}`, ...choice({ slot: place }) },
        el("circle", { cx: middle, cy: PEG_SIZE / 2, r: PEG_SIZE / 2 - 4, fill }),
        colour === null ? null : el("text", { x: middle, y: PEG_SIZE / 2 + 5.5, class: "letter", fill: ink }, String(colour)));
    });
    return picture(`your choice: ${code.map((colour) => colour ?? "empty").join(" ")}`, code.length * PEG_SIZE, PEG_SIZE, ...drawn);
  }

  /** Draws a colour to put into the next place. */
  function peg(colour) {
    return el("button", { type: "button", class: "peg", ...choice({ code: colour }) }, pegs(`colour ${colour}`, [colour]));
  }

  /** Draws a code as pegs; without a code, hidden pegs. */
  function pegs(label, code, positions = 0) {
    const all = code ?? Array(positions).fill(null);
    const words = code ? code.join(" ") : "hidden";
    const drawn = all.map((colour, place) => {
      const [fill, ink] = colour === null ? [null, null] : PEGS[colour - 1];
      const middle = place * PEG_SIZE + PEG_SIZE / 2;
      return el("g", { class: colour === null ? "peg back" : "peg" },
        el("circle", { cx: middle, cy: PEG_SIZE / 2, r: PEG_SIZE / 2 - 3, fill }),
        el("text", { x: middle, y: PEG_SIZE / 2 + 5.5, class: colour === null ? "letter unknown" : "letter", fill: ink }, colour === null ? "?" : String(colour)));
    });
    return picture(`${label}: ${words}`, all.length * PEG_SIZE, PEG_SIZE, ...drawn);
  }

  function pins({ black, white }) {
    return el("span", { class: "pins" }, `${black} black, ${white} white`, el("span", { "aria-hidden": "true" }, " ", ...Array(black).fill("pin black").concat(Array(white).fill("pin")).map((pin) => el("span", { class: pin }))));
  }

  style(`
    .peg circle{stroke:var(--soft)}
    .slot circle{stroke:var(--soft);stroke-width:2;stroke-dasharray:4 3}
    .slot.next circle{stroke:var(--link);stroke-width:4;stroke-dasharray:none}
    .palette button{padding:0;min-width:44px;border-radius:50%}
    .palette p{margin:.25rem 0}
    .guesses{margin:0;padding-left:1.8rem}
    .guesses li{padding:.1rem .3rem}
    .guesses li::marker{color:var(--soft)}
    .guesses svg{display:inline-block;vertical-align:middle}
    .pins{display:inline-block;margin-left:.6rem;font-size:.9rem}
    .pin{display:inline-block;width:.75em;height:.75em;margin-right:.15em;border:1px solid var(--soft);border-radius:50%;background:#fff;forced-color-adjust:none}
    .pin.black{background:#1b1f24}
  `);
  return draw;
});
