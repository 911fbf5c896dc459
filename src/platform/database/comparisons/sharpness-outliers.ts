// Images of a project with far less or far more fine detail than the others: blank ones, those out
// of focus, and noise.

import { limits } from '../../../limits.ts';

/** Below `low` and above `high` an image is an outlier. */
export interface SharpnessFence {
  readonly low: number;
  readonly high: number;
}

export interface SharpnessOutliers {
  /** The farthest beyond the fence first; `place`: in the list. */
  readonly outliers: readonly { readonly place: number; readonly sharpness: number }[];
  /** Undefined: of too few images it is known. */
  readonly fence: SharpnessFence | undefined;
  /** How many it is known of. */
  readonly measured: number;
}

/** `sharpness`: that of each image, NaN where it is not known. Tukey's fence, wider than usual. */
export function findSharpnessOutliers(sharpness: Float64Array): SharpnessOutliers {
  const sorted = sharpness.filter((value) => !Number.isNaN(value)).sort();
  const measured = sorted.length;
  if (measured < limits.sharpnessImagesMin) return { outliers: [], fence: undefined, measured };
  const quantile = (share: number) => sorted[Math.floor(share * (measured - 1))] ?? 0;
  const [lower, upper] = [quantile(0.25), quantile(0.75)];
  const reach = limits.sharpnessFenceFactor * Math.max(upper - lower, limits.sharpnessSpreadMin);
  const fence = { low: lower - reach, high: upper + reach };
  const beyond = (value: number) => Math.max(fence.low - value, value - fence.high);
  const outliers = [...sharpness]
    .map((value, place) => ({ place, sharpness: value }))
    .filter((one) => beyond(one.sharpness) > 0)
    .toSorted((a, b) => beyond(b.sharpness) - beyond(a.sharpness) || a.place - b.place);
  return { outliers, fence, measured };
}
