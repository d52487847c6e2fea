// The form for a question to a person: an option, then a value for each of its fields.

/** Number of groups of chips so far. It makes their names unique, even if fields of a game have the same name. */
let groups = 0;

/**
 * Returns a form for the options offered to `seat`; `send` receives the action; `possible` lists the guesses that may be right, value by value.
 * With `hints`, a guess that cannot be right, and a question that the table has answered, is sent only after a warning.
 */
function promptForm(offers, seat, send, possible, hints = false) {
  const fields = el("div", { class: "fields" });
  const problem = el("p", { class: "problem", role: "alert" });
  const kinds = el("fieldset", { class: "chips", hidden: offers.length === 1 }, el("legend", { class: "unseen" }, "What to do"));
  offers.forEach(({ title }, nth) => kinds.append(chip("option", nth, capital(title), nth === 0, () => { choose(nth); fold(true); })));
  const meaning = el("p", { class: "soft" });
  const grey = el("input", { type: "checkbox", checked: recall("grey") === true, onchange: () => remember("grey", grey.checked) });
  const aid = el("label", { class: "check" }, grey, "Cross out (✗) what cannot be");
  const primary = el("button", { type: "submit", class: "primary" });
  const more = el("button", { type: "button", class: "more", "aria-expanded": "false", onclick: () => fold(isUnfolded) }, "More");
  const form = el("form", { class: "prompt", onsubmit: (event) => { event.preventDefault(); submit(); }, oninput: () => changed() }, kinds, meaning, fields, aid, el("div", { class: "do" }, primary, more), problem);
  const made = { form, pick, fail, rule, best, state, draft, layout, notify: () => {} };
  let current = 0;
  let isWarned = false;
  let controls = [];
  /** True if a phone shows the whole form; a folded form leaves room for the table. */
  let isUnfolded = offers.length > 2;

  function choose(nth) {
    current = nth;
    meaning.textContent = offers[nth].help;
    controls = offers[nth].inputs.map((input) => control(input, changed));
    layout();
    changed();
  }

  /** Puts the fields into the form. */
  function layout() {
    // Values shown on the table are chosen there by touch. The list offers them to people who cannot do that.
    const touched = controls.filter(isTouched);
    const others = controls.filter((control) => !touched.includes(control));
    const list = el("details", { class: "list", open: recall("list") === true, ontoggle: () => remember("list", list.open) },
      el("summary", {}, `Choose ${touched.map(({ title }) => title).join(" and ")} from a list`), ...touched.flatMap(({ elements }) => elements));
    fields.replaceChildren(...others.flatMap(({ elements }) => elements), ...(touched.length > 0 ? [list] : []));
    pend();
  }

  /** Notes whether the table offers choices, and whether it offers the next one. */
  function pend() {
    form.classList.toggle("touched", controls.some(isTouched));
    const missing = controls.find(({ read }) => read() === undefined);
    form.classList.toggle("pending", Boolean(missing && isTouched(missing)));
  }

  /** Hides or shows what is not needed to choose on the table. */
  function fold(isFolded) {
    isUnfolded = !isFolded;
    more.setAttribute("aria-expanded", String(isUnfolded));
    more.textContent = isUnfolded ? "Less" : offers.length === 2 ? `Or ${offers[1 - current].title}` : "More";
    form.classList.toggle("folded", isFolded);
  }

  /** Returns true if the table has the values of a field. */
  function isTouched({ elements, keys }) {
    return elements.length > 0 && isOnTable(keys);
  }

  /** Leads to the missing field: on the table, or in the form. */
  function lead({ elements: own, keys }) {
    const marks = isOnTable(keys) ? elements("[data-choice]").filter(({ classList }) => classList.contains("can")) : own;
    const mark = marks.find(({ dataset }) => keys.some((key) => key in JSON.parse(dataset.choice ?? "{}"))) ?? marks[0];
    mark?.scrollIntoView?.({ block: "center", inline: "center" });
    mark?.querySelector("input, button")?.focus({ preventScroll: true });
  }

  /** Updates the form after a change. */
  function changed() {
    isWarned = false;
    fail("");
    rule();
    const missing = controls.find(({ read }) => read() === undefined);
    const chosen = controls.filter(({ elements }) => elements.length > 0).map(({ title, text }) => `${title} ${text()}`);
    const title = capital(offers[current].title);
    primary.classList.toggle("missing", Boolean(missing));
    pend();
    primary.textContent = missing ? `Choose ${article(missing.title)}` : [title, ...chosen].join(" · ");
    made.notify();
  }

  /** Returns the guesses of the chosen option that are consistent with the other chosen values. */
  function fitting(control) {
    const guesses = possible.map(([guess]) => guess[offers[current].action]).filter(Boolean);
    const others = controls.filter((other) => other !== control && !other.isListed && other.read() !== undefined);
    return guesses.filter((guess) => others.every(({ name, read }) => guess[name] === read())).map((guess) => String(guess[control.name]));
  }

  /** If enabled, crosses out values that cannot be right together with the other chosen values. */
  function rule() {
    const isGuess = possible.some(([guess]) => guess[offers[current].action]);
    for (const control of controls) {
      const fits = new Set(fitting(control));
      control.cells().forEach(({ value, text, element }) => cross(element, text, grey.checked && isGuess && !fits.has(String(value))));
    }
    const all = possible.flatMap(([guess]) => Object.values(guess));
    const marks = elements("[data-mark]");
    aid.hidden = !isGuess && (all.length === 0 || marks.length === 0);
    for (const button of marks) {
      const [[name, value]] = Object.entries(JSON.parse(button.dataset.mark ?? ""));
      const listed = all.filter((guess) => name in guess);
      button.classList.toggle("cannot", grey.checked && listed.length > 0 && !listed.some((guess) => String(guess[name]) === String(value)));
    }
  }

  /** Returns true if a chosen value cannot be right by counting. */
  function isRuledOut() {
    return possible.some(([guess]) => guess[offers[current].action]) && controls.some((control) => {
      const fits = new Set(fitting(control));
      return control.chosen().some((value) => !fits.has(String(value)));
    });
  }

  /** Returns the probability of the likeliest guess for an element of the table; 0 if no guess is available. */
  function best(marked) {
    return Math.max(0, ...offers.flatMap(({ action, inputs }) => {
      const values = Object.entries(wanted(inputs, marked, seat) ?? { none: null });
      return possible.filter(([guess]) => guess[action] && values.every(([name, value]) => guess[action][name] === value)).map(([, chance]) => chance);
    }));
  }

  function submit() {
    const missing = controls.find(({ read }) => read() === undefined);
    if (missing) return lead(missing);
    const action = { [offers[current].action]: together(controls) };
    const answered = elements("[data-answered]").find(({ dataset }) => dataset.answered === JSON.stringify(action));
    if (hints && !isWarned && (answered || isRuledOut())) {
      isWarned = true;
      const why = answered ? `You know the answer: ${answered.textContent}.` : "By what you know that cannot be right.";
      return fail(`${why} Press again to send it all the same.`);
    }
    send(action);
  }

  /** Shows why an answer was refused, until another value is chosen. */
  function fail(why) {
    problem.textContent = why;
  }

  /** Chooses the value of an element of the table, as if in the form. Returns false if the value cannot be chosen. */
  function pick(marked) {
    if ("slot" in marked) {
      controls.forEach(({ isListed, at }) => isListed && at(marked.slot));
      return true;
    }
    const order = [current, ...offers.keys()];
    const nth = order.find((nth) => wanted(offers[nth].inputs, marked, seat));
    if (nth === undefined) return false;
    if (current !== nth) { kinds.querySelectorAll("input")[nth].checked = true; choose(nth); }
    const values = wanted(offers[nth].inputs, marked, seat) ?? {};
    controls.filter(({ name }) => name in values).forEach(({ name, set }) => set(values[name]));
    changed();
    fold(true);
    return true;
  }

  /** Returns whether an element of the table may be chosen, and whether it has been. */
  function state(marked) {
    const chosen = wanted(offers[current].inputs, marked, seat);
    const isChosen = ([name, value]) => controls.some((control) => control.name === name && !control.isListed && control.read() === value);
    return { can: "slot" in marked || offers.some(({ inputs }) => wanted(inputs, marked, seat)), picked: chosen !== null && Object.entries(chosen).every(isChosen) };
  }

  /** Returns the lists of values so far, with null for values not chosen yet, and the place to fill next. */
  function draft() {
    const lists = controls.filter(({ isListed }) => isListed);
    return lists.length > 0 ? { ...Object.fromEntries(lists.map(({ name, values }) => [name, values()])), slot: lists[0].active() } : null;
  }

  choose(0);
  fold(!isUnfolded);
  return made;
}

