// A row of a list of facts: what it is about, and what is known.

import { element } from '../../http-server/page-assets/elements.js';

/**
 * @param {string} name
 * @param {readonly import('../../http-server/page-assets/elements.js').Child[]} value
 */
export function fact(name, ...value) {
  return element('div', {}, element('dt', {}, name), element('dd', {}, ...value));
}
