// Makes elements. Whatever comes from events goes in as text, so that it stays text.

/** @typedef {Node | string | number | undefined | null | false} Child */

/**
 * An HTML element with attributes and children; undefined and false ones are left out.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string | number | boolean | undefined>>} [attributes]
 * @param {readonly Child[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  setAttributes(made, attributes);
  append(made, children);
  return made;
}

/**
 * The same for SVG.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Readonly<Record<string, string | number | boolean | undefined>>} [attributes]
 * @param {readonly Child[]} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  setAttributes(made, attributes);
  append(made, children);
  return made;
}

/**
 * The element of `index.html` with this id. Throws when it is of another type.
 * @template {Element} Type
 * @param {string} id
 * @param {new () => Type} type
 * @returns {Type}
 */
export function byId(id, type) {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`The page has no #${id}.`);
}

/**
 * Text of others as it is shown: what would turn the text around it shows as a replacement character.
 * @param {string} text
 */
export function shownText(text) {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** Attributes that are read as text. */
const readAttributes = ['alt', 'aria-label', 'placeholder', 'title'];

/**
 * @param {Element} made
 * @param {Readonly<Record<string, string | number | boolean | undefined>>} attributes
 */
function setAttributes(made, attributes) {
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    const text = value === true ? '' : String(value);
    made.setAttribute(attribute, readAttributes.includes(attribute) ? shownText(text) : text);
  }
}

/**
 * @param {Element} made
 * @param {readonly Child[]} children
 */
function append(made, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    made.append(child instanceof Node ? child : shownText(String(child)));
  }
}
