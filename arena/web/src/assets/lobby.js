// The form that sets up a table: a game, its rules, and the players by seat.

const { games, programs, open: tables } = JSON.parse(byId("data").textContent ?? "");
const lobby = byId("lobby");
/** Time limits on offer for a move, in seconds. */
const CLOCKS = [[null, "no limit"], [30, "30 seconds a move"], [60, "a minute a move"], [300, "5 minutes a move"]];

const labelled = (text, ...inner) => el("label", {}, text, ...inner);
const select = (name, options, more = {}) => el("select", { name, ...more }, ...options.map(([value, text, selected]) => el("option", { value: value ?? "", selected }, text)));
const problem = el("p", { class: "problem", role: "alert" });
const links = el("section", { hidden: true, "aria-label": "Links" });
const game = select("game", games.map(({ name, title }) => [name, title]), { onchange: () => chosen() });
const rulesPage = el("a", { target: "_blank" });
const seats = select("seats", [], { onchange: () => seated() });
const rules = el("fieldset", {}, el("legend", {}, "Rules"));
const sitters = el("fieldset", {}, el("legend", {}, "Who sits where"));
const clock = select("clock", CLOCKS.map(([seconds, text]) => [seconds, text, seconds === null]));
const hints = el("input", { type: "checkbox", name: "hints" });
const form = el("form", { onsubmit: open },
  labelled("Game", game), rulesPage, labelled("Seats", seats), labelled("Time for a person", clock), el("label", { class: "check" }, hints, "Hints, on request"),
  sitters, el("details", {}, el("summary", {}, "More rules"), rules), el("button", { type: "submit" }, "Begin"), problem);
const rows = tables.map(({ id, name, game, is_empty, watch }) => el("li", {}, el("bdi", {}, name), ` (${game}${is_empty ? ", nobody is there" : ""}) `, el("a", { href: watch }, "Watch"), " ", el("button", { type: "button", onclick: (event) => close(id, event.target) }, "End this match")));
const own = el("section", { hidden: true, "aria-label": "My matches" });
lobby.append(own, el("h2", {}, "A table of your own"), form, links, ...(rows.length ? [el("h2", {}, "Matches that are being played"), el("ul", {}, ...rows)] : []));
chosen();
showOwn();

/** Lists the matches opened in this browser that the server still knows. */
async function showOwn() {
  const keys = (recall("mine") ?? []).map((address) => address.split("/").at(-1));
  if (keys.length === 0) return;
  const { failed, matches } = await post("/play/mine", { keys });
  if (failed) return;
  const address = ({ key }) => `/seat/${key}`;
  remember("mine", matches.map(address));
  own.hidden = matches.length === 0;
  own.replaceChildren(el("h2", {}, "My matches"), el("ul", {}, ...matches.map((match) => el("li", {}, el("bdi", {}, match.name), ` (${match.game}): ${match.state}. `, el("a", { href: address(match) }, "Return")))));
}

function current() {
  return games.find(({ name }) => name === game.value);
}

function chosen() {
  const { seats: counts, rules: usual, title, name } = current();
  rulesPage.textContent = `Rules of ${title}`;
  rulesPage.href = `/rules/${name}`;
  seats.replaceChildren(...counts.map((count) => el("option", { value: count }, String(count))));
  rules.replaceChildren(el("legend", {}, "Rules"), ...Object.entries(usual).map(([name, value]) => {
    const text = name.replaceAll("_", " ");
    if (typeof value === "boolean") return el("label", { class: "check" }, el("input", { type: "checkbox", name, checked: value }), text);
    return labelled(text, el("input", { name, value: String(value), inputmode: typeof value === "number" ? "numeric" : null, size: 8 }));
  }));
  seated();
}

/** Returns the index of a suitable bot: the weakest that does not play at random or, after a match, one chosen by its result. */
function suggested(bots) {
  const last = recall(`game ${game.value}`);
  const place = bots.findIndex(([name]) => name === last?.bot);
  return Math.min(place < 0 ? 1 : Math.max(place + (last.won ? 1 : -1), 1), bots.length - 1);
}

