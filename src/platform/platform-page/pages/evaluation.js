// One evaluation: its figures, what to do first, classes, sizes, the confidence sweep and the
// confusion matrix. What errs opens the images behind it.

import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { comparisonAddress, evaluationAddress, judgedAddress } from '../addresses.js';
import { getEvaluation, getProject, listEvaluations } from '../api.js';
import { bar } from '../chart.js';
import { fact } from '../facts.js';
import { refuseUnknown } from '../known-conditions.js';
import { projectTabs } from '../project-tabs.js';
import { table } from '../table.js';
import { confusionTable } from './confusion-table.js';
import { isRunning, judgedBy, nameOf, rowOf, shareCell, shareWords } from './evaluations.js';
import { recommendationList } from './recommendations.js';
import { sweepChart } from './sweep-chart.js';

/** @import { Evaluation, EvaluationRow, View } from '../types.ts' */

/** Rows of a panel: as many as one answer has. */
const rowsMax = 100;

/**
 * @param {string} slug @param {string} id
 * @param {URLSearchParams} query `class`: whose confidence sweep is drawn
 * @returns {Promise<View>}
 */
export async function evaluationView(slug, id, query) {
  refuseUnknown(query, ['class']);
  const [{ project }, first] = await Promise.all([getProject(slug), getEvaluation(slug, id, {})]);
  const ofClass = query.get('class') ?? '';
  const place = element('div', { class: 'stack' }, ...(await parts(slug, first, ofClass)));
  let isOpen = isRunning(first);
  return {
    title: `${project.name}: evaluation of ${nameOf(first)}`,
    content: element('div', { class: 'stack' }, projectTabs(slug, 'evaluations'), place),
    refresh: async () => {
      if (!isOpen) return;
      const now = await getEvaluation(slug, id, {});
      isOpen = isRunning(now);
      if (!isOpen) place.replaceChildren(...(await parts(slug, now, ofClass)));
    },
  };
}

/** @param {string} slug @param {Evaluation} summary @param {string} ofClass */
async function parts(slug, summary, ofClass) {
  const { evaluationId: id, status, error, modelTask } = summary;
  if (status === 'failed') return [element('p', { class: 'bad' }, error ?? 'It failed.')];
  if (status !== 'completed') {
    return [
      element('p', { class: 'empty' }, `It is ${status}: its figures come here by themselves.`),
    ];
  }
  const isOfPixels = modelTask === 'semantic';
  const isOfObjects = modelTask !== 'classification' && !isOfPixels;
  const sweep = { panel: 'confidence_sweep', ...(ofClass && { class: ofClass }) };
  const limit = String(rowsMax);
  const [advice, classes, sizes, matrix, points, others] = await Promise.all([
    getEvaluation(slug, id, { panel: 'recommendations' }),
    getEvaluation(slug, id, { panel: 'per_class', limit }),
    isOfObjects ? getEvaluation(slug, id, { panel: 'by_size', limit }) : undefined,
    getEvaluation(slug, id, { panel: 'confusion_matrix', limit }),
    isOfPixels ? undefined : getEvaluation(slug, id, sweep),
    listEvaluations(slug),
  ]);
  return [
    ...doubts(summary),
    facts(summary),
    ways(slug, summary),
    comparisonChoice(slug, id, others),
    element('h3', {}, 'What to do first'),
    recommendationList(slug, advice),
    element('h3', {}, 'Classes, the weakest first'),
    isOfPixels ? pixelTable(slug, classes) : classTable(slug, classes, isOfObjects),
    ...(sizes === undefined ? [] : [element('h3', {}, 'By size'), sizeTable(sizes)]),
    ...(points === undefined
      ? []
      : [
          element('h3', {}, 'By confidence'),
          classChoice(slug, id, classes, ofClass),
          sweepChart(points.points ?? [], points.best),
        ]),
    element('h3', {}, 'Which class is taken for which'),
    ...confusionTable(slug, matrix),
  ];
}

