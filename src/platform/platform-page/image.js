// One image: its boxes over the picture, its tags and its metadata.

import {
  classChoice,
  findingTable,
  pictureStage,
} from '../../http-server/page-assets/annotated-image.js';
import { classCounts } from '../../http-server/page-assets/drawing.js';
import { element } from '../../http-server/page-assets/elements.js';
import { plainValue } from '../../http-server/page-assets/format.js';
import { getImage } from './api.js';
import { fact } from './facts.js';
import { annotateAddress, imagesAddress, projectTabs } from './project.js';

/** @import { Finding } from '../../http-server/page-assets/types.ts' */
/** @import { Box } from './boxes.ts' */
/** @import { BoxOnWire, Image, View } from './types.ts' */

/** @param {string} slug @param {string} id @returns {Promise<View>} */
export async function imageView(slug, id) {
  const image = await getImage(slug, id);
  const name = String(image.name ?? id);
  const findings = findingsOf(image);
  const seen = classCounts(findings).map(([name, times]) => `${times} ${name}`);
  const { stage, photo } = pictureStage([name, ...seen].join(', '), findings);
  photo.src = String(image.urls?.original ?? '');
  return {
    title: name,
    content: element(
      'div',
      { class: 'stack' },
      projectTabs(slug, 'images'),
      element('p', {}, element('a', { href: annotateAddress(slug, id) }, 'Annotate')),
      element(
        'div',
        { class: 'large' },
        stage,
        classChoice(stage, findings),
        facts(slug, image),
        findingTable(stage, findings, 'boxes'),
      ),
    ),
  };
}

/** @param {string} slug @param {Image} image */
function facts(slug, { width, height, split, tags = [], metadata, labels = [] }) {
  const pairs = Object.entries(metadata ?? {}).map(
    ([name, value]) => `${name}: ${plainValue(value)}`,
  );
  return element(
    'dl',
    { class: 'facts' },
    fact('Size', `${width} × ${height}`),
    fact('Split', split ?? ''),
    fact('Labels', labels.join(', ') || 'none'),
    fact(
      'Tags',
      ...tags.flatMap((tag, index) => [
        index > 0 && ', ',
        element('a', { href: imagesAddress(slug, { tag }) }, tag),
      ]),
    ),
    pairs.length > 0 && fact('Metadata', pairs.join(', ')),
  );
}

/** Of its annotation. @param {Image} image */
export function revisionOf({ annotation_revision: revision = 'none' }) {
  return revision;
}

/** @param {Image} image */
export function sizeOf({ width, height }) {
  return { width: Number(width), height: Number(height) };
}

/** The boxes of an image as they are drawn. @param {Image} image */
export function findingsOf(image) {
  return boxesOf(image).map(findingOf);
}

/**
 * On the wire a box has its centre; here its corner.
 * @param {Image} image
 * @returns {readonly Box[]}
 */
export function boxesOf({ annotation }) {
  const boxes = /** @type {readonly BoxOnWire[]} */ (annotation?.boxes ?? []);
  return boxes.map(boxOf);
}

/** @param {BoxOnWire} box @returns {Box} */
export function boxOf({ label, x, y, width, height, points, keypoints }) {
  return {
    class: label,
    left: x - width / 2,
    top: y - height / 2,
    width,
    height,
    ...(points && { points }),
    ...(keypoints && { keypoints }),
  };
}

/** @param {Box} box @returns {Finding} */
export function findingOf({ points = [], keypoints = [], ...box }) {
  return {
    ...box,
    kind: points.length > 0 ? 'outline' : 'box',
    confidence: undefined,
    points,
    keypoints: keypoints
      .filter(({ visibility }) => visibility > 0)
      .map(({ x, y, visibility }) => ({ x, y, occluded: visibility === 1 })),
  };
}
