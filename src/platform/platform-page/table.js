// A table of the page, and what it says while it is empty.

import { element } from '../../http-server/page-assets/elements.js';

/**
 * @param {readonly string[]} heads of the columns
 * @param {string} nothing what it says without rows
 */
export function table(heads, nothing) {
  const rows = element('tbody');
  const none = element('p', { class: 'empty' }, nothing);
  const columns = heads.map((name) => element('th', { scope: 'col' }, name));
  const head = element('thead', {}, element('tr', {}, ...columns));
  const framed = element('div', { class: 'table' }, element('table', {}, head, rows));
  return {
    content: element('div', { class: 'stack' }, none, framed),
    /** @param {readonly HTMLElement[]} next */
    show: (next) => {
      none.hidden = next.length > 0;
      rows.replaceChildren(...next);
    },
  };
}
