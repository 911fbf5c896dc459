// Bars: how often each class occurs, and how the images are split.

import { colourOf } from '../../http-server/page-assets/drawing.js';
import { element } from '../../http-server/page-assets/elements.js';
import { count, percent } from '../../http-server/page-assets/format.js';

/**
 * One bar for each class, the most frequent first; each links to the images that have it.
 * @param {Readonly<Record<string, number>>} classes
 * @param {(name: string) => string} addressOf
 */
export function classChart(classes, addressOf) {
  const rows = Object.entries(classes).sort(([, a], [, b]) => b - a);
  const most = Math.max(1, ...rows.map(([, times]) => times));
  return element(
    'ul',
    { class: 'bars', 'aria-label': 'Boxes of each class' },
    ...rows.map(([name, times]) =>
      element(
        'li',
        { class: `c${colourOf(name)}` },
        element('a', { href: addressOf(name) }, name),
        bar(times / most),
        element('span', { class: 'number' }, count(times)),
      ),
    ),
  );
}

/**
 * Train, valid and test as parts of one bar.
 * @param {{ train?: number | undefined, valid?: number | undefined, test?: number | undefined }} splits
 */
export function splitBar(splits) {
  const parts = [
    { name: 'train', images: splits.train ?? 0 },
    { name: 'valid', images: splits.valid ?? 0 },
    { name: 'test', images: splits.test ?? 0 },
  ];
  const all = parts.reduce((sum, { images }) => sum + images, 0);
  const words = parts.map(
    ({ name, images }) => `${name} ${count(images)} (${percent(images / Math.max(1, all))})`,
  );
  const shares = parts.map(({ name, images }) => {
    const part = element('span', { class: `share ${name}` });
    part.style.flexGrow = String(images);
    return part;
  });
  return element(
    'figure',
    { class: 'splits' },
    element('span', { class: 'split-bar', 'aria-hidden': 'true' }, ...shares),
    element(
      'figcaption',
      {},
      ...words.map((word, index) =>
        element('span', { class: `split-word ${parts[index]?.name}` }, word),
      ),
    ),
  );
}

/** A bar that is filled so far. @param {number} share from 0 to 1 */
export function bar(share) {
  const fill = element('span', { class: 'fill' });
  fill.style.width = `${100 * Math.min(1, Math.max(0, share))}%`;
  return element('span', { class: 'meter' }, fill);
}
