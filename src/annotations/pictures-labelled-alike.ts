// Whether two pictures of the same thing are labelled alike, whatever their sizes.

import type { Box } from '../imaging/box.ts';
import type { Annotation } from './annotation.ts';
import { edgesOf, overlapOf } from './box-geometry.ts';

export interface LabelledPicture {
  readonly width: number;
  readonly height: number;
  readonly annotation: Annotation;
}

/** The same classes, and boxes of one class where the other has some too. */
export function labelsAgree(one: LabelledPicture, other: LabelledPicture): boolean {
  if (one.annotation.kind === 'classification' || other.annotation.kind === 'classification') {
    return sameLabels(one.annotation, other.annotation);
  }
  const [boxes, others] = [scaled(one), scaled(other)];
  if (boxes.length !== others.length) return false;
  const free = new Set(others);
  return boxes.every((box) => {
    const found = [...free].find(
      (candidate) =>
        candidate.label === box.label && overlapOf(edgesOf(box), edgesOf(candidate)) >= samePlace,
    );
    return found !== undefined && free.delete(found);
  });
}

/** Copies may be a little cropped, and people do not draw the same box twice. */
const samePlace = 0.5;

function sameLabels(one: Annotation, other: Annotation): boolean {
  if (one.kind !== 'classification' || other.kind !== 'classification') return false;
  return one.labels.toSorted().join('\n') === other.labels.toSorted().join('\n');
}

/** In shares of the image. A box without area is compared with nothing. */
function scaled({ annotation, width, height }: LabelledPicture): readonly Box[] {
  const boxes = annotation.kind === 'detection' ? annotation.boxes : [];
  return boxes
    .filter((box) => box.width > 0 && box.height > 0)
    .map((box) => ({
      label: box.label,
      x: box.x / width,
      y: box.y / height,
      width: box.width / width,
      height: box.height / height,
    }));
}
