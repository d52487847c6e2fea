// The legal choices of a prompt as a form: an option, then a value from each of its lists.

/** A form for a prompt; `send` gets the action. `about` says what kinds of actions mean, `name` a value of a field in words. */
function promptForm(prompt, about, name, send) {
  const options = prompt.map((option) => parts(option));
  const fields = el("div", { class: "fields" });
  const problem = el("p", { class: "problem", role: "alert" });
  const kinds = el("fieldset", { class: "chips", hidden: options.length === 1 }, el("legend", {}, "What to do"));
  options.forEach(([kind, values], nth) => kinds.append(chip("option", nth, optionInWords(kind, values, name), nth === 0, () => choose(nth))));
  const meaning = el("p", {});
  const form = el("form", { class: "prompt", onsubmit: (event) => { event.preventDefault(); submit(); } }, kinds, meaning, fields, el("button", { type: "submit" }, "Do it"), problem);
  let current = 0;

  function choose(nth) {
    current = nth;
    meaning.textContent = about[options[nth][0]] ?? "";
    fields.replaceChildren(...Object.entries(options[nth][1]).flatMap(([field, legal]) => inputs(field, legal, name, options[nth][0])));
  }

  function submit() {
    const [kind, values] = options[current];
    const action = {};
    for (const [field, legal] of Object.entries(values)) {
      const value = read(form, field, legal);
      if (value === undefined) { problem.textContent = `Choose ${field.replaceAll("_", " ")} first.`; return; }
      action[field] = value;
    }
    problem.textContent = "";
    send({ [kind]: action });
  }

  /** Chooses values as if they had been clicked; returns if there is such an option. */
  function pick(kind, wanted) {
    const nth = options.findIndex(([of, values]) => of === kind && Object.entries(wanted).every(([field, value]) => values[field]?.includes(value)));
    if (nth < 0) return false;
    if (current !== nth) { kinds.querySelectorAll("input")[nth].checked = true; choose(nth); }
    for (const [field, value] of Object.entries(wanted)) {
      const input = [...form.querySelectorAll(`input[data-field="${field}"]`)].find((input) => JSON.parse(input.value) === value);
      if (input) input.checked = true;
    }
    [...fields.querySelectorAll("fieldset")].find((field) => !field.querySelector(":checked"))?.querySelector("input")?.focus();
    return true;
  }

  choose(0);
  return { form, pick, fail: (why) => { problem.textContent = why; } };
}

function optionInWords(kind, values, name) {
  const fixed = Object.entries(values).filter(([, legal]) => Array.isArray(legal) && legal.length === 1 && !Array.isArray(legal[0]));
  return [kind.replaceAll("_", " "), ...fixed.map(([field, legal]) => name(field, legal[0]))].join(" ");
}

/** The inputs of a field; none if there is but one value. */
function inputs(field, legal, name, kind) {
  const title = field.replaceAll("_", " ");
  if (!Array.isArray(legal)) return Object.entries(legal).flatMap(([inner, values]) => inputs(inner, values, name, kind));
  if (legal.some(Array.isArray)) {
    const lists = legal.map((values, place) => el("select", { "data-field": field, "aria-label": `${title}, place ${place + 1}` }, ...values.map((value) => el("option", { value: JSON.stringify(value) }, name(field, value)))));
    return [el("fieldset", { class: "chips" }, el("legend", {}, title), ...lists)];
  }
  if (field === "code") {
    return [el("label", {}, title, el("input", { "data-field": field, class: "code", value: kind === "hide" ? legal[0] : "", inputmode: "numeric", maxlength: 6, size: 8, autocomplete: "off", placeholder: "six digits" }))];
  }
  if (legal.length === 1) return [];
  return [el("fieldset", { class: "chips" }, el("legend", {}, title), ...legal.map((value) => chip(field, JSON.stringify(value), name(field, value), false, () => {}, field)))];
}

function chip(group, value, text, checked, act, field = null) {
  return el("label", { class: "chip" }, el("input", { type: "radio", name: group, value, checked, "data-field": field, onchange: act }), el("span", {}, text));
}

/** What was chosen for a field; undefined if nothing was. */
function read(form, field, legal) {
  if (!Array.isArray(legal)) {
    const inner = Object.entries(legal).map(([name, values]) => [name, read(form, name, values)]);
    return inner.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(inner);
  }
  const all = [...form.querySelectorAll(`[data-field="${field}"]`)];
  if (legal.some(Array.isArray)) return all.map((list) => JSON.parse(list.value));
  if (field === "code") return all[0].value.trim() || undefined;
  if (legal.length === 1) return legal[0];
  const checked = all.find((input) => input.checked);
  return checked ? JSON.parse(checked.value) : undefined;
}