/** @param {Evaluation} summary */
function doubts({ warning, withoutOutline = 0, unannotated = 0, unreadable = 0, notJudged }) {
  const strangers = Object.entries(notJudged?.ofUnknownClasses ?? {});
  const unknown = notJudged?.ofUnknownImages?.count ?? 0;
  const words = [
    warning,
    withoutOutline > 0 &&
      `${count(withoutOutline)} labels have no outline: their boxes are judged.`,
    unannotated > 0 && `${count(unannotated)} images without labels are left out.`,
    unreadable > 0 && `${count(unreadable)} images could not be read, and are left out.`,
    unknown > 0 && `${count(unknown)} predictions are of images that are not judged.`,
    strangers.length > 0 &&
      `Predictions of other classes are left out: ${strangers
        .map(([name, times]) => `${name} ${count(times)}`)
        .join(', ')}.`,
  ];
  return words.flatMap((one) => (one ? [element('p', { class: 'notice' }, one)] : []));
}

/** What was judged, by what. @param {Evaluation} summary */
function judgedFacts(summary) {
  const { images = 0, groundTruths = 0, detections = 0 } = summary;
  return [
    fact('Judged by', judgedBy(summary)),
    summary.judgedBy !== undefined && fact('Right by', summary.judgedBy),
    fact('Images', count(images)),
    fact('Labels', count(groundTruths)),
    fact('Predictions', count(detections)),
  ];
}

/** @param {Evaluation} summary */
function factsOfPixels(summary) {
  return element(
    'dl',
    { class: 'facts' },
    ...judgedFacts(summary),
    fact('Mean IoU', shareWords(summary.meanIou)),
    fact('Mean IoU without background', shareWords(summary.meanIouOfClasses)),
    fact('Pixel accuracy', shareWords(summary.pixelAccuracy)),
    fact('Mean accuracy', shareWords(summary.meanAccuracy)),
    fact('IoU weighted by pixels', shareWords(summary.frequencyWeightedIou)),
    fact('Evaluation', summary.evaluationId),
  );
}

/** @param {Evaluation} summary */
function facts(summary) {
  if (summary.modelTask === 'semantic') return factsOfPixels(summary);
  const { point, best, macro, accuracy } = summary;
  const { ap, ap50, ap75, ar100, confidence } = summary;
  const isOfClasses = accuracy !== undefined;
  return element(
    'dl',
    { class: 'facts' },
    ...judgedFacts(summary),
    ...(isOfClasses
      ? [fact('Accuracy', shareWords(accuracy)), fact('F1, mean of classes', shareWords(macro?.f1))]
      : [
          fact('AP', shareWords(ap)),
          fact('AP50', shareWords(ap50)),
          fact('AP75', shareWords(ap75)),
          fact('AR', shareWords(ar100)),
        ]),
    fact(`Precision at ${confidence ?? 0}`, shareWords(point?.precision)),
    fact('Recall', shareWords(point?.recall)),
    fact('F1', shareWords(point?.f1)),
    best && fact('Best F1', `${shareWords(best.f1)} at ${best.confidence}`),
    fact('Evaluation', summary.evaluationId),
  );
}

/** The images, by what is wrong in them. @param {string} slug @param {Evaluation} summary */
function ways(slug, { evaluationId: id, point, modelTask }) {
  const link = (/** @type {string} */ only, /** @type {string} */ words) =>
    element('a', { href: judgedAddress(slug, id, { only }) }, words);
  return element(
    'nav',
    { class: 'row', 'aria-label': 'Images of the evaluation' },
    link('all', 'Images, most errors first'),
    ...(modelTask === 'semantic'
      ? [link('misses', 'Missed pixels'), link('false_positives', 'Wrongly found pixels')]
      : [
          link('misses', `${count(point?.misses ?? 0)} misses`),
          link('false_positives', `${count(point?.falsePositives ?? 0)} false positives`),
          link('mistakes', 'Labels that may be wrong'),
        ]),
  );
}

/** @param {string} slug @param {string} id @param {readonly EvaluationRow[]} others */
function comparisonChoice(slug, id, others) {
  const done = others.filter((one) => one.evaluationId !== id && one.status === 'completed');
  if (done.length === 0)
    return element('p', { class: 'quiet' }, 'There is no other to compare with.');
  const choice = element(
    'select',
    { name: 'baseline' },
    ...done.map((one) => element('option', { value: one.evaluationId }, optionWords(one))),
  );
  const form = element(
    'form',
    { class: 'row', 'aria-label': 'Comparison' },
    element('label', {}, 'Compare with ', choice),
    element('button', { type: 'submit' }, 'Compare'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    location.hash = comparisonAddress(slug, id, choice.value);
  });
  return form;
}

