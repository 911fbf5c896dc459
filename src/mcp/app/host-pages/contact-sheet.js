// The page beside versions_preview: the contact sheet, and what was done to each sample.

import { element } from '../../../http-server/page-assets/elements.js';
import { asList, asRecord, connect, nextCall } from './host.js';
import { callButton, failure, fill, pictures, summaryOf } from './result-elements.js';

/** @typedef {import('./types.ts').ToolResult} ToolResult */
/** @typedef {import('./types.ts').Host} Host */

connect('fovea-contact-sheet', { show, fail: failure });

/**
 * @param {ToolResult} result
 * @param {Host} host
 */
function show(result, host) {
  const facts = asRecord(result.structuredContent);
  fill([
    summaryOf(result),
    ...pictures(result, 'Originals, and what the settings make of them, with their boxes.'),
    warnings(asList(facts.warnings)),
    table(asList(facts.images).map(asRecord)),
    callButton('Other samples', nextCall(result, 'versions_preview'), host, (next) =>
      show(next, host),
    ),
  ]);
}

/** @param {readonly unknown[]} lines */
function warnings(lines) {
  if (lines.length === 0) return undefined;
  return element('ul', { class: 'warnings' }, ...lines.map((line) => element('li', {}, `${line}`)));
}

/** @param {readonly Record<string, unknown>[]} images */
function table(images) {
  if (images.length === 0) return undefined;
  const head = ['Image', 'Sample', 'Size', 'Boxes', 'What was done'];
  const cells = head.map((words) => element('th', { scope: 'col' }, words));
  return element(
    'table',
    {},
    element('thead', {}, element('tr', {}, ...cells)),
    element('tbody', {}, ...images.flatMap(rowsOf)),
  );
}

/** @param {Record<string, unknown>} image */
function rowsOf(image) {
  const { preprocessed } = image;
  const made = preprocessed === undefined ? [] : [row(image, 'original', preprocessed)];
  const samples = asList(image.samples);
  return [...made, ...samples.map((sample, index) => row(image, String(index + 1), sample))];
}

/**
 * @param {Record<string, unknown>} image
 * @param {string} which
 * @param {unknown} rendered
 */
function row(image, which, rendered) {
  const { width, height, boxes, dropped, words } = asRecord(rendered);
  const lost = Number(dropped) > 0 ? ` (${dropped} dropped)` : '';
  return element(
    'tr',
    {},
    element('td', {}, String(image.name ?? '')),
    element('td', {}, which),
    element('td', {}, `${width} × ${height}`),
    element('td', {}, `${boxes}${lost}`),
    element('td', {}, asList(words).join(', ')),
  );
}
