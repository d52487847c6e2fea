// Draws the table of the page with the picture of its game. Without a picture, the view of each seat is shown field by field, with changes
// marked.

/**
 * Draws the table of the page's game: `bots` by seat, the seat whose `eyes` see it (null if nothing is hidden), the `views` of all seats
 * that are seen and those `before` the last event, that `event`, all `events` so far, and the `rules`.
 * @type {Draw}
 */
let drawTable = drawTree;

/**
 * Registers the picture of a game: its `table.js` calls this once.
 * @param {(tools: Tools) => Draw} make
 */
function table(make) {
  drawTable = make({ choice, count, el, parts, picture, place, sheet, style });
}

/** @type {Draw} */
function drawTree({ bots, eyes, views, before }) {
  const seats = bots.map((_, seat) => seat).filter((seat) => eyes === null || eyes === seat);
  return el("div", { class: "table boards" }, ...seats.map((seat) => place(`What ${bots[seat]} sees`, "", false, branch(views[seat], before[seat], "", bots))));
}

/** Draws a value of a view, named after its field. */
function branch(value, before, name, bots) {
  const isLeaf = (value) => value === null || typeof value !== "object";
  if (isLeaf(value)) return el("span", { class: value === before ? null : "new" }, leaf(value, name, bots));
  const known = isLeaf(before) || before === undefined ? {} : before;
  const isList = Array.isArray(value);
  const isBySeat = isList && PLAYERS.by_seat.includes(name);
  const inner = (key, of) => branch(value[key], known[key], of, bots);
  if (isList && value.length === 0) return el("span", { class: known.length === 0 ? null : "new" }, "none");
  if (isList && !isBySeat && value.every(isLeaf)) return el("span", {}, ...value.flatMap((_, nth) => [nth > 0 ? " " : "", inner(nth, name)]));
  if (Object.keys(value).length === 0) return el("ul", { class: "tree" }, el("li", { class: "soft" }, "nothing yet"));
  const label = (key) => (isBySeat ? el("bdi", {}, bots[key]) : isList ? `${Number(key) + 1}.` : key.replaceAll("_", " "));
  return el("ul", { class: "tree" }, ...Object.keys(value).map((key) => el("li", {}, el("span", { class: "soft" }, label(key), " "), inner(key, isList ? "" : key))));
}

function leaf(value, name, bots) {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return PLAYERS.seat.includes(name) && bots[value] !== undefined ? bots[value] : String(value);
}
