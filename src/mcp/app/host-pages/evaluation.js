// The page beside evaluations_get: figures, a bar for each class, and the confusion matrix, whose
// cells show the images behind them. Each panel is a call of the same tool.

import { element } from '../../../http-server/page-assets/elements.js';
import { asList, asRecord, connect } from './host.js';
import { failure, fill, pictures, statusLine, summaryOf, textOf } from './result-elements.js';

/** @typedef {import('./types.ts').ToolResult} ToolResult */
/** @typedef {import('./types.ts').Host} Host */
/** @typedef {Record<string, unknown>} Facts */
/** @typedef {(panel: Facts) => Promise<ToolResult>} ReadPanel */

connect('fovea-evaluation', { show, fail: failure });

/** Rows of a chart or a matrix that a person looks at in a chat. */
const classesMax = 60;

/**
 * What the model asked for first, then what the host lets the page read.
 * @param {ToolResult} result
 * @param {Host} host
 */
function show(result, { callTool }) {
  const facts = asRecord(result.structuredContent);
  const shown = pictures(result, 'The panel, as a picture.');
  const { project, evaluationId } = asRecord(asRecord(result._meta)['fovea/page']);
  const panels = element('div', {});
  fill([summaryOf(result), ...shown, panels]);
  if (facts.status !== 'completed') return;
  if (callTool === undefined || evaluationId === undefined) {
    panels.append(...[figures(facts), classes(facts), matrix(facts, undefined)].filter(isThere));
    return;
  }
  void showPanels(panels, async (panel) => {
    const args = { project, evaluationId, ...panel };
    const answer = await callTool({ tool: 'evaluations_get', arguments: args });
    if (answer.isError) throw new Error(textOf(answer));
    return answer;
  });
}

/** @param {HTMLElement} place @param {ReadPanel} read */
async function showPanels(place, read) {
  try {
    const [summary, perClass, confused] = (
      await Promise.all(
        [
          { panel: 'summary' },
          { panel: 'per_class', limit: classesMax },
          { panel: 'confusion_matrix' },
        ].map(read),
      )
    ).map(({ structuredContent }) => asRecord(structuredContent));
    const parts = [figures(summary ?? {}), classes(perClass ?? {}), matrix(confused ?? {}, read)];
    place.replaceChildren(...parts.filter(isThere));
  } catch (thrown) {
    place.replaceChildren(statusLine(wordsOf(thrown)));
  }
}

const named = [
  ['ap', 'AP'],
  ['ap50', 'AP50'],
  ['ap75', 'AP75'],
  ['accuracy', 'Accuracy'],
  ['meanIou', 'Mean IoU'],
  ['pixelAccuracy', 'Pixel accuracy'],
  ['f1', 'F1'],
  ['confidence', 'at confidence'],
  ['images', 'Images'],
  ['groundTruths', 'Labels'],
  ['detections', 'Found'],
];

/** @param {Facts} facts */
function figures(facts) {
  const pairs = named.flatMap(([name = '', words = '']) => {
    const value = facts[name];
    return typeof value === 'number' ? [[words, shown(value)]] : [];
  });
  if (pairs.length === 0) return undefined;
  const cells = pairs.map(([words, value]) =>
    element('div', {}, element('dt', {}, words), element('dd', {}, value)),
  );
  return element('dl', { class: 'figures' }, ...cells);
}

/** F1 of each class as a bar. @param {Facts} facts */
function classes({ classes: all }) {
  const rows = asList(all).map(asRecord).slice(0, classesMax);
  if (rows.length === 0) return undefined;
  const bars = rows.map(({ class: name, f1, ap, iou, groundTruths }) => {
    const value = typeof f1 === 'number' ? f1 : 0;
    const words = `F1 ${shown(f1)}${typeof ap === 'number' ? `, AP ${shown(ap)}` : ''}${typeof iou === 'number' ? `, IoU ${shown(iou)}` : ''}`;
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, String(name)),
      element('td', {}, element('meter', { min: 0, max: 1, value, 'aria-label': words })),
      element('td', {}, `${words}, ${groundTruths} labels`),
    );
  });
  return element(
    'table',
    { class: 'classes' },
    element('caption', {}, 'Classes, the weakest first'),
    element('tbody', {}, ...bars),
  );
}

/**
 * Rows are the labels, columns what was found; a click on a cell shows its images below.
 * @param {Facts} facts
 * @param {ReadPanel | undefined} read
 */
function matrix({ matrix: given }, read) {
  const { labels, counts } = asRecord(given);
  const names = asList(labels).map(String);
  if (names.length === 0 || names.length > classesMax) return undefined;
  const behind = element('div', { 'aria-live': 'polite' });
  const head = names.map((name) => element('th', { scope: 'col' }, name));
  const rows = asList(counts).map((row, at) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, names[at]),
      ...asList(row).map((count, place) => cell(count, names[at] ?? '', names[place] ?? '')),
    ),
  );
  /** @param {unknown} count @param {string} truth @param {string} found */
  function cell(count, truth, found) {
    const look = truth === found ? 'right' : 'wrong';
    if (Number(count) === 0) return element('td', {}, '0');
    if (read === undefined || truth === found) {
      return element('td', { class: look }, String(count));
    }
    const label = `${count} ${truth} found as ${found}: show the images`;
    const button = element('button', { type: 'button', 'aria-label': label }, String(count));
    button.addEventListener('click', () => void showImages(behind, read, truth, found));
    return element('td', { class: look }, button);
  }
  return element(
    'section',
    { 'aria-label': 'Confusion matrix' },
    element(
      'div',
      { class: 'matrix', tabindex: 0, role: 'group', 'aria-label': 'Confusion matrix' },
      element(
        'table',
        {},
        element('caption', {}, 'Rows are the labels, columns what was found'),
        element('thead', {}, element('tr', {}, element('td', {}), ...head)),
        element('tbody', {}, ...rows),
      ),
    ),
    behind,
  );
}

/** The contact sheet behind a cell. @param {HTMLElement} place @param {ReadPanel} read @param {string} truth @param {string} found */
async function showImages(place, read, truth, found) {
  place.replaceChildren(statusLine(`Images of ${truth} found as ${found} are being read.`));
  try {
    const panel = { panel: 'images', class: truth, found, picture: true };
    const answer = await read(panel);
    const results = asList(asRecord(answer.structuredContent).results).map(asRecord);
    const list = results.map(({ image, imageId }) =>
      element('li', {}, `${image ?? imageId}${imageId === undefined ? '' : ` (${imageId})`}`),
    );
    place.replaceChildren(
      element('h3', {}, `${truth} found as ${found}`),
      ...pictures(answer, 'Images: labels left, what was found right.'),
      element('ul', {}, ...list),
    );
  } catch (thrown) {
    place.replaceChildren(statusLine(wordsOf(thrown)));
  }
}

/** @param {unknown} value */
function shown(value) {
  if (typeof value !== 'number') return 'unknown';
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

/** @param {unknown} thrown */
function wordsOf(thrown) {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * @template Part
 * @param {Part | undefined} part
 * @returns {part is Part}
 */
function isThere(part) {
  return part !== undefined;
}
