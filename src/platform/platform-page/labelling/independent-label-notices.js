// Above a picture: that labels are kept apart in this job, or what people said of it in jobs apart.

import { element } from '../../../http-server/page-assets/elements.js';
import { agreementAddress } from '../addresses.js';

/** @import { JobImages } from '../types.ts' */

/** @param {string} slug @param {JobImages | undefined} known */
export function independentLabelNotices(slug, known) {
  if (known === undefined) return [];
  const { job, images } = known;
  if (job.independent === true) {
    const { name = '', annotated = 0, numImages = 0 } = job;
    const words = `${name}: ${annotated} of ${numImages} labelled. Labels are kept apart from those of others`;
    // Who still labels should not be led there.
    if (annotated < numImages) return [element('p', { class: 'notice' }, `${words}.`)];
    const link = element('a', { href: agreementAddress(slug, job.id ?? '') }, 'compare them');
    return [element('p', { class: 'notice' }, `${words}: `, link)];
  }
  return (images[0]?.independent ?? []).map(({ labeler = 'Somebody', boxes, labels }) => {
    const what = boxes === undefined ? labels.join(', ') || 'none of the classes' : wordsOf(boxes);
    return element('p', { class: 'notice' }, `${labeler}, apart: ${what}`);
  });
}

/** @param {readonly unknown[]} boxes */
function wordsOf({ length }) {
  if (length === 0) return 'nothing is there';
  return length === 1
    ? '1 object, dashed where it differs'
    : `${length} objects, dashed where they differ`;
}
