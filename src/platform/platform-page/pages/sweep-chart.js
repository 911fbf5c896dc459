// Precision, recall and F1 over the confidence, drawn; the same figures stand in a table below.

import { element, svg } from '../../../http-server/page-assets/elements.js';
import { tableFrame } from '../table.js';
import { rowOf, shareCell, shareWords } from './evaluations.js';

/** @import { SweepPoint } from '../types.ts' */

const width = 640;
const height = 300;

const curves = /** @type {const} */ ([
  { key: 'precision', words: 'Precision' },
  { key: 'recall', words: 'Recall' },
  { key: 'f1', words: 'F1' },
]);

/** @param {readonly SweepPoint[]} points by confidence, from 0 to 1 @param {SweepPoint | undefined} best */
export function sweepChart(points, best) {
  const words =
    best === undefined
      ? 'No prediction is right at any confidence.'
      : `F1 is best at confidence ${best.confidence}: ${shareWords(best.f1)}.`;
  const picture = svg(
    'svg',
    {
      viewBox: `-36 -8 ${width + 52} ${height + 34}`,
      role: 'img',
      'aria-label': `Precision, recall and F1 by confidence. ${words}`,
    },
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
      svg('path', { class: 'grid-line', d: `M0 ${y(share)}H${width}M${x(share)} 0V${height}` }),
      svg('text', { class: 'tick', x: -6, y: y(share) + 4, 'text-anchor': 'end' }, share),
      svg('text', { class: 'tick', x: x(share), y: height + 18, 'text-anchor': 'middle' }, share),
    ]),
    ...curves.map(({ key }) => svg('path', { class: `line ${key}`, d: lineOf(points, key) })),
    best && svg('path', { class: 'best', d: `M${x(best.confidence)} 0V${height}` }),
  );
  return element(
    'figure',
    { class: 'sweep' },
    element(
      'figcaption',
      {},
      ...curves.map((one) => element('span', { class: `legend ${one.key}` }, one.words)),
      element('span', { class: 'quiet' }, words),
    ),
    picture,
    figuresTable(points),
  );
}

/** @param {number} share */
function x(share) {
  return Math.round(share * width);
}

/** @param {number} share */
function y(share) {
  return Math.round((1 - share) * height);
}

/** Where no figure can be told the line has a gap. @param {readonly SweepPoint[]} points @param {'precision' | 'recall' | 'f1'} key */
function lineOf(points, key) {
  let isOn = false;
  const parts = points.map((point) => {
    const share = point[key];
    const part = share === null ? '' : `${isOn ? 'L' : 'M'}${x(point.confidence)} ${y(share)}`;
    isOn = share !== null;
    return part;
  });
  return parts.join('');
}

/** @param {readonly SweepPoint[]} points */
function figuresTable(points) {
  const { root, rows } = tableFrame([
    'Confidence',
    'Precision',
    'Recall',
    'F1',
    'Right',
    'Wrong',
    'Missed',
  ]);
  rows.replaceChildren(
    ...points.map(({ confidence, precision, recall, f1, truePositives, falsePositives, misses }) =>
      rowOf(
        confidence.toFixed(2),
        ...[precision, recall, f1].map(shareCell),
        ...[truePositives, falsePositives, misses].map((figure) =>
          element('td', { class: 'number' }, figure),
        ),
      ),
    ),
  );
  return element('details', {}, element('summary', {}, 'As figures'), root);
}
