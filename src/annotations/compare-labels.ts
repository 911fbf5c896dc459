// Whether a second annotation of an image says the same as the first.

import type { Box } from '../imaging/box.ts';
import type { Annotation } from './annotation.ts';
import type { WrittenAnnotation } from './serialized-annotation.ts';

export type ComparedLabels = 'same' | 'conflicting' | 'not compared';

/** Boxes in whole pixels, whatever their order. */
export function compareLabels(
  kept: Annotation | undefined,
  given: WrittenAnnotation,
): ComparedLabels {
  if (kept === undefined) return 'not compared';
  const objects = kept.kind === 'detection' ? kept.boxes.length : kept.labels.length;
  if (objects !== given.objects || kept.kind !== given.kind) return 'conflicting';
  const json = JSON.stringify(kept);
  if (json === given.json) return 'same';
  // Sorting many boxes would hold up other requests.
  if (json.length > charactersMax || given.json.length > charactersMax) return 'not compared';
  return sortedLabels(kept) === sortedLabels(JSON.parse(given.json)) ? 'same' : 'conflicting';
}

const charactersMax = 200_000;

/** In whole pixels, as formats round differently. */
function sortedLabels(annotation: Annotation): string {
  const parts =
    annotation.kind === 'detection' ? annotation.boxes.map(wordOf) : [...annotation.labels];
  return JSON.stringify(parts.toSorted());
}

function wordOf({ label, x, y, width, height, points, keypoints }: Box): string {
  const edges = [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
  return JSON.stringify([label, edges.map(Math.round), points, keypoints]);
}
