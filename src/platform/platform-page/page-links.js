// Before a list and after it: links to the page before and to the next one.

import { ApiError } from '../../http-server/page-assets/api-error.js';
import { element } from '../../http-server/page-assets/elements.js';
import { count } from '../../http-server/page-assets/format.js';

/** From an address, where the page begins. Throws what is no whole number. @param {URLSearchParams} query */
export function offsetIn(query) {
  const words = query.get('offset') ?? '0';
  if (/^\d{1,12}$/.test(words)) return Number(words);
  throw new ApiError(400, `“offset” is a whole number, such as 48: “${words}” is none.`);
}

/**
 * @param {Readonly<{ offset: number, total: number, isExact?: boolean | undefined, pageSize: number, shown?: number }>} page
 *   `shown`: how many it shows, if others than should be there; `isExact`: false where there are more
 * @param {(offset: number) => string} addressAt
 */
export function pageLinks(page, addressAt) {
  const { offset, total, pageSize, isExact = true } = page;
  const { shown = Math.max(0, Math.min(pageSize, total - offset)) } = page;
  const last = offset + shown;
  // From beyond the end it leads to the last page.
  const lastPage = Math.max(0, Math.ceil(total / pageSize) - 1) * pageSize;
  const before = Math.max(0, Math.min(offset - pageSize, isExact ? lastPage : offset));
  const range = shown > 0 ? `${count(offset + 1)}–${count(last)}` : 'none';
  return element(
    'nav',
    { class: 'row', 'aria-label': 'Pages' },
    offset > 0 && element('a', { href: addressAt(before) }, '‹ Before'),
    element('span', { class: 'quiet' }, `${range} of ${count(total)}${isExact ? '' : '+'}`),
    (last < total || (!isExact && shown === pageSize)) &&
      element('a', { href: addressAt(last) }, 'After ›'),
  );
}
