// The newest tasks of the workspace, and how far each is.

import { element } from '../../../http-server/page-assets/elements.js';
import { count, plainValue } from '../../../http-server/page-assets/format.js';
import { listTasks } from '../api.js';
import { bar } from '../chart.js';
import { listPage } from '../list-page.js';
import { timeElement } from '../time-element.js';

/** @import { TaskList, View } from '../types.ts' */

const tones = { completed: 'good', failed: 'bad', running: 'info' };

/** The platform lists so many. */
const tasksMax = 100;

const states = ['created', 'running', 'completed', 'failed'];

/** @param {URLSearchParams} query @returns {Promise<View>} */
export async function tasksView(query) {
  const list = await listPage({
    place: '#tasks',
    query,
    heads: ['Kind', 'Status', 'Progress', 'Created', 'Outcome'],
    fields: [
      {
        name: 'status',
        words: 'Status',
        options: states.map((value) => ({ value, words: value })),
      },
      { name: 'kind', words: 'Kind', placeholder: 'version, export, training' },
    ],
    read: async (wanted) => {
      const { tasks } = await listTasks(wanted);
      return { items: tasks, isWhole: tasks.length < tasksMax };
    },
    row,
    nothing: [
      'No tasks yet. Work in the background is listed here: generating a version, an export, a training.',
    ],
    none: 'No task is in that state or of that kind: take a condition away.',
  });
  return { title: 'Tasks', ...list };
}

/** @param {TaskList['tasks'][number]} task */
function row({ taskId, kind, status, progress, waitsFor, created, result, error }) {
  const { current = 0, total = 0 } = progress ?? {};
  const tone = new Map(Object.entries(tones)).get(status) ?? 'plain';
  return element(
    'tr',
    {},
    element('th', { scope: 'row', title: taskId }, kind),
    element('td', { class: `${tone} short` }, status),
    element(
      'td',
      {},
      total > 0 && bar(current / total),
      total > 0 && element('small', {}, `${count(current)} of ${count(total)}`),
    ),
    element('td', { class: 'short' }, timeElement(created)),
    error === undefined
      ? element(
          'td',
          {},
          ...(waitsFor === undefined ? outcome(result) : [`waits for the ${waitsFor}`]),
        )
      : element('td', { class: 'bad' }, error),
  );
}

/** The single values of a result. @param {Readonly<Record<string, unknown>> | undefined} result */
function outcome(result = {}) {
  return Object.entries(result)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .flatMap(([name, value], index) => [index > 0 && ', ', fact(name, value)]);
}

/** An address is long, and nobody reads it. @param {string} name @param {unknown} value */
function fact(name, value) {
  const isAddress = typeof value === 'string' && /^https?:\/\//.test(value);
  return isAddress ? element('a', { href: value }, name) : `${name} ${plainValue(value)}`;
}
