// The confusion matrix: rows are the labels, columns what was found. Each cell opens its images.

import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { judgedAddress } from '../addresses.js';
import { table } from '../table.js';
import { rowOf } from './evaluations.js';

/** @import { Evaluation } from '../types.ts' */

/** @param {string} slug @param {Evaluation} panel `confusion_matrix` @returns {readonly HTMLElement[]} */
export function confusionTable(slug, { evaluationId: id, matrix, confusions = [], total = 0 }) {
  const linked = (
    /** @type {string} */ truth,
    /** @type {string} */ found,
    /** @type {number} */ times,
  ) =>
    element(
      'a',
      {
        href: judgedAddress(slug, id, { class: truth, found }),
        'aria-label': `${truth} found as ${found}: ${times}`,
      },
      count(times),
    );
  if (matrix !== undefined) return [whole(matrix, linked)];
  const { content, show } = table(['Label', 'Found', 'Objects'], 'Nothing is taken for another.');
  show(
    confusions.map(({ truth, found, count: times }) =>
      rowOf(
        truth,
        element('td', {}, found),
        element('td', { class: 'number' }, linked(truth, found, times)),
      ),
    ),
  );
  const words = `Too many classes for a matrix: the ${count(confusions.length)} largest of ${count(total)} confusions.`;
  return [element('p', { class: 'quiet' }, words), content];
}

/** @param {NonNullable<Evaluation['matrix']>} matrix @param {(truth: string, found: string, times: number) => HTMLElement} linked */
function whole({ labels, counts }, linked) {
  const rows = labels.map((truth, place) => {
    const row = counts[place] ?? [];
    const all = row.reduce((sum, times) => sum + times, 0);
    const cells = labels.map((found, column) => {
      const times = row[column] ?? 0;
      const look = `number cell${column === place ? ' right' : ''}`;
      const cell = element('td', { class: look }, times > 0 ? linked(truth, found, times) : '0');
      cell.style.setProperty('--share', `${Math.round((100 * times) / Math.max(1, all))}%`);
      return cell;
    });
    return element('tr', {}, element('th', { scope: 'row' }, truth), ...cells);
  });
  const heads = labels.map((found) => element('th', { scope: 'col' }, found));
  const corner = element('td', { class: 'quiet' }, 'Label \\ found');
  return element(
    'div',
    { class: 'table matrix', tabindex: 0, role: 'region', 'aria-label': 'Confusion matrix' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, corner, ...heads)),
      element('tbody', {}, ...rows),
    ),
  );
}
