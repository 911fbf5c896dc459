// A picture with each finding drawn over it, the choice of classes, and the list of findings.

import { classCounts, colourOf, drawFindings, labelOf } from './drawing.js';
import { element, svg } from './elements.js';
import { percent } from './format.js';

/** @import { Finding } from './types.ts' */

/** Rows of one list of findings; the picture shows all. */
const rowsMax = 200;

/**
 * The picture and its findings. The photo has no address yet: whoever sets one shows it.
 * @param {string} alt
 * @param {readonly Finding[]} findings
 */
export function pictureStage(alt, findings) {
  const overlay = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
  const labels = element('span', { class: 'labels', 'aria-hidden': 'true' });
  const photo = element('img', { alt, decoding: 'async' });
  const stage = element('div', { class: 'stage' }, photo, overlay, labels);
  photo.addEventListener('load', () => {
    const size = { width: photo.naturalWidth, height: photo.naturalHeight };
    // The stage has the shape of the picture, so that shares of one are shares of the other.
    stage.style.aspectRatio = `${size.width} / ${size.height}`;
    stage.style.width = `min(100%, calc(75vh * ${size.width / size.height}))`;
    drawFindings(overlay, findings, size);
    labels.replaceChildren(...findings.map((found, index) => labelFor(found, index, size)));
    stage.classList.add('is-loaded');
  });
  photo.addEventListener('error', () => stage.classList.add('is-broken'));
  return { stage, photo };
}

/**
 * The label of a finding, at its upper edge in shares of the picture.
 * @param {Finding} found
 * @param {number} index
 * @param {{ width: number, height: number }} size
 */
export function labelFor(found, index, { width, height }) {
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
export function classChoice(stage, findings) {
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
export function toggle(text, look, change) {
  const button = element('button', { type: 'button', class: look, 'aria-pressed': 'true' }, text);
  button.addEventListener('click', () => {
    const isOn = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(isOn));
    change(isOn);
  });
  return button;
}

/**
 * @param {HTMLElement} stage
 * @param {readonly Finding[]} findings
 * @param {string} what they are, in one word
 */
export function findingTable(stage, findings, what) {
  if (findings.length === 0) return undefined;
  const rows = findings.slice(0, rowsMax).map((found, index) => findingRow(stage, found, index));
  const more = findings.length - rows.length;
  return element(
    'details',
    { class: 'findings' },
    element('summary', {}, `${findings.length} ${what}`),
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
