// Figures over epochs as a line.

import { element, svg } from '../../http-server/page-assets/elements.js';
import { count } from '../../http-server/page-assets/format.js';

const width = 300;
const height = 120;

/** @typedef {readonly [at: number, value: number]} CurvePoint */

/**
 * A line with its highest and lowest value, and what it says in words.
 * @param {string} name
 * @param {readonly CurvePoint[]} points at least one, in their order
 * @param {string} unit of `at`
 */
export function curve(name, points, unit) {
  const values = points.map(([, value]) => value);
  const places = points.map(([at]) => at);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [Math.min(...places), Math.max(...places)];
  const x = (/** @type {number} */ at) => ((at - first) / (last - first || 1)) * width;
  const y = (/** @type {number} */ value) => height - ((value - low) / (high - low || 1)) * height;
  const line = points.map(([at, value]) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
  const newest = values.at(-1) ?? 0;
  const span = `${unit} ${count(first)} to ${count(last)}`;
  const words = `${name}: ${figure(newest)} at ${unit} ${count(last)}; from ${figure(low)} to ${figure(high)}, ${span}`;
  // A single value is a point.
  const path = points.length === 1 ? `M${line[0]}h0` : `M${line.join('L')}`;
  return element(
    'figure',
    { class: 'card curve' },
    element('figcaption', {}, element('b', {}, name), ` ${figure(newest)}`),
    svg(
      'svg',
      { viewBox: `-4 -4 ${width + 8} ${height + 8}`, role: 'img', 'aria-label': words },
      svg('path', { class: 'axis', d: `M0 0V${height}H${width}` }),
      svg('path', { class: 'line', d: path }),
    ),
    element('small', {}, `${figure(low)} to ${figure(high)}, ${span}`),
  );
}

/** Four figures say enough. @param {number} value */
export function figure(value) {
  return String(Number(value.toPrecision(4)));
}
