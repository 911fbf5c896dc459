// One image: its boxes over the picture, its tags and its metadata.

import {
  classChoice,
  findingTable,
  pictureStage,
} from '../../../http-server/page-assets/annotated-image.js';
import { classCounts } from '../../../http-server/page-assets/drawing.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { plainValue } from '../../../http-server/page-assets/format.js';
import { annotateAddress, imagesAddress } from '../addresses.js';
import { getImage } from '../api.js';
import { findingsOf } from '../boxes-of-image.js';
import { fact } from '../facts.js';
import { projectTabs } from '../project-tabs.js';

/** @import { Image, View } from '../types.ts' */

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