/** Returns a noun with its article. */
function article(noun) {
  return `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
}

/** Returns true if one of these is shown on the table. */
function isOnTable(keys) {
  return elements("[data-choice]").some((element) => keys.some((key) => key in JSON.parse(element.dataset.choice ?? "{}")));
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns the field values of a marked element; null if they cannot be chosen. */
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

/** Marks a value as impossible. */
function cross(element, text, cannot) {
  element.textContent = cannot ? `${text} ✗` : text;
  element.classList.toggle("cannot", cannot);
}

/**
 * Returns the controls of a field: its elements, the names under which the table shows it, the chosen value (undefined if none) and its
 * text, a function to choose, and the elements of its values.
 */
function control({ name, title, kind, values }, changed) {
  const keys = kind === "player" ? ["player"] : kind.place ? ["place"] : [name];
  const made = (elements, read, text, set = /** @type {(value: any) => void} */ (() => {}), cells = () => /** @type {Cell[]} */ ([])) => ({
    name, title, keys, elements, read, text, set, cells, isListed: false, chosen: () => (cells().length > 0 && read() !== undefined ? [read()] : []), at: /** @type {(nth: number) => void} */ (() => {}), values: () => [], active: () => 0,
  });
  const cellsOf = (elements, choices) => choices.map(({ value, text }, nth) => ({ value, text, element: elements[nth] }));
  if (kind === "each") return slots(made, title, values, changed);
  const [choices] = values;
  const textOf = (value) => choices.find((choice) => choice.value === value)?.text ?? "";
  if (kind.text) {
    const { alphabet, length, prefill } = kind.text;
    const input = el("input", {
      class: "text", value: prefill ? choices[0].value : "", maxlength: length, size: length + 2, autocomplete: "off",
      inputmode: /^\d+$/.test(alphabet) ? "numeric" : null, placeholder: `${length} of ${shortened(alphabet)}`,
    });
    const read = () => input.value.trim() || undefined;
    return made([el("label", {}, capital(title), input)], read, read);
  }
  if (choices.length === 1) return made([], () => choices[0].value, () => choices[0].text);
  if (choices.length > 40) {
    const chosen = el("select", { "aria-label": title }, ...choices.map(({ text }, nth) => el("option", { value: nth }, text)));
    const read = () => choices[chosen.value].value;
    return made([el("label", {}, capital(title), chosen)], read, () => textOf(read()), (value) => { chosen.value = String(choices.findIndex((choice) => choice.value === value)); }, () => cellsOf([...chosen.options], choices));
  }
  const own = `field ${(groups += 1)}`;
  const chips = choices.map(({ text }, nth) => chip(own, nth, text, false));
  const boxes = chips.map((chip) => chip.querySelector("input"));
  const read = () => choices[boxes.findIndex((box) => box.checked)]?.value;
  return made([el("fieldset", { class: "chips" }, el("legend", {}, capital(title)), ...chips)], read, () => textOf(read()),
    (value) => { boxes[choices.findIndex((choice) => choice.value === value)].checked = true; }, () => cellsOf(chips.map((chip) => chip.lastChild), choices));
}

/** Returns controls for several places: the places, one of which is filled next, and the values for it. */
function slots(made, title, values, changed) {
  const chosen = values.map(() => /** @type {number | null} */ (null));
  let active = 0;
  const places = values.map((_, nth) => el("button", { type: "button", class: "slot", onclick: () => at(nth) }));
  const pad = el("div", { class: "chips", role: "group", "aria-label": `${title}: values` });
  const textAt = (nth) => (chosen[nth] === null ? "" : values[nth][chosen[nth]].text);
  const at = (nth) => { active = nth; draw(); changed(); };
  const fill = (value) => { chosen[active] = value; at((active + 1) % values.length); };

  function draw() {
    places.forEach((place, nth) => {
      place.textContent = textAt(nth) || "·";
      place.setAttribute("aria-label", `${title}, place ${nth + 1}: ${textAt(nth) || "empty"}`);
      place.setAttribute("aria-pressed", String(nth === active));
    });
    const texts = values[active].map(({ text }) => text);
    // Buttons that are not replaced keep the focus.
    const isSame = texts.join("|") === pad.dataset.texts;
    pad.dataset.texts = texts.join("|");
    if (!isSame) pad.replaceChildren(...texts.map((text, nth) => el("button", { type: "button", "data-text": text, onclick: () => fill(nth) }, text)));
  }

  const type = (event) => {
    const typed = values[active].findIndex(({ text }) => text === event.key);
    if (typed >= 0) fill(typed);
  };
  draw();
  const isWhole = () => chosen.every((value) => value !== null);
  const read = () => (isWhole() ? chosen.map((value, nth) => values[nth][value].value) : undefined);
  return {
    ...made([el("fieldset", { class: "slots", onkeydown: type }, el("legend", {}, capital(title)), el("div", { class: "chips" }, ...places), pad)], read, () => chosen.map((_, nth) => textAt(nth)).join(" "),
      (value) => fill(values[active].findIndex((choice) => choice.value === value)),
      () => values[active].map(({ value, text }, nth) => ({ value: [active, value], text, element: pad.children[nth] }))),
    isListed: true, at, active: () => active,
    values: () => chosen.map((value, nth) => (value === null ? null : values[nth][value].value)),
    chosen: () => chosen.flatMap((value, nth) => (value === null ? [] : [[nth, values[nth][value].value]])),
  };
}

/** Returns the values of several fields as one object. */
function together(controls) {
  return Object.fromEntries(controls.map(({ name, read }) => [name, read()]));
}

/** Describes the letters of an alphabet; for a long one, only the first and the last. */
function shortened(alphabet) {
  return alphabet.length > 8 ? `${alphabet[0]} to ${alphabet.at(-1)}` : alphabet;
}

function chip(group, value, text, checked, act = () => {}) {
  return el("label", { class: "chip" }, el("input", { type: "radio", name: group, value, checked, onchange: act }), el("span", {}, text));
}
