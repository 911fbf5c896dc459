// How full the store is, what waits, and whether it takes events in.

import { byId, element } from '../../http-server/page-assets/elements.js';
import { bytes, count, duration } from '../../http-server/page-assets/format.js';

/** @import { Stats } from './types.ts' */

/** @param {Stats} stats */
export function showStats(stats) {
  const { drafts, backup, removed } = stats;
  const gone = Object.values(removed).reduce((sum, number) => sum + number, 0);
  byId('figures', HTMLElement).replaceChildren(
    meter('Events', stats.records_percent, count(stats.records), count(stats.records_limit)),
    meter('Storage', stats.bytes_percent, bytes(stats.bytes_used), bytes(stats.bytes_limit)),
    figure('Drafts', count(drafts.records), ageNote(drafts.oldest_age_seconds)),
    backlog(backup),
    figure('Held', count(stats.held_records), 'kept from cleanup'),
    figure('Deleted', count(gone), `retention ${duration(stats.retention_days * 86_400)}`),
  );
  showCapacity(stats);
}

/** @param {Stats} stats */
function showCapacity({ capacity_blocked: isBlocked, capacity_reason: reason }) {
  const place = byId('capacity', HTMLElement);
  place.className = isBlocked ? 'capacity bad' : 'capacity good';
  place.textContent = isBlocked ? 'Blocked' : 'Accepting events';
  place.title = reason ?? '';
  const notice = byId('blocked', HTMLElement);
  const words = `The store takes in no more events: ${reason ?? 'it is at its limits'}`;
  notice.hidden = !isBlocked;
  if (isBlocked && notice.textContent !== words) notice.textContent = words;
}

/** @param {Stats['backup']} backup */
function backlog(backup) {
  const { refused_records: refused, pending_records: pending, last_error: error } = backup;
  const notes = [
    refused > 0 && `${count(refused)} refused`,
    !backup.enabled && 'cloud upload is off',
    backup.enabled && error,
    backup.enabled && !error && ageNote(backup.oldest_pending_age_seconds),
    bytes(backup.pending_bytes),
  ];
  const isBad = refused > 0 || (backup.enabled && Boolean(error));
  const note = notes.filter(Boolean).slice(0, 2).join(' · ');
  return figure(
    backup.enabled ? 'Waiting for upload' : 'Not uploaded',
    count(pending),
    note,
    isBad,
  );
}

/** @param {number | null} seconds */
function ageNote(seconds) {
  return seconds === null ? 'none open' : `oldest ${duration(seconds)}`;
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} note
 * @param {boolean} [isBad] whether the note is of something that failed
 */
function figure(name, value, note, isBad = false) {
  return element(
    'div',
    { class: isBad ? 'figure is-bad' : 'figure' },
    element('dt', {}, name),
    element('dd', {}, element('b', {}, value), element('small', {}, note)),
  );
}

/**
 * A bar beside its figures.
 * @param {string} name
 * @param {number} percent
 * @param {string} value
 * @param {string} limit
 */
function meter(name, percent, value, limit) {
  const full = Math.min(100, Math.max(0, percent));
  const fill = element('span', { class: full >= 90 ? 'fill warn' : 'fill' });
  fill.style.width = `${full}%`;
  const bar = element(
    'span',
    {
      class: 'meter',
      role: 'meter',
      'aria-label': name,
      'aria-valuemin': 0,
      'aria-valuemax': 100,
      'aria-valuenow': Math.round(full * 10) / 10,
    },
    fill,
  );
  return element(
    'div',
    { class: 'figure wide' },
    element('dt', {}, name),
    element('dd', {}, element('b', {}, value), element('small', {}, `of ${limit}`), bar),
  );
}
