// The question to a person as a form: an option, then a value for each of its fields.

/** The values that were chosen last for each field: where a value is asked for each of several places, they are offered again. */
const chosenLast = {};
/** The groups of chips so far: each has a name of its own, whatever the fields of a game are called. */
let groups = 0;

/** A form for the options that are offered to `seat`; `send` gets the action; `possible` are the guesses that may be right, value by value. */
function promptForm(offers, seat, send, possible) {
  const fields = el("div", { class: "fields" });
  const problem = el("p", { class: "problem", role: "alert" });
  const kinds = el("fieldset", { class: "chips", hidden: offers.length === 1 }, el("legend", {}, "What to do"));
  offers.forEach(({ title }, nth) => kinds.append(chip("option", nth, title, nth === 0, () => choose(nth))));
  const meaning = el("p", {});
  const grey = el("input", { type: "checkbox", checked: recall("grey") === true, onchange: () => remember("grey", grey.checked) });
  const aid = el("label", { class: "check" }, grey, "Grey out (✗) what counting rules out");
  const acts = { onsubmit: (event) => { event.preventDefault(); submit(); }, onreset: (event) => { event.preventDefault(); choose(current); }, oninput: () => { fail(""); rule(); } };
  const form = el("form", { class: "prompt", ...acts }, kinds, meaning, aid, fields, el("button", { type: "submit" }, "Do it"), " ", el("button", { type: "reset" }, "Clear"), problem);
  let current = 0;
  let controls = [];

  function choose(nth) {
    current = nth;
    meaning.textContent = offers[nth].help;
    controls = offers[nth].inputs.map(control);
    fields.replaceChildren(...controls.flatMap(({ elements }) => elements));
    fail("");
    rule();
  }

  /** Greys the values that cannot be right with what else is chosen, if that is wanted. */
  function rule() {
    const guesses = possible.map(([guess]) => guess[offers[current].action]).filter(Boolean);
    for (const control of controls) {
      const others = controls.filter((other) => other !== control && !other.isListed && other.read() !== undefined);
      const fitting = guesses.filter((guess) => others.every(({ name, read }) => guess[name] === read()));
      const fits = new Set(fitting.map((guess) => String(guess[control.name])));
      control.cells.forEach(({ value, text, element }) => cross(element, text, grey.checked && guesses.length > 0 && !fits.has(String(value))));
    }
    const all = possible.flatMap(([guess]) => Object.values(guess));
    const marks = elements("[data-mark]");
    aid.hidden = guesses.length === 0 && (all.length === 0 || marks.length === 0);
    for (const button of marks) {
      const [[name, value]] = Object.entries(JSON.parse(button.dataset.mark ?? ""));
      const listed = all.filter((guess) => name in guess);
      button.classList.toggle("cannot", grey.checked && listed.length > 0 && !listed.some((guess) => String(guess[name]) === String(value)));
    }
  }

  /** The chance of the likeliest guess at what an element of the table stands for; 0 if none is offered. */
  function best(marked) {
    return Math.max(0, ...offers.flatMap(({ action, inputs }) => {
      const values = Object.entries(wanted(inputs, marked, seat) ?? { none: null });
      return possible.filter(([guess]) => guess[action] && values.every(([name, value]) => guess[action][name] === value)).map(([, chance]) => chance);
    }));
  }

  function submit() {
    const missing = controls.find(({ read }) => read() === undefined);
    if (missing) return fail(`Choose ${missing.title} first.`);
    const values = together(controls);
    Object.assign(chosenLast, values);
    send({ [offers[current].action]: values });
  }

  /** Says why an answer was refused, until something else is chosen. */
  function fail(why) {
    problem.textContent = why;
  }

  /** Chooses what an element of the table stands for, as if it had been clicked in the form; returns if there is such an option. */
  function pick(marked) {
    const order = [current, ...offers.keys()];
    const nth = order.find((nth) => wanted(offers[nth].inputs, marked, seat));
    if (nth === undefined) return false;
    if (current !== nth) { kinds.querySelectorAll("input")[nth].checked = true; choose(nth); }
    const values = wanted(offers[nth].inputs, marked, seat) ?? {};
    controls.filter(({ name }) => name in values).forEach(({ name, set }) => set(values[name]));
    fail("");
    rule();
    [...fields.querySelectorAll("fieldset")].find((field) => !field.querySelector("select, :checked"))?.querySelector("input")?.focus();
    return true;
  }

  choose(0);
  return { form, pick, fail, rule, best };
}

