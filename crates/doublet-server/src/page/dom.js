// Makes elements. Text is only ever set as text, so nothing that the service or a reader sends becomes markup.

/**
 * What an element may hold.
 * @typedef {Node | string | number | null | undefined | false | any[]} Child
 */

/**
 * Makes an element. Attributes that begin with `on` are listeners, `false` and `undefined` leave an attribute out, `true` sets it empty.
 * @param {string} name such as `p`, with classes as `p.note.muted`
 * @param {Record<string, unknown>} [attributes]
 * @param {...Child} children
 * @returns {any} the element
 */
export function make(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(" ");
  setAttributes(element, attributes);
  fill(element, ...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element of a drawing.
 * @param {string} name
 * @param {Record<string, unknown>} [attributes]
 * @param {...Child} children
 * @returns {any}
 */
export function draw(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElementNS(SVG, tag);
  if (classes.length > 0) element.setAttribute("class", classes.join(" "));
  setAttributes(element, attributes);
  fill(element, ...children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, unknown>} attributes
 */
function setAttributes(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(key, value === true ? "" : String(value));
  }
}

/**
 * Appends children; whatever is no node becomes text.
 * @param {Element | DocumentFragment} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Puts children in the place of what an element held.
 * @param {Element} element
 * @param {...Child} children
 */
export function refill(element, ...children) {
  element.replaceChildren();
  fill(element, ...children);
}

/**
 * The element of an id, which is there.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element #${id}`);
  return element;
}

/**
 * A button.
 * @param {string} label
 * @param {(event: Event) => void} act
 * @param {Record<string, unknown>} [attributes]
 * @returns {HTMLButtonElement}
 */
export function button(label, act, attributes = {}) {
  return make("button", { type: "button", onclick: act, ...attributes }, label);
}

let names = 0;

/**
 * An id that no other element has, to tie a label to its field.
 * @param {string} stem
 */
export function freshId(stem) {
  names += 1;
  return `${stem}-${names}`;
}

/**
 * Says something to those who listen to the page instead of seeing it.
 * @param {string} message
 */
export function announce(message) {
  const region = byId("announcer");
  region.textContent = "";
  // A region that is emptied and filled in one go is not read anew.
  setTimeout(() => (region.textContent = message), 50);
}

/**
 * Moves an element into view, smoothly only for those who have nothing against motion.
 * @param {Element} element
 * @param {ScrollLogicalPosition} [block]
 */
export function bringIntoView(element, block = "nearest") {
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block, inline: "nearest", behavior: still ? "auto" : "smooth" });
}

/**
 * Words between backticks are code.
 * @param {string} text
 */
export function withCode(text) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? make("code", {}, part) : part));
}
