// A table of the page, and what it says while it is empty.

import { element } from '../../http-server/page-assets/elements.js';
import { updateRows } from './update-rows.js';

/** The heads, and the place of the rows. @param {readonly string[]} heads of the columns */
export function tableFrame(heads) {
  const rows = element('tbody');
  const columns = heads.map((name) => element('th', { scope: 'col' }, name));
  const head = element('thead', {}, element('tr', {}, ...columns));
  // It is moved sideways where the screen is narrow: also by keys.
  const attributes = { class: 'table', role: 'group', tabindex: 0, 'aria-label': 'Table' };
  const root = element('div', attributes, element('table', {}, head, rows));
  return { root, rows };
}

/**
 * @param {readonly string[]} heads of the columns
 * @param {string} nothing what it says without rows
 */
export function table(heads, nothing) {
  const { root, rows } = tableFrame(heads);
  const none = element('p', { class: 'empty' }, nothing);
  return {
    content: element('div', { class: 'stack' }, none, root),
    /** @param {readonly HTMLElement[]} next */
    show: (next) => {
      none.hidden = next.length > 0;
      updateRows(rows, next);
    },
  };
}
