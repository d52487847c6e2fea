// Live standings. Each update replaces them completely.

const live = /** @type {HTMLElement} */ (document.getElementById("live"));
/** Minimum and maximum time between two requests, in milliseconds. The time grows while there is no news. */
const [MIN_PAUSE, MAX_PAUSE] = [1000, 5000];
let pause = MIN_PAUSE;

follow(`${live.dataset.source}?`, { after: live.dataset.token }, ({ html }) => {
  // The server has escaped all foreign text, and the page's policy allows no other scripts.
  const { body } = new DOMParser().parseFromString(html, "text/html");
  lead(body);
  become(live, body);
  pause = MIN_PAUSE / 1.5;
}, () => {
  pause = Math.min(1.5 * pause, MAX_PAUSE);
  return document.hidden ? null : pause;
});

/** Returns the key of a row: the name of its bot, because the place before the name changes. */
function key(node) {
  return node.nodeName === "TR" && node.querySelector("th[scope=row] bdi")?.textContent || node.nodeName;
}

/** Updates an element in place to match another one: unchanged nodes keep their focus, selection and scroll position. */
function become(element, wanted) {
  const before = new Map();
  for (const child of element.childNodes) before.set(key(child), [...before.get(key(child)) ?? [], child]);
  const children = [...wanted.childNodes].map((node) => {
    const child = before.get(key(node))?.shift();
    if (!child) return node;
    if (child.isEqualNode(node)) return child;
    if (child.nodeType === Node.TEXT_NODE) child.data = node.data;
    if (child.nodeType !== Node.ELEMENT_NODE) return child;
    for (const name of child.getAttributeNames()) if (!node.hasAttribute(name)) child.removeAttribute(name);
    for (const { name, value } of node.attributes) if (child.getAttribute(name) !== value) child.setAttribute(name, value);
    become(child, node);
    return child;
  });
  [...before.values()].flat().forEach((child) => child.remove());
  // Moving a node loses its focus or selection, so the other nodes are moved around it.
  const holds = (node) => node && children.findIndex((child) => child.contains(node));
  const fixed = [document.activeElement, getSelection()?.anchorNode].map(holds).find((nth) => nth >= 0 && element.contains(children[nth])) ?? -1;
  children.slice(0, Math.max(fixed, 0)).forEach((child, nth) => { if (element.childNodes[nth] !== child) element.insertBefore(child, element.childNodes[nth]); });
  children.slice(fixed + 1).reduceRight((next, child) => { if (child.nextSibling !== next || child.parentNode !== element) element.insertBefore(child, next); return child; }, null);
}
