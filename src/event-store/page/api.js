// Calls to the service that serves this page. A browser that opened the page with the key sends it
// with these calls by itself.

import { ApiError } from '../../http-server/page-assets/api-error.js';

/** @import { EventSchemas, EventsPage, Ledger, Query, Stats, StoredEvent } from './types.ts' */

/** @param {Query} query @returns {Promise<EventsPage>} */
export function listEvents(query) {
  return get('/v2/events', query);
}

/** @param {string} id @returns {Promise<StoredEvent>} */
export function getEvent(id) {
  return get(`/v2/events/${encodeURIComponent(id)}`, {});
}

/** @returns {Promise<Stats>} */
export function getStats() {
  return get('/v2/stats', {});
}

/** @param {Query} query @returns {Promise<Ledger>} */
export function listDeletions(query) {
  return get('/v2/ledger', query);
}

/** @returns {Promise<EventSchemas>} */
export function listSchemas() {
  return get('/v2/event-schemas', {});
}

/** @param {string} id */
export function imageUrl(id) {
  return `/images/${encodeURIComponent(id)}`;
}

/** @param {string} id */
export function videoUrl(id) {
  return `/videos/${encodeURIComponent(id)}`;
}

/** @param {string} id */
export function localOnlyFileUrl(id) {
  return `/local-only-files/${encodeURIComponent(id)}`;
}

/**
 * @param {string} path
 * @param {Query} query
 * @returns {Promise<any>}
 */
async function get(path, query) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) parameters.append(name, one);
  }
  const target = parameters.size > 0 ? `${path}?${parameters}` : path;
  // The address of the page may carry a key, which fetch refuses in a URL.
  const response = await fetch(location.origin + target, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(20_000),
  }).catch(() => {
    throw new ApiError(0, 'The service does not answer.');
  });
  const body = await response.json().catch(() => undefined);
  if (response.ok && body !== undefined) return body;
  throw new ApiError(response.status, wordsOf(body) ?? `The service answered ${response.status}.`);
}

/**
 * What an error says: one text, or a list of problems.
 * @param {any} body
 * @returns {string | undefined}
 */
function wordsOf(body) {
  const detail = body?.detail;
  if (typeof detail === 'string') return detail;
  if (!Array.isArray(detail)) return undefined;
  return detail.map(({ loc = [], msg = '' }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
}
