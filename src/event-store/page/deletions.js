// What was removed, when and why: the ledger, newest first.

import { byId, element } from '../../http-server/page-assets/elements.js';
import { bytes, count, moment } from '../../http-server/page-assets/format.js';
import { listDeletions } from './api.js';

/** @import { Ledger } from './types.ts' */

const reasons = {
  age: 'older than the retention',
  record_limit: 'limit of events',
  byte_limit: 'limit of storage',
  disk_full: 'disk full',
};

/** @type {number | undefined} */
let next;

/** Loads the newest lines. */
export async function loadDeletions() {
  const page = await listDeletions({ limit: '100' });
  const body = byId('deletion-rows', HTMLElement);
  body.replaceChildren(...page.lines.map(row));
  byId('no-deletions', HTMLElement).hidden = page.lines.length > 0;
  showNext(page);
}

/** Loads the next page of older lines. */
export async function loadOlderDeletions() {
  if (next === undefined) return;
  const page = await listDeletions({ limit: '100', before: String(next) });
  byId('deletion-rows', HTMLElement).append(...page.lines.map(row));
  showNext(page);
}

/** @param {Ledger} page */
function showNext(page) {
  next = page.next ?? undefined;
  byId('older-deletions', HTMLElement).hidden = next === undefined;
}

/** @param {Ledger['lines'][number]} line */
function row(line) {
  return element(
    'tr',
    {},
    element('td', {}, moment(line.removed_at)),
    element('td', {}, reasons[line.reason] ?? line.reason),
    element('td', {}, line.event_schema.replaceAll('_', ' ')),
    element('td', {}, line.device_id ?? ''),
    element('td', {}, moment(line.created_at)),
    element('td', {}, line.upload_status),
    element('td', { class: 'number' }, count(line.files)),
    element('td', { class: 'number' }, bytes(line.disk_bytes)),
    element('td', {}, element('code', {}, line.event_id)),
  );
}
