// Ranges of numbers as prefixes: no number of a range is missed, and few others are met.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prefixesOf, prefixesWithin } from '../../../src/event-store/index/number-prefixes.ts';

function meets(value: number, low: number, high: number): boolean {
  const wanted = prefixesWithin(low, high);
  return prefixesOf(value).some(({ level, bits }) =>
    wanted.some((prefix) => prefix.level === level && prefix.bits === bits),
  );
}

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -100, max: 100 }),
  fc.integer(),
  fc.integer({ min: -1_000, max: 1_000 }).map((tenths) => tenths / 10),
  fc.constantFrom(0, -0, 2 ** -16, -(2 ** -16), 2 ** 47, 2 ** 53, 5e-324, Number.MAX_VALUE),
);
const end = fc.oneof(number, fc.constantFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY));

test('every number between two ends has one of their prefixes, of which there are few', () => {
  fc.assert(
    fc.property(number, end, end, (value, one, other) => {
      const [low, high] = one < other ? [one, other] : [other, one];
      expect(prefixesWithin(low, high).length).toBeLessThanOrEqual(48);
      if (value >= low && value <= high) expect(meets(value, low, high)).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  [20, 20.5, [19.9, 20.6, 10, -20, 0, 1e9]],
  [0, 499, [-1, 510, 1e6]],
  [-3, -2, [-3.1, -1.9, 2.5, 0]],
  [1_764_000_000_000, 1_764_600_000_000, [1_763_000_000_000, 1_765_000_000_000]],
  [12, Number.POSITIVE_INFINITY, [11.7, 0, -12]],
  [Number.NEGATIVE_INFINITY, 12, [12.2, 300]],
])('from %d to %d: not %j', (low, high, others) => {
  expect(others.filter((value) => meets(value, low, high))).toEqual([]);
});

test('no number is between ends that are in the other order', () => {
  expect(prefixesWithin(5, 4)).toEqual([]);
});
