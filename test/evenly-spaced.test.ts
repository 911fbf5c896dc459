// Some of many, spread over all of them.

import { expect, it } from 'vitest';
import { evenlySpaced } from '../src/evenly-spaced.ts';

it.each([
  [[], 3, []],
  [['a', 'b'], 3, ['a', 'b']],
  [['a', 'b', 'c'], 1, ['b']],
  [['a', 'b', 'c', 'd', 'e', 'f'], 3, ['b', 'd', 'f']],
  [['a', 'b', 'c'], 0, []],
])('of %j, %i: %j', (items, countMax, chosen) => {
  expect(evenlySpaced(items, countMax)).toEqual(chosen);
});