/** @param {EvaluationRow} one */
function optionWords(one) {
  const when = new Date(one.created * 1000).toLocaleString();
  return `${nameOf(one)} by ${judgedBy(one)} (${when})`.slice(0, 120);
}

/** @param {string} slug @param {Evaluation} panel @param {boolean} isOfObjects */
function classTable(slug, { evaluationId: id, classes = [], total = 0 }, isOfObjects) {
  const heads = ['Class', 'Labels', ...(isOfObjects ? ['AP', '', 'AP50'] : []), 'Precision'];
  const { content, show } = table(
    [...heads, 'Recall', 'F1', 'Best threshold', 'Images'],
    'No class is judged.',
  );
  show(
    classes.map((one) => {
      const { class: name, groundTruths, ap, ap50, precision, recall, f1, bestConfidence } = one;
      return rowOf(
        name,
        element('td', { class: 'number' }, count(groundTruths)),
        ...(isOfObjects ? [shareCell(ap), element('td', {}, bar(ap ?? 0)), shareCell(ap50)] : []),
        ...[precision, recall, f1].map(shareCell),
        element('td', { class: 'number' }, bestConfidence ?? '–'),
        errorLinks(slug, id, name),
      );
    }),
  );
  return element('div', { class: 'stack' }, content, more(classes.length, total, 'classes'));
}

/** @param {string} slug @param {Evaluation} panel */
function pixelTable(slug, { evaluationId: id, classes = [], total = 0 }) {
  const { content, show } = table(
    ['Class', 'Labels', 'Pixels', 'IoU', '', 'Precision', 'Recall', 'F1', 'Images'],
    'No class is judged.',
  );
  show(
    classes.map(({ class: name, groundTruths, pixels = 0, iou, precision, recall, f1 }) =>
      rowOf(
        name,
        element('td', { class: 'number' }, count(groundTruths)),
        element('td', { class: 'number' }, count(pixels)),
        shareCell(iou),
        element('td', {}, bar(iou ?? 0)),
        ...[precision, recall, f1].map(shareCell),
        errorLinks(slug, id, name),
      ),
    ),
  );
  return element('div', { class: 'stack' }, content, more(classes.length, total, 'classes'));
}

/** The images in which a class is wrong. @param {string} slug @param {string} id @param {string} name */
function errorLinks(slug, id, name) {
  const link = (/** @type {string} */ only, /** @type {string} */ words) =>
    element('a', { href: judgedAddress(slug, id, { only, class: name }) }, words);
  return element('td', {}, link('misses', 'missed'), ', ', link('false_positives', 'invented'));
}

/** @param {Evaluation} panel */
function sizeTable({ bySize = {}, classes = [], total = 0 }) {
  const sizes = ['small', 'medium', 'large'];
  const { content, show } = table(
    ['Class', ...sizes.flatMap((size) => [`AP ${size}`, 'Labels'])],
    '',
  );
  const row = (/** @type {string} */ name, /** @type {NonNullable<Evaluation['bySize']>} */ of) =>
    rowOf(
      name,
      ...sizes.flatMap((size) => [
        shareCell(of[size]?.ap),
        element('td', { class: 'number' }, count(of[size]?.groundTruths ?? 0)),
      ]),
    );
  show([row('All', bySize), ...classes.map((one) => row(one.class, one.bySize ?? {}))]);
  const words = 'Small is below 32 × 32 pixels of the original, large from 96 × 96.';
  return element(
    'div',
    { class: 'stack' },
    content,
    element('p', { class: 'quiet' }, words),
    more(classes.length, total, 'classes'),
  );
}

/** @param {number} shown @param {number} total @param {string} what */
function more(shown, total, what) {
  return (
    shown < total && element('p', { class: 'note' }, `${count(shown)} of ${count(total)} ${what}`)
  );
}

/** @param {string} slug @param {string} id @param {Evaluation} panel @param {string} chosen */
function classChoice(slug, id, { classes = [] }, chosen) {
  const names = ['', ...classes.map((one) => one.class)];
  const choice = element(
    'select',
    { name: 'class' },
    ...names.map((name) =>
      element('option', { value: name, selected: name === chosen }, name || 'All classes'),
    ),
  );
  choice.addEventListener('change', () => {
    location.hash = evaluationAddress(slug, id, choice.value);
  });
  return element('label', {}, 'Class ', choice);
}
