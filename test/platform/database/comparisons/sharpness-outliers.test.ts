// Which images are outliers by their sharpness: beyond a fence that a few of them do not move.

import { expect, it } from 'vitest';
import { findSharpnessOutliers } from '../../../../src/platform/database/comparisons/sharpness-outliers.ts';

/** -3, -2.9, and so on up to -1.1. */
const usual = Array.from({ length: 20 }, (_, at) => -3 + at / 10);

it('tells what is beyond both fences, the farthest first', () => {
  const found = findSharpnessOutliers(Float64Array.from([...usual, -9.2, 2.8, -4.9, -4.6]));
  expect(found.measured).toBe(24);
  expect(found.fence?.low).toBeCloseTo(-5.2, 9);
  expect(found.fence?.high).toBeCloseTo(0.8, 9);
  expect(found.outliers).toEqual([
    { place: 20, sharpness: -9.2 },
    { place: 21, sharpness: 2.8 },
  ]);
});

it('tells none of 19, whatever they are, and leaves out what is not known', () => {
  const few = [...usual.slice(0, 18), -9.2];
  const none = { outliers: [], fence: undefined, measured: 19 };
  expect(findSharpnessOutliers(Float64Array.from(few))).toEqual(none);
  expect(findSharpnessOutliers(Float64Array.from([...few, Number.NaN]))).toEqual(none);
  expect(findSharpnessOutliers(new Float64Array())).toEqual({ ...none, measured: 0 });
  const enough = findSharpnessOutliers(Float64Array.from([Number.NaN, ...few, -2]));
  expect(enough.outliers).toEqual([{ place: 19, sharpness: -9.2 }]);
});

it('takes no copy of one picture for an outlier, since it was compressed once more', () => {
  const copies = new Float64Array(30).fill(-3);
  copies[4] = -3.4;
  copies[5] = -3.6;
  expect(findSharpnessOutliers(copies)).toEqual({
    outliers: [{ place: 5, sharpness: -3.6 }],
    fence: { low: -3.5, high: -2.5 },
    measured: 30,
  });
});
