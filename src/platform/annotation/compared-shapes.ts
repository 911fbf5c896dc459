// By what the objects of two people are compared: by the pixels within their outlines where a
// project labels outlines, else by their boxes.

import { type Annotation, hasOutlines, type ProjectType } from '../../annotations/annotation.ts';
import type { CompareBoxes } from '../../annotations/label-agreement.ts';
import { taskOfType } from '../../contract/projects.ts';
import { type OutlineNumbers, outlineComparison } from '../../evaluation/masks/compare-outlines.ts';
import type { Box } from '../../imaging/box.ts';

export interface ShapeComparison {
  /** Undefined: the masks of this image would take too much. */
  ofImage(labels: readonly Annotation[]): CompareBoxes | undefined;
  /** What was compared so far; undefined where boxes or classes are all that is labelled. */
  readonly comparedBy: 'boxes' | 'masks' | 'masks_and_boxes' | undefined;
}

export function shapeComparison(type: ProjectType): ShapeComparison {
  const isOutlined = hasOutlines(type);
  const hasShapes = isOutlined || taskOfType[type] === 'keypoints';
  let [masks, boxesAlone] = [0, 0];
  return {
    ofImage: (labels) => {
      const outlines = isOutlined ? outlinesOf(labels) : new Map<Box, OutlineNumbers>();
      const compare = outlineComparison([...outlines.values()]);
      if (compare === undefined) return undefined;
      return (one, other, overlapOfBoxes) => {
        const [mine, theirs] = [outlines.get(one), outlines.get(other)];
        if (mine === undefined || theirs === undefined) {
          boxesAlone += 1;
          return overlapOfBoxes;
        }
        masks += 1;
        return compare(mine, theirs);
      };
    },
    get comparedBy() {
      if (!hasShapes) return undefined;
      if (boxesAlone === 0) return isOutlined ? 'masks' : 'boxes';
      return masks === 0 ? 'boxes' : 'masks_and_boxes';
    },
  };
}

function outlinesOf(labels: readonly Annotation[]): Map<Box, OutlineNumbers> {
  const outlines = new Map<Box, OutlineNumbers>();
  for (const annotation of labels) {
    for (const box of annotation.kind === 'detection' ? annotation.boxes : []) {
      if (box.points !== undefined && box.points.length > 2) outlines.set(box, box.points.flat());
    }
  }
  return outlines;
}
