// Where a table is set up: a game, its rules, and who sits where.

const { games, programs, open: tables } = JSON.parse(document.getElementById("data").textContent);
const lobby = document.getElementById("lobby");
/** The times for a move that are offered, in seconds. */
const CLOCKS = [[null, "no limit"], [30, "30 seconds a move"], [60, "a minute a move"], [300, "5 minutes a move"]];

const labelled = (text, ...inner) => el("label", {}, text, ...inner);
const select = (name, options, more = {}) => el("select", { name, ...more }, ...options.map(([value, text, selected]) => el("option", { value: value ?? "", selected }, text)));
const problem = el("p", { class: "problem", role: "alert" });
const links = el("section", { hidden: true, "aria-label": "Links" });
const game = select("game", games.map(({ name, title }) => [name, title]), { onchange: () => chosen() });
const seats = select("seats", [], { onchange: () => seated() });
const rules = el("fieldset", {}, el("legend", {}, "Rules"));
const sitters = el("fieldset", {}, el("legend", {}, "Who sits where"));
const clock = select("clock", CLOCKS);
const hints = el("input", { type: "checkbox", name: "hints" });
const form = el("form", { onsubmit: open },
  labelled("Game", game), labelled("Seats", seats), labelled("Time for a person", clock), el("label", { class: "check" }, hints, "Hints, on request"),
  sitters, rules, el("button", { type: "submit" }, "Begin"), problem);
const rows = tables.map(({ id, name, game, is_empty }) => el("li", {}, el("bdi", {}, name), ` (${game}${is_empty ? ", nobody is there" : ""}) `, el("button", { type: "button", onclick: (event) => close(id, event.target) }, "End this match")));
lobby.append(form, links, ...(rows.length ? [el("h2", {}, "Matches that are being played"), el("ul", {}, ...rows)] : []));
chosen();

function current() {
  return games.find(({ name }) => name === game.value);
}

function chosen() {
  const { seats: counts, rules: all } = current();
  seats.replaceChildren(...counts.map((count) => el("option", { value: count }, String(count))));
  rules.replaceChildren(el("legend", {}, "Rules"), ...Object.entries(all).map(([name, value]) => {
    const text = name.replaceAll("_", " ");
    if (typeof value === "boolean") return el("label", { class: "check" }, el("input", { type: "checkbox", name, checked: value }), text);
    return labelled(text, el("input", { name, value: String(value), inputmode: typeof value === "number" ? "numeric" : null, size: 8 }));
  }));
  seated();
}

/** A row for each seat: a person with a name, or a bot. */
function seated() {
  const { bots } = current();
  const strongest = bots.at(-1);
  const rows = Array.from({ length: Number(seats.value) }, (_, seat) => {
    const options = [["person", "a person", seat === 0], ...bots.map((name) => [`builtin ${name}`, name, seat > 0 && name === strongest]), ...programs.map((name) => [`program ${name}`, `${name} (program)`])];
    const name = el("input", { "aria-label": `Name in seat ${seat}`, value: seat === 0 ? "guest" : `guest ${seat}`, maxlength: 64, hidden: seat > 0 });
    const who = select("who", options, { "aria-label": `Seat ${seat}`, onchange: () => { name.hidden = who.value !== "person"; } });
    return el("div", { class: "sitter" }, `Seat ${seat} `, who, name);
  });
  sitters.replaceChildren(el("legend", {}, "Who sits where"), ...rows);
}

/** Ends a match for all of its people, if the button is pressed twice. */
async function close(id, button) {
  if (!button.dataset.sure) {
    button.dataset.sure = "yes";
    button.textContent = "End it, and all people forfeit: sure?";
    return;
  }
  await fetch("/play/close", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ id }) }).catch(() => null);
  location.reload();
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
    const [kind, ...words] = row.querySelector("select").value.split(" ");
    return { [kind]: kind === "person" ? row.querySelector("input").value : words.join(" ") };
  });
  const wanted = {
    game: game.value, rules: Object.fromEntries(inputs.filter(([, value, was]) => value !== was).map(([name, value]) => [name, value])),
    seats: who, move_s: clock.value === "" ? null : Number(clock.value), hints: hints.checked,
  };
  const response = await fetch("/play", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(wanted) }).catch(() => null);
  const answer = await response?.json().catch(() => null);
  if (!response?.ok) {
    problem.textContent = answer?.why ?? "The server cannot be reached.";
    return;
  }
  if (answer.seats.length === 1) {
    location.assign(answer.seats[0].address);
    return;
  }
  form.hidden = true;
  links.hidden = false;
  links.replaceChildren(el("h2", {}, "The table is set"), el("p", {}, "Each person opens one of these addresses. Everybody who has an address can play in its seat, so send it to that person only."),
    el("ul", {}, ...answer.seats.map(({ name, address }) => el("li", {}, el("bdi", {}, name), ": ", el("a", { href: address }, new URL(address, location.href).href)))));
}
