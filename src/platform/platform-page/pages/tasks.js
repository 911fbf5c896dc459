// The newest tasks of the workspace, and how far each is.

import { element } from '../../../http-server/page-assets/elements.js';
import { count, moment, plainValue } from '../../../http-server/page-assets/format.js';
import { listTasks } from '../api.js';
import { bar } from '../chart.js';
import { table } from '../table.js';

/** @import { TaskList, View } from '../types.ts' */

const tones = { completed: 'good', failed: 'bad', running: 'info' };

/** @returns {Promise<View>} */
export async function tasksView() {
  const heads = ['Task', 'Status', 'Progress', 'Started', 'Outcome'];
  const { content, show } = table(heads, 'No tasks yet.');
  const refresh = async () => show((await listTasks()).tasks.map(row));
  await refresh();
  return { title: 'Tasks', content, refresh };
}

/** @param {TaskList['tasks'][number]} task */
function row({ taskId, kind, status, progress, created, result, error }) {
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
    element('td', { class: 'short' }, moment(new Date(created * 1000).toISOString())),
    error === undefined
      ? element('td', {}, ...outcome(result))
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
