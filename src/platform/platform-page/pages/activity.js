// What was changed in the workspace, by whom and by which call.

import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { activityAddress, projectAddress } from '../addresses.js';
import { listActivity } from '../api.js';
import { credentialNames, whoWords } from '../credentials.js';
import { listPage } from '../list-page.js';
import { processKeyWords } from '../process-keys.js';
import { timeElement } from '../time-element.js';
import { isoOf } from './events.js';

/** @import { ActivityEntry, View } from '../types.ts' */

const pageSize = 50;

const kinds = [
  ...['project', 'version', 'image', 'training', 'annotation_job', 'deployment'],
  ...['active_learning', 'folder', 'api_key', 'account', 'workflow', 'use_case', 'task'],
];

/** @param {URLSearchParams} query @returns {Promise<View>} */
export async function activityView(query) {
  const names = await credentialNames();
  const list = await listPage({
    place: '#activity',
    query,
    heads: ['Time', 'Who', 'What', 'Names', 'Project', 'By'],
    fields: [
      {
        name: 'kind',
        words: 'Kind',
        options: kinds.map((value) => ({ value, words: value.replaceAll('_', ' ') })),
      },
      {
        name: 'who',
        words: 'Who',
        options: [
          ...[...processKeyWords.keys()].map((value) => ({ value, words: whoWords(value, names) })),
          ...[...names].map(([value, words]) => ({ value, words })),
        ],
      },
      { name: 'project', words: 'Project', placeholder: 'slug' },
      { name: 'action', words: 'Call', placeholder: 'images_upload' },
      { name: 'since', words: 'From', type: 'datetime-local' },
      { name: 'until', words: 'Until', type: 'datetime-local' },
    ],
    read: async ({ since, until, ...wanted }, after) => {
      const { entries, total, next } = await listActivity({
        ...wanted,
        ...(since && { since: isoOf(since) }),
        ...(until && { until: isoOf(until) }),
        ...(typeof after === 'number' && { before: String(after) }),
        limit: String(pageSize),
      });
      return { items: entries, total, after: next };
    },
    row: (entry) => row(entry, names),
    nothing: ['Nothing was changed yet. Each call that changes something is listed here.'],
    none: 'No change fits: take a condition away.',
  });
  return { title: 'Activity', ...list };
}

/** @param {ActivityEntry} entry @param {ReadonlyMap<string, string>} names */
function row(entry, names) {
  const { id, time, until, who, action, project } = entry;
  const words = whoWords(who, names);
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row', class: 'short', title: `entry ${id}` },
      timeElement(time),
      ...(until === undefined ? [] : [' – ', timeElement(until)]),
    ),
    element('td', {}, who === null ? words : element('a', { href: activityAddress(who) }, words)),
    element('td', {}, whatWords(entry)),
    element('td', {}, ...thingsOf(entry)),
    element('td', {}, project && element('a', { href: projectAddress(project) }, project)),
    element('td', {}, action),
  );
}

/** @param {ActivityEntry} entry */
function whatWords({ verb, kind, count: number }) {
  // Nothing is done to an account: its person did it.
  if (kind === 'account') return number === 1 ? verb : `${verb} ${count(number)} ×`;
  const what = kind.replaceAll('_', ' ');
  return number === 1 ? `${verb} ${what}` : `${verb} ${count(number)} × ${what}`;
}

/** Their names, and of a single one what it was before. @param {ActivityEntry} entry */
function thingsOf({ names, count: number, before, after, thing_id: thing }) {
  const more = number - names.length;
  const all = names.length > 0 ? names.join(', ') : (thing ?? '');
  const words = names.length > 0 && more > 0 ? `${all} and ${count(more)} more` : all;
  if (before === undefined && after === undefined) return [words];
  return [
    words,
    element(
      'details',
      {},
      element('summary', {}, 'Change'),
      before !== undefined && element('pre', { class: 'log', tabindex: 0 }, `− ${json(before)}`),
      after !== undefined && element('pre', { class: 'log', tabindex: 0 }, `+ ${json(after)}`),
    ),
  ];
}

/** @param {unknown} value */
function json(value) {
  return JSON.stringify(value, undefined, 2);
}
