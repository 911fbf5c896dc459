// The large picture of an event, with each finding drawn over it and listed beside it.

import {
  classChoice,
  findingTable,
  pictureStage,
  toggle,
} from '../../http-server/page-assets/annotated-image.js';
import { classCounts, colourOf } from '../../http-server/page-assets/drawing.js';
import { element } from '../../http-server/page-assets/elements.js';
import { percent } from '../../http-server/page-assets/format.js';
import { imageUrl } from './api.js';
import { findingsOf } from './event-detections.js';

/** @import { Finding } from '../../http-server/page-assets/types.ts' */
/** @import { EventImage } from './types.ts' */

/**
 * An image with its findings; the choice of classes and of labels is the reader's.
 * @param {EventImage} image
 */
export function largePicture(image) {
  const findings = findingsOf(image);
  const { stage, photo } = pictureStage(altOf(image, findings), findings);
  const { file_id: output, input_file_id: input } = image;
  photo.src = imageUrl(output ?? input ?? '');
  return element(
    'div',
    { class: 'large' },
    stage,
    classChoice(stage, findings),
    output && input && sourceChoice(photo, output, input),
    classifications(image),
    findingTable(stage, findings, 'detections'),
  );
}

/** @param {EventImage} image @param {readonly Finding[]} findings */
function altOf({ label: name }, findings) {
  const seen = classCounts(findings).map(([found, times]) => `${times} ${found}`);
  return [name ?? 'Image of the event', seen.join(', ')].filter(Boolean).join(': ');
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
