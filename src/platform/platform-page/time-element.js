// A time in a list: as people read it, and as filters compare it.

import { element } from '../../http-server/page-assets/elements.js';
import { moment } from '../../http-server/page-assets/format.js';

/**
 * @param {string | number} time ISO 8601, or seconds since 1970; one that cannot be read is shown as it came
 * @param {(time: string) => string} [words] how it is read
 */
export function timeElement(time, words = moment) {
  const iso = typeof time === 'number' ? new Date(time * 1_000).toISOString() : time;
  return element('time', { datetime: iso }, words(iso));
}

/** The first time in a cell, in milliseconds since 1970. @param {Element} cell @returns {number | undefined} */
export function timeIn(cell) {
  const time = Date.parse(cell.querySelector('time')?.dateTime ?? '');
  return Number.isNaN(time) ? undefined : time;
}
