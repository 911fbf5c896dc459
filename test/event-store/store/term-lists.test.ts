// Arrivals of one value, cut into lists.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrivalsOfRow, listed } from '../../../src/event-store/store/term-lists.ts';
import { stepsOf } from '../../../src/event-store/store/window-columns.ts';

const arrivals = fc
  .array(fc.integer({ min: 1, max: 10_000_000 }), { maxLength: 2_000 })
  .map((steps) => {
    let sum = 1_763_000_000_000_000;
    return steps.map((step) => {
      sum += step;
      return sum;
    });
  });

test('lists have all arrivals, in their order, and fit a page; few are none', () => {
  fc.assert(
    fc.property(arrivals, (all) => {
      const lists = listed(all);
      expect(lists === undefined).toBe(all.length < 16);
      if (lists) expect(lists.flat()).toEqual(all);
      for (const list of lists ?? []) {
        expect(list.length).toBeGreaterThan(0);
        expect(stepsOf(list).length).toBeLessThan(720);
        expect(arrivalsOfRow(list.at(-1) ?? 0, stepsOf(list))).toEqual(list);
      }
    }),
  );
});

test('a row without a list is its event', () => {
  expect(arrivalsOfRow(7, undefined)).toEqual([7]);
});
