// Creates elements. Text from other programs becomes text nodes, never markup.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "rect", "circle", "path", "text", "title"]);

/**
 * Creates an element with attributes and children; strings become text.
 * @type {Tools["el"]}
 */
const el = (/** @type {string} */ tag, attributes = {}, /** @type {any[]} */ ...children) => {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return /** @type {any} */ (element);
};

/** Returns the element with this id, which the page must have. */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Returns all elements that match a selector, in the page or below an element.
 * @returns {HTMLElement[]}
 */
function elements(selector, below = document.body) {
  return [...below.querySelectorAll(selector)];
}

/**
 * Creates a picture that screen readers read as one sentence. It has its natural size, or a smaller one if there is no room.
 * @type {Tools["picture"]}
 */
function picture(label, width, height, ...children) {
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return el("svg", { ...size, role: "img", "aria-label": label }, el("title", {}, label), ...children);
}

/**
 * Creates the place of a seat at the table: its name, the facts known of it, and its contents.
 * @type {Tools["place"]}
 */
function place(name, facts, isActing, ...content) {
  const heading = el("h3", {}, el("bdi", {}, name), facts ? el("span", { class: "soft" }, ` ${facts}`) : null);
  return el("section", { class: isActing ? "place acting" : "place" }, heading, ...content);
}

/** Returns a number with its noun. */
function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/**
 * Returns the kind of an event and its contents.
 * @type {Tools["parts"]}
 */
function parts(event) {
  return event ? Object.entries(event)[0] : ["", {}];
}

/** Returns the attributes of an element that can be chosen: `player` and `place`, or the value of a field by its name. */
function choice(values) {
  return { "data-choice": JSON.stringify(values) };
}

/** Creates a sheet to mark by hand: for each place of a field, by its label, a button per value. */
function sheet(field, labels, values) {
  const button = (label, place, value) => el("button", { type: "button", "data-mark": JSON.stringify({ [field]: [place, value] }), "aria-label": `${label}: ${value}`, "aria-pressed": "false" }, String(value));
  const rows = labels.map((label, place) => el("div", { role: "group", "aria-label": label }, el("span", {}, label), ...values.map((value) => button(label, place, value))));
  return el("details", { class: "marks" }, el("summary", {}, "Mark by hand what is ruled out"), ...rows);
}

/** Adds the style of a game's table to the style shared by all tables. */
function style(rules) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`.table{${rules}}`);
  document.adoptedStyleSheets.push(sheet);
}
