// The large picture of an event, with each finding drawn over it and listed beside it.

import { imageUrl } from './api.js';
import { element, svg } from './elements.js';
import { colourOf, drawFindings, findingsOf, labelOf } from './findings.js';
import { percent } from './format.js';
import { classCounts } from './words.js';

/** @import { EventImage, Finding } from './types.ts' */

/** Rows of one list of findings; the picture shows all. */
const rowsMax = 200;

/**
 * An image with its findings; the choice of classes and of labels is the reader's.
 * @param {EventImage} image
 */
export function largePicture(image) {
  const findings = findingsOf(image);
  const overlay = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
  const labels = element('span', { class: 'labels', 'aria-hidden': 'true' });
  const photo = element('img', { alt: altOf(image, findings), decoding: 'async' });
  const stage = element('div', { class: 'stage' }, photo, overlay, labels);
  photo.addEventListener('load', () => {
    const size = { width: photo.naturalWidth, height: photo.naturalHeight };
    // The stage has the shape of the picture, so that shares of one are shares of the other.
    stage.style.aspectRatio = `${size.width} / ${size.height}`;
    stage.style.width = `min(100%, calc(75vh * ${size.width / size.height}))`;
    drawFindings(overlay, findings, size);
    labels.replaceChildren(...findings.map((found, index) => label(found, index, size)));
    stage.classList.add('is-loaded');
  });
  photo.addEventListener('error', () => stage.classList.add('is-broken'));
  const { file_id: output, input_file_id: input } = image;
  photo.src = imageUrl(output ?? input ?? '');
  return element(
    'div',
    { class: 'large' },
    stage,
    controls(stage, findings),
    output && input && sourceChoice(photo, output, input),
    classifications(image),
    findingTable(stage, findings),
  );
}

/** @param {EventImage} image @param {readonly Finding[]} findings */
function altOf({ label: name }, findings) {
  const seen = classCounts(findings).map(([found, times]) => `${times} ${found}`);
  return [name ?? 'Image of the event', seen.join(', ')].filter(Boolean).join(': ');
}

/**
 * The label of a finding, at its upper edge in shares of the picture.
 * @param {Finding} found
 * @param {number} index
 * @param {{ width: number, height: number }} size
 */
function label(found, index, { width, height }) {
  const made = element(
    'span',
    { class: `label c${colourOf(found.class)}`, 'data-index': index },
    labelOf(found),
  );
  const right = found.left + found.width;
  // Near the right edge a label ends with its box, so that it stays on the picture.
  if (found.left > 0.75 * width) {
    made.style.right = `${100 - (100 * Math.min(width, right)) / width}%`;
  } else made.style.left = `${(100 * Math.max(0, found.left)) / width}%`;
  made.style.top = `${(100 * Math.max(0, found.top)) / height}%`;
  return made;
}

/**
 * Which classes are drawn, and whether with labels.
 * @param {HTMLElement} stage
 * @param {readonly Finding[]} findings
 */
function controls(stage, findings) {
  if (findings.length === 0) return undefined;
  const chips = classCounts(findings).map(([name, times]) =>
    toggle(`${name || 'no class'} ${times}`, `chip c${colourOf(name)}`, (isOn) => {
      for (const [index, found] of findings.entries()) {
        if (found.class !== name) continue;
        for (const part of partsOf(stage, index)) part.classList.toggle('is-off', !isOn);
      }
    }),
  );
  const labels = toggle('Labels', 'chip plain', (isOn) => {
    stage.classList.toggle('without-labels', !isOn);
  });
  return element('div', { class: 'chips' }, ...chips, labels);
}

/**
 * @param {string} text
 * @param {string} look
 * @param {(isOn: boolean) => void} change
 */
function toggle(text, look, change) {
  const button = element('button', { type: 'button', class: look, 'aria-pressed': 'true' }, text);
  button.addEventListener('click', () => {
    const isOn = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(isOn));
    change(isOn);
  });
  return button;
}

/**
 * The picture that went into the model beside the one that came out.
 * @param {HTMLImageElement} photo
 * @param {string} output
 * @param {string} input
 */
function sourceChoice(photo, output, input) {
  return element(
    'div',
    { class: 'chips' },
    toggle('Output image', 'chip plain', (isOn) => {
      photo.src = imageUrl(isOn ? output : input);
    }),
  );
}

/** @param {EventImage} image */
function classifications({ classifications: found = [] }) {
  if (found.length === 0) return undefined;
  const rows = found.map(({ class: name, confidence }) =>
    confidenceRow(String(name ?? ''), typeof confidence === 'number' ? confidence : undefined),
  );
  return element('ul', { class: 'confidences', 'aria-label': 'Classifications' }, ...rows);
}

/** @param {string} name @param {number | undefined} confidence */
function confidenceRow(name, confidence) {
  const fill = element('span', { class: 'fill' });
  fill.style.width = `${100 * Math.min(1, Math.max(0, confidence ?? 0))}%`;
  return element(
    'li',
    { class: `c${colourOf(name)}` },
    element('span', {}, name),
    element('span', { class: 'meter' }, fill),
    element('span', { class: 'number' }, confidence === undefined ? '' : percent(confidence)),
  );
}

/**
 * @param {HTMLElement} stage
 * @param {readonly Finding[]} findings
 */
function findingTable(stage, findings) {
  if (findings.length === 0) return undefined;
  const rows = findings.slice(0, rowsMax).map((found, index) => findingRow(stage, found, index));
  const more = findings.length - rows.length;
  return element(
    'details',
    { class: 'findings' },
    element('summary', {}, `${findings.length} detections`),
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          ...['Class', 'Confidence', 'Centre', 'Size'].map((name) =>
            element('th', { scope: 'col' }, name),
          ),
        ),
      ),
      element('tbody', {}, ...rows),
    ),
    more > 0 && element('p', { class: 'note' }, `and ${more} more in the picture`),
  );
}

/** @param {HTMLElement} stage @param {Finding} found @param {number} index */
function findingRow(stage, found, index) {
  const { left, top, width, height, confidence } = found;
  const mark = (/** @type {boolean} */ isOn) => {
    stage.classList.toggle('has-mark', isOn);
    for (const part of partsOf(stage, index)) part.classList.toggle('is-marked', isOn);
  };
  const row = element(
    'tr',
    {},
    element('th', { scope: 'row', class: `c${colourOf(found.class)}` }, found.class),
    element('td', { class: 'number' }, confidence === undefined ? '' : percent(confidence)),
    element(
      'td',
      { class: 'number' },
      `${rounded(left + width / 2)}, ${rounded(top + height / 2)}`,
    ),
    element('td', { class: 'number' }, `${rounded(width)} × ${rounded(height)}`),
  );
  row.addEventListener('pointerenter', () => mark(true));
  row.addEventListener('pointerleave', () => mark(false));
  return row;
}

/** @param {HTMLElement} stage @param {number} index */
function partsOf(stage, index) {
  return stage.querySelectorAll(`[data-index="${index}"]`);
}

/** @param {number} value */
function rounded(value) {
  return Math.round(value * 10) / 10;
}
