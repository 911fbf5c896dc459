// Scales the time of some images of a version up to all of them.

import { limits } from '../../limits.ts';

/** How long a thread took for some sources. */
export interface Timed {
  /** Only these have copies. */
  readonly isTrain: boolean;
  /** May be a fraction, where the time was over before all was made of one. */
  readonly images: number;
  readonly ms: number;
}

/** Seconds for all; undefined where nothing was timed. */
export function scaleUp(
  timed: readonly Timed[],
  images: { readonly train: number; readonly all: number },
  threads: number,
): { readonly least: number; readonly most: number } | undefined {
  const any = msEach(timed);
  if (any === undefined) return undefined;
  const train = msEach(timed.filter(({ isTrain }) => isTrain)) ?? any;
  const others = msEach(timed.filter(({ isTrain }) => !isTrain)) ?? any;
  const ms = images.train * train + (images.all - images.train) * others;
  const seconds = ms / 1000 / Math.min(threads, images.all);
  const least = seconds * limits.estimateShareLeast;
  const most = seconds * limits.estimateShareMost + limits.estimateStartMsMax / 1000;
  return { least: rounded(least), most: rounded(most) };
}

/** To two digits behind the point. */
export function rounded(figure: number): number {
  return Number(figure.toFixed(2));
}

function msEach(timed: readonly Timed[]): number | undefined {
  const images = timed.reduce((sum, one) => sum + one.images, 0);
  return images > 0 ? timed.reduce((sum, { ms }) => sum + ms, 0) / images : undefined;
}
