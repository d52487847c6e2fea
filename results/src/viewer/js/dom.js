// Elements. Whatever strangers wrote becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";
const DRAWN = new Set(["svg", "g", "rect", "circle", "path", "text", "title"]);

/**
 * An element with attributes and children; strings become text.
 * @type {Tools["el"]}
 */
const el = (/** @type {string} */ tag, attributes = {}, /** @type {any[]} */ ...children) => {
  const element = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return /** @type {any} */ (element);
};

/** The element of this id: the page has it. */
function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * All elements that a selector names, in the page or below an element.
 * @returns {HTMLElement[]}
 */
function elements(selector, below = document.body) {
  return [...below.querySelectorAll(selector)];
}

/**
 * A picture that is read out as one sentence. It is as large as it is drawn, or smaller where there is no room.
 * @type {Tools["picture"]}
 */
function picture(label, width, height, ...children) {
  const size = { viewBox: `0 0 ${width} ${height}`, width, height };
  return el("svg", { ...size, role: "img", "aria-label": label }, el("title", {}, label), ...children);
}

/**
 * The place of a seat at the table: who, what is known of it, and what lies there.
 * @type {Tools["place"]}
 */
function place(name, facts, isActing, ...content) {
  const heading = el("h3", {}, el("bdi", {}, name), facts ? el("span", { class: "soft" }, ` ${facts}`) : null);
  return el("section", { class: isActing ? "place acting" : "place" }, heading, ...content);
}

/** A number with its word. */
function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

/**
 * The kind of an event and what it holds.
 * @type {Tools["parts"]}
 */
function parts(event) {
  return event ? Object.entries(event)[0] : ["", {}];
}

/** The attributes of an element that stands for something to choose: `player` and `place`, or the value of a field by its name. */
function choice(values) {
  return { "data-choice": JSON.stringify(values) };
}

/** A sheet to mark by hand: for each place of a field, by its label, a button for each value. */
function sheet(field, labels, values) {
  const button = (label, place, value) => el("button", { type: "button", "data-mark": JSON.stringify({ [field]: [place, value] }), "aria-label": `${label}: ${value}`, "aria-pressed": "false" }, String(value));
  const rows = labels.map((label, place) => el("div", { role: "group", "aria-label": label }, el("span", {}, label), ...values.map((value) => button(label, place, value))));
  return el("details", { class: "marks" }, el("summary", {}, "Mark by hand what is ruled out"), ...rows);
}

/** How a game's table looks, beside what all tables have in common. */
function style(rules) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`.table{${rules}}`);
  document.adoptedStyleSheets.push(sheet);
}