/** Describes the strength of the bot at an index of the list. */
function strength(place, bots) {
  if (place === 0) return "plays at random";
  return place === bots.length - 1 ? "the strongest here" : `level ${place} of ${bots.length - 1}`;
}

/** Shows a row for each seat: a person with a name, or a bot. */
function seated() {
  const { bots } = current();
  const fitting = suggested(bots);
  const rows = Array.from({ length: Number(seats.value) }, (_, seat) => {
    const wanted = seat === 0 ? "person" : `builtin ${bots[fitting][0]}`;
    const builtin = bots.map(([name], place) => [`builtin ${name}`, `${name} (${strength(place, bots)})`]);
    const options = [["person", "a person"], ...builtin, ...programs.map((name) => [`program ${name}`, `${name} (program)`])].map(([value, text]) => [value, text, value === wanted]);
    const name = el("input", { "aria-label": `Name in seat ${seat + 1}`, value: seat === 0 ? recall("name") ?? "guest" : `guest ${seat + 1}`, maxlength: 64 });
    const about = el("span", { class: "state" });
    const chosen = () => {
      name.hidden = who.value !== "person";
      about.textContent = bots.find(([bot]) => `builtin ${bot}` === who.value)?.[1] ?? "";
    };
    const who = select("who", options, { "aria-label": `Seat ${seat + 1}`, onchange: chosen });
    chosen();
    return el("div", { class: "sitter" }, `Seat ${seat + 1} `, who, name, about);
  });
  sitters.replaceChildren(el("legend", {}, "Who sits where"), ...rows);
}

/** Ends a match for all people in it when the button is pressed a second time. */
async function close(id, button) {
  if (!button.dataset.sure) {
    button.dataset.sure = "yes";
    button.textContent = "End it? All people will forfeit";
    return;
  }
  const { failed, why } = await post("/play/close", { id });
  if (failed) button.textContent = `Not ended: ${why} Try again`;
  else location.reload();
}

async function open(event) {
  event.preventDefault();
  problem.textContent = "";
  const usual = current().rules;
  const inputs = [...rules.querySelectorAll("input")].map((input) => {
    const was = usual[input.name];
    const value = typeof was === "boolean" ? input.checked : typeof was === "number" && /^-?\d+$/.test(input.value) ? Number(input.value) : input.value;
    return [input.name, value, was];
  });
  const who = [...sitters.querySelectorAll(".sitter")].map((row) => {
    const [kind, ...words] = row.querySelector("select")?.value.split(" ") ?? [];
    return { [kind]: kind === "person" ? row.querySelector("input")?.value : words.join(" ") };
  });
  const wanted = {
    game: game.value, rules: Object.fromEntries(inputs.filter(([, value, was]) => value !== was).map(([name, value]) => [name, value])),
    seats: who, move_s: clock.value === "" ? null : Number(clock.value), hints: hints.checked,
  };
  const answer = await post("/play", wanted);
  if (answer.failed) {
    problem.textContent = answer.why;
    return;
  }
  remember("name", who[0].person ?? recall("name"));
  if (answer.seats.length === 1) {
    location.assign(answer.seats[0].address);
    return;
  }
  form.hidden = true;
  links.hidden = false;
  links.replaceChildren(el("h2", {}, "The table is set"), el("p", {}, "Each person opens one of these addresses. Everybody who has an address can play in its seat, so send it to that person only."),
    el("ul", {}, ...answer.seats.map(({ name, address }) => {
      const { href } = new URL(address, location.href);
      const copy = el("button", { type: "button", onclick: () => navigator.clipboard?.writeText(href).then(() => { copy.textContent = "Copied"; }) }, "Copy");
      return el("li", {}, el("bdi", {}, name), ": ", el("a", { href: address }, href), " ", copy);
    })), el("p", {}, "Whoever has this address can watch, and sees no more than all players do: ", el("a", { href: answer.watch }, new URL(answer.watch, location.href).href)));
}
