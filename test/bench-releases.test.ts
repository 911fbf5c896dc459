// The arithmetic of `npm run bench:releases`: ratios of pairs, what they leave open, verdicts.

import { expect, test } from 'vitest';
import { compare, report } from '../bench/releases/compare.ts';

const before = [100, 100, 100, 100, 100, 100, 100, 100, 100];
const less = { name: 'start, ms', better: 'less', digits: 0 } as const;
const more = { name: 'uploads a second', better: 'more', digits: 0 } as const;

test('of nine pairs the interval leaves out one at each end, and the range none', () => {
  const after = [108, 92, 104, 96, 100, 101, 99, 103, 97];
  expect(compare({ ...less, before, after })).toEqual({
    ratio: 1,
    least: 0.92,
    most: 1.08,
    low: 0.96,
    high: 1.04,
    verdict: 'no worse',
  });
});

test('each figure is compared with that of its own pair', () => {
  const slower = [100, 200, 300, 400, 500, 600];
  expect(compare({ ...less, before: slower, after: slower })).toMatchObject({
    least: 1,
    most: 1,
    verdict: 'no worse',
  });
});

test('six pairs leave out none, twelve leave out two at each end', () => {
  const six = [1, 2, 3, 4, 5, 6];
  const ones = (count: number) => Array.from({ length: count }, () => 1);
  expect(compare({ ...less, before: ones(6), after: six })).toMatchObject({ low: 1, high: 6 });
  const twelve = [...six, 7, 8, 9, 10, 11, 12];
  expect(compare({ ...less, before: ones(12), after: twelve })).toMatchObject({
    ratio: 6.5,
    low: 3,
    high: 10,
  });
});

test.each([
  ['no worse', [90, 104, 104, 104, 104, 104, 104, 104, 150]],
  ['within the spread', [90, 94, 110, 110, 110, 110, 110, 110, 150]],
  ['WORSE', [90, 106, 106, 106, 106, 106, 106, 106, 150]],
])('of a cost: %s', (verdict, after) => {
  expect(compare({ ...less, before, after }).verdict).toBe(verdict);
});

test.each([
  ['no worse', [70, 96, 96, 96, 96, 96, 96, 96, 130]],
  ['within the spread', [70, 90, 90, 90, 90, 90, 90, 98, 130]],
  ['WORSE', [70, 94, 94, 94, 94, 94, 94, 94, 130]],
])('of a rate, of which less is worse: %s', (verdict, after) => {
  expect(compare({ ...more, before, after }).verdict).toBe(verdict);
});

test('a count is judged by itself', () => {
  expect(compare({ ...less, before: [1000], after: [1050] }).verdict).toBe('no worse');
  expect(compare({ ...less, before: [1000], after: [1051] }).verdict).toBe('WORSE');
});

test.each([
  ['two pairs', [1, 1], [1, 1], /2 pairs are too few: 6 or more/],
  ['a pair that lacks one', before, [100], /one after it/],
  ['figures of nothing', [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], /none is 0/],
  ['no figures', [], [], /too few/],
])('%s are not judged', (_, first, second, why) => {
  expect(() => compare({ ...less, before: first, after: second })).toThrow(why);
});

test('a report has a row of each figure, and is worse where one is', () => {
  const faster = { ...less, before, after: before.map((value) => value / 2) };
  const tokens = { name: 'tokens', better: 'less', digits: 0, before: [80], after: [70] } as const;
  expect(report([faster, tokens])).toEqual({
    isWorse: false,
    table: [
      '           before  after  after/before    of pairs  95 % of median',
      'start, ms     100     50          0.50  0.50..0.50      0.50..0.50  no worse',
      'tokens         80     70          0.88       exact           exact  no worse',
    ].join('\n'),
  });
  expect(report([faster, { ...tokens, after: [90] }]).isWorse).toBe(true);
});
