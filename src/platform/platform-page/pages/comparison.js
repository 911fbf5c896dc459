// Two evaluations of the same images: what is better and what worse.

import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { annotateAddress, comparisonAddress, evaluationAddress } from '../addresses.js';
import { compareEvaluations, getProject } from '../api.js';
import { refuseUnknown } from '../known-conditions.js';
import { offsetIn, pageLinks } from '../page-links.js';
import { projectTabs } from '../project-tabs.js';
import { table } from '../table.js';
import { nameOf, rowOf, shareCell, shareWords } from './evaluations.js';

/** @import { Comparison, View } from '../types.ts' */

const pageSize = 50;

/** @param {string} slug @param {string} id @param {string} baseline @param {URLSearchParams} query @returns {Promise<View>} */
export async function comparisonView(slug, id, baseline, query) {
  refuseUnknown(query, ['offset']);
  const offset = offsetIn(query);
  const wanted = { baseline, limit: String(pageSize), offset: String(offset) };
  const [{ project }, compared] = await Promise.all([
    getProject(slug),
    compareEvaluations(slug, id, wanted),
  ]);
  const { images, total, labelsDiffer } = compared;
  return {
    title: `${project.name}: two evaluations`,
    content: element(
      'div',
      { class: 'stack' },
      projectTabs(slug, 'evaluations'),
      labelsDiffer === true &&
        element(
          'p',
          { class: 'notice' },
          'Labels were changed between the two: figures differ by that too.',
        ),
      figures(slug, compared),
      element('h3', {}, 'Classes, the largest change first'),
      classTable(compared),
      element('h3', {}, 'Images'),
      element(
        'p',
        {},
        `${count(images.better)} have fewer errors, ${count(images.worse)} more, ${count(images.same)} as many.`,
      ),
      imageTable(slug, id, compared),
      total > pageSize &&
        pageLinks({ offset, total, pageSize }, (at) => comparisonAddress(slug, id, baseline, at)),
    ),
  };
}

const f1 = /** @type {const} */ ({ name: 'f1', words: 'F1' });
const confidence = /** @type {const} */ ({ name: 'confidence', words: 'At confidence' });
const figuresOfClasses = /** @type {const} */ ([
  { name: 'accuracy', words: 'Accuracy' },
  f1,
  confidence,
]);
const figuresOfPixels = /** @type {const} */ ([
  { name: 'meanIou', words: 'Mean IoU' },
  { name: 'pixelAccuracy', words: 'Pixel accuracy' },
  confidence,
]);
const figuresOfObjects = /** @type {const} */ ([
  { name: 'ap', words: 'AP' },
  { name: 'ap50', words: 'AP50' },
  f1,
  confidence,
]);

/** @param {Comparison['baseline']} baseline */
function rowsFor({ accuracy, meanIou }) {
  if (meanIou !== undefined) return figuresOfPixels;
  return accuracy === undefined ? figuresOfObjects : figuresOfClasses;
}

/** The figure of a class that counts. @param {Comparison['baseline']} baseline */
function mainOf({ accuracy, meanIou }) {
  if (meanIou !== undefined) return /** @type {const} */ ({ name: 'iou', words: 'IoU' });
  return accuracy === undefined ? /** @type {const} */ ({ name: 'ap', words: 'AP' }) : f1;
}

/** @param {string} slug @param {Comparison} compared */
function figures(slug, { baseline, compared }) {
  const rows = rowsFor(baseline);
  const link = (/** @type {Comparison['baseline']} */ one) =>
    element('a', { href: evaluationAddress(slug, one.evaluationId) }, nameOf(one));
  const { content, show } = table(['', 'Before', 'After', 'Change'], '');
  show([
    rowOf(
      'Evaluation',
      element('td', {}, link(baseline)),
      element('td', {}, link(compared)),
      element('td'),
    ),
    ...rows.map(({ name, words }) =>
      rowOf(
        words,
        shareCell(baseline[name]),
        shareCell(compared[name]),
        name === 'confidence'
          ? element('td')
          : changeCell(difference(baseline[name], compared[name])),
      ),
    ),
  ]);
  return content;
}

/** @param {Comparison} compared */
function classTable({ classes, baseline }) {
  const { name: main, words } = mainOf(baseline);
  const { content, show } = table(
    ['Class', 'Change', `${words} before`, `${words} after`, 'Precision', 'Recall'],
    '',
  );
  show(
    classes.map(({ class: name, change, before, after }) =>
      rowOf(
        name,
        changeCell(change),
        shareCell(before[main]),
        shareCell(after[main]),
        element('td', {}, `${shareWords(before.precision)} → ${shareWords(after.precision)}`),
        element('td', {}, `${shareWords(before.recall)} → ${shareWords(after.recall)}`),
      ),
    ),
  );
  return content;
}

/** @param {string} slug @param {string} id @param {Comparison} compared */
function imageTable(slug, id, { changed }) {
  const { content, show } = table(
    ['Image', 'Errors before', 'Errors after', 'Missed', 'Wrong'],
    'No image has another number of errors.',
  );
  show(
    changed.map(({ image, imageId, before, after }) => {
      const query = `evaluation:${id}`;
      const name =
        imageId === undefined
          ? image
          : element('a', { href: annotateAddress(slug, imageId, { query }) }, image);
      const [from, to] = [before, after].map((one) => one.misses + one.falsePositives);
      return rowOf(
        name,
        element('td', { class: 'number' }, count(from ?? 0)),
        element(
          'td',
          { class: `number ${(to ?? 0) < (from ?? 0) ? 'good' : 'bad'}` },
          count(to ?? 0),
        ),
        element('td', {}, `${before.misses} → ${after.misses}`),
        element('td', {}, `${before.falsePositives} → ${after.falsePositives}`),
      );
    }),
  );
  return content;
}

/** @param {number | null | undefined} before @param {number | null | undefined} after */
function difference(before, after) {
  return typeof before === 'number' && typeof after === 'number' ? after - before : null;
}

/** @param {number | null} change */
function changeCell(change) {
  if (change === null) return element('td', { class: 'number' }, '–');
  const tone = change > 0 ? 'good' : change < 0 ? 'bad' : 'quiet';
  return element('td', { class: `number ${tone}` }, `${change > 0 ? '+' : ''}${change.toFixed(3)}`);
}