/** The values of fields that a marked element stands for; null if they are not on offer. */
function wanted(inputs, { player, place, ...named }, seat) {
  const values = {};
  for (const { name, kind } of inputs) {
    if (kind === "player") values[name] = player;
    else if (kind.place === "own") values[name] = player === seat ? place : null;
    else if (kind.place) values[name] = place;
    else if (kind === "list" || kind === "each") values[name] = named[name];
  }
  const meant = Object.entries(values).filter(([, value]) => value !== undefined);
  const isOffered = ([name, value]) => inputs.find((input) => input.name === name).values[0].some((choice) => choice.value === value);
  return meant.length > 0 && meant.every(isOffered) ? Object.fromEntries(meant) : null;
}

/** Marks a value that cannot be. */
function cross(element, text, cannot) {
  element.textContent = cannot ? `${text} ✗` : text;
  element.classList.toggle("cannot", cannot);
}

/** What lets one fill in a field: its elements, those of its values, what is chosen (undefined if nothing is), and a way to choose. */
function control({ name, title, kind, values }) {
  const made = (elements, read, set = /** @type {(value: any) => void} */ (() => {}), cells = /** @type {Cell[]} */ ([])) => ({ name, title, elements, read, set, cells, isListed: kind === "each" || kind.text });
  const cellsOf = (elements, choices, meant = (value) => value) => choices.map(({ value, text }, nth) => ({ value: meant(value), text, element: elements[nth] }));
  const group = (...inner) => el("fieldset", { class: "chips" }, el("legend", {}, title), ...inner);
  const list = (choices, label) => el("select", { "aria-label": label }, ...choices.map(({ text }, nth) => el("option", { value: nth }, text)));
  if (kind === "each") {
    const lists = values.map((choices, nth) => list(choices, `${title}, place ${nth + 1}`));
    lists.forEach((list, nth) => { list.value = String(Math.max(0, values[nth].findIndex(({ value }) => value === chosenLast[name]?.[nth]))); });
    let next = 0;
    return made([group(...lists)], () => lists.map((list, nth) => values[nth][list.value].value), (value) => {
      lists[next].value = String(values[next].findIndex((choice) => choice.value === value));
      next = (next + 1) % lists.length;
    }, lists.flatMap((list, place) => cellsOf([...list.options], values[place], (value) => [place, value])));
  }
  const [choices] = values;
  if (kind.text) {
    const { alphabet, length, prefill } = kind.text;
    const input = el("input", {
      class: "text", value: prefill ? choices[0].value : "", maxlength: length, size: length + 2, autocomplete: "off",
      inputmode: /^\d+$/.test(alphabet) ? "numeric" : null, placeholder: `${length} of ${shortened(alphabet)}`,
    });
    return made([el("label", {}, title, input)], () => input.value.trim() || undefined);
  }
  if (choices.length === 1) return made([], () => choices[0].value);
  if (choices.length > 40) {
    const chosen = list(choices, title);
    return made([el("label", {}, title, chosen)], () => choices[chosen.value].value, (value) => { chosen.value = String(choices.findIndex((choice) => choice.value === value)); }, cellsOf([...chosen.options], choices));
  }
  const own = `field ${(groups += 1)}`;
  const chips = choices.map(({ text }, nth) => chip(own, nth, text, false));
  const boxes = chips.map((chip) => chip.querySelector("input"));
  return made([group(...chips)], () => choices[boxes.findIndex((box) => box.checked)]?.value,
    (value) => { boxes[choices.findIndex((choice) => choice.value === value)].checked = true; }, cellsOf(chips.map((chip) => chip.lastChild), choices));
}

/** The values of several fields as one object. */
function together(controls) {
  return Object.fromEntries(controls.map(({ name, read }) => [name, read()]));
}

/** The letters of an alphabet; of one that is long the first and the last. */
function shortened(alphabet) {
  return alphabet.length > 8 ? `${alphabet[0]} to ${alphabet.at(-1)}` : alphabet;
}

function chip(group, value, text, checked, act = () => {}) {
  return el("label", { class: "chip" }, el("input", { type: "radio", name: group, value, checked, onchange: act }), el("span", {}, text));
}
