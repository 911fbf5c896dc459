// What an address asks of a page: a condition that the page does not know is refused, since a list
// without it would pass for the answer.

import { ApiError } from '../../http-server/page-assets/api-error.js';

/**
 * @param {URLSearchParams} query of the address
 * @param {readonly string[]} names that the page knows
 * @throws {ApiError} 400, which names the conditions that it knows
 */
export function refuseUnknown(query, names) {
  const unknown = [...new Set(query.keys())].filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  const said = unknown.map((name) => `“${name}”`).join(', ');
  throw new ApiError(400, `Not understood in the address: ${said}. Known: ${names.join(', ')}.`);
}
