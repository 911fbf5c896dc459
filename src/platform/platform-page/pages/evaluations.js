// The evaluations of a project, the newest first.

import { element } from '../../../http-server/page-assets/elements.js';
import { evaluationAddress, projectAddress } from '../addresses.js';
import { getProject, listEvaluations } from '../api.js';
import { listPage } from '../list-page.js';
import { projectTabs } from '../project-tabs.js';
import { timeElement } from '../time-element.js';

/** @import { Child } from '../../../http-server/page-assets/elements.js' */
/** @import { EvaluationRow, View } from '../types.ts' */

const heads = ['Evaluation', 'Status', 'Judged by', 'AP', 'AP50', 'F1', 'Confidence', 'Made'];
const headsOfClasses = [
  'Evaluation',
  'Status',
  'Judged by',
  'Accuracy',
  'F1',
  'Confidence',
  'Made',
];

const headsOfPixels = [
  'Evaluation',
  'Status',
  'Judged by',
  'Mean IoU',
  'Pixel accuracy',
  'Confidence',
  'Made',
];

/** As many as the platform lists. */
const listedMax = 100;

/** @param {string} slug @param {URLSearchParams} query @returns {Promise<View>} */
export async function evaluationsView(slug, query) {
  const { project } = await getProject(slug);
  const isOfClasses = project.type?.endsWith('classification') === true;
  const isOfPixels = project.type === 'semantic-segmentation';
  let isOpen = false;
  const list = await listPage({
    place: `${projectAddress(slug)}/evaluations`,
    query,
    heads: isOfPixels ? headsOfPixels : isOfClasses ? headsOfClasses : heads,
    read: async () => {
      const items = await listEvaluations(slug);
      isOpen = items.some(isRunning);
      return { items, isWhole: items.length < listedMax };
    },
    row: (one) => row(slug, one, figuresOf(one, { isOfClasses, isOfPixels })),
    nothing: [
      'No evaluation yet. An agent judges a model by the labels of a version or a search: ',
      element('code', {}, 'evaluations_create'),
      ` {"project": ${JSON.stringify(slug)}, "query": "split:test"}.`,
    ],
  });
  return {
    title: `${project.name}: evaluations`,
    content: element('div', { class: 'stack' }, projectTabs(slug, 'evaluations'), list.content),
    refresh: async () => {
      if (isOpen) await list.refresh();
    },
  };
}

/**
 * @param {EvaluationRow} evaluation
 * @param {{ readonly isOfClasses: boolean, readonly isOfPixels: boolean }} project
 */
function figuresOf(evaluation, { isOfClasses, isOfPixels }) {
  const { ap, ap50, accuracy, f1, confidence, meanIou, pixelAccuracy } = evaluation;
  if (isOfPixels) return [meanIou, pixelAccuracy, confidence];
  return isOfClasses ? [accuracy, f1, confidence] : [ap, ap50, f1, confidence];
}

/**
 * @param {string} slug
 * @param {EvaluationRow} evaluation
 * @param {readonly (number | null | undefined)[]} figures
 */
function row(slug, evaluation, figures) {
  const { evaluationId: id, status, created } = evaluation;
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row', title: id },
      element('a', { href: evaluationAddress(slug, id) }, nameOf(evaluation)),
    ),
    element('td', { class: `${toneOf(status)} short` }, status),
    element('td', {}, judgedBy(evaluation)),
    ...figures.map((figure) => element('td', { class: 'number' }, shareWords(figure))),
    element('td', { class: 'short' }, timeElement(created)),
  );
}

/** What is judged: a file or a model. @param {Pick<EvaluationRow, 'model' | 'predictions'>} evaluation */
export function nameOf({ predictions, model }) {
  return predictions ?? model ?? 'the deployed model';
}

/** By which labels. @param {Pick<EvaluationRow, 'version' | 'split' | 'query'>} evaluation */
export function judgedBy({ version, split, query }) {
  return version === undefined ? (query ?? '') : `version ${version}, ${split ?? 'test'}`;
}

/** @param {{ status: string }} evaluation */
export function isRunning({ status }) {
  return status === 'created' || status === 'running';
}

const tones = new Map([
  ['completed', 'good'],
  ['failed', 'bad'],
  ['running', 'info'],
]);

/** @param {string} status */
function toneOf(status) {
  return tones.get(status) ?? 'plain';
}

/** A figure from 0 to 1; a line where no label can tell it. @param {number | null | undefined} share */
export function shareWords(share) {
  return typeof share === 'number' ? share.toFixed(3) : '–';
}

/** The same in a cell. @param {number | null | undefined} share @returns {HTMLElement} */
export function shareCell(share) {
  return element('td', { class: 'number' }, shareWords(share));
}

/** @param {Child} head of the row @param {readonly Child[]} cells */
export function rowOf(head, ...cells) {
  return element('tr', {}, element('th', { scope: 'row' }, head), ...cells);
}
