// What a model found in images and no answer has: it is counted, and said where images are many.

import type { Detection, Labeller } from './detection-models.ts';

export interface PredictionOmissions {
  /** Images that were looked at since the work was begun, or taken up again. */
  readonly ofImages: number;
  /** Images in which more was found than is kept: the surest are. */
  readonly moreFound: number;
  /** Boxes whose masks are too coarse for an outline. */
  readonly withoutOutline: number;
  /** Outlines that leave out holes or pieces of their masks. */
  readonly cutOutlines: number;
}

export interface OmissionCounter {
  add(detections: readonly Detection[], hasMore: boolean): void;
  /** Undefined: nothing is lacking. */
  told(): PredictionOmissions | undefined;
}

export function omissionCounter(
  task: Labeller['task'],
  isOutlined: boolean = givesOutlines(task),
): OmissionCounter {
  let [ofImages, moreFound, withoutOutline, cutOutlines] = [0, 0, 0, 0];
  const hasOutlines = givesOutlines(task) && isOutlined;
  return {
    add: (detections, hasMore) => {
      ofImages += 1;
      if (hasMore) moreFound += 1;
      if (!hasOutlines) return;
      withoutOutline += detections.filter(({ points }) => points === undefined).length;
      cutOutlines += detections.filter(({ isCut }) => isCut === true).length;
    },
    told: () =>
      moreFound + withoutOutline + cutOutlines === 0
        ? undefined
        : { ofImages, moreFound, withoutOutline, cutOutlines },
  };
}

function givesOutlines(task: Labeller['task']): boolean {
  return task === 'segmentation' || task === 'semantic';
}
