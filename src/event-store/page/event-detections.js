// What models saw in an image of an event.

import { findingsIn } from '../../http-server/page-assets/findings.js';

/** @import { EventImage } from './types.ts' */

/** @param {EventImage} image */
export function findingsOf(image) {
  return findingsIn(
    image.object_detections ?? [],
    image.instance_segmentations ?? [],
    image.keypoints ?? [],
  );
}
