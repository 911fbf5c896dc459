// Which images are collected: filters, sampling, batches, and changes of settings.

import { describe, expect, it } from 'vitest';
import {
  batchNameAt,
  boundsOf,
  changedSettings,
  defaultLimits,
  type Filter,
  filterProblems,
  isSampled,
  passes,
} from '../../../src/platform/active-learning/collection-rules.ts';

const seen = {
  width: 100,
  height: 100,
  detections: [
    { label: 'WBC', confidence: 0.9, width: 50, height: 40 },
    { label: 'RBC', confidence: 0.3, width: 10, height: 10 },
  ],
};

describe('filters', () => {
  const rows: readonly [readonly Filter[], boolean][] = [
    [[], true],
    [[{ type: 'classConfidence', max: 0.5 }], true],
    [[{ type: 'classConfidence', classes: ['WBC'], max: 0.5 }], false],
    [[{ type: 'classConfidence', classes: ['WBC'], min: 0.9, max: 0.9 }], true],
    [[{ type: 'classConfidence', classes: ['Platelets'], min: 0 }], false],
    [[{ type: 'classConfidence', min: 0.4, max: 0.8 }], false],
    [[{ type: 'detectionSize', min: 0.2, max: 0.2 }], true],
    [[{ type: 'detectionSize', min: 0.21 }], false],
    [[{ type: 'detectionSize', max: 0.01 }], true],
    [[{ type: 'detectionCount', min: 2, max: 2 }], true],
    [[{ type: 'detectionCount', max: 1 }], false],
    [
      [
        { type: 'detectionCount', max: 2 },
        { type: 'detectionSize', max: 0.001 },
      ],
      false,
    ],
  ];
  it.each(rows)('%j', (filters, expected) => {
    expect(passes(filters, seen)).toBe(expected);
  });

  it('of objects never hold where nothing was seen, one of their number may', () => {
    const nothing = { ...seen, detections: [] };
    expect(passes([{ type: 'classConfidence', max: 1 }], nothing)).toBe(false);
    expect(passes([{ type: 'detectionCount', max: 0 }], nothing)).toBe(true);
  });

  it('need a bound, and a range that holds something', () => {
    const filters: readonly Filter[] = [
      { type: 'detectionCount' },
      { type: 'detectionSize', min: 0.5, max: 0.4 },
      { type: 'detectionSize', min: 0.4, max: 0.4 },
    ];
    expect(filterProblems(filters)).toEqual([
      { path: 'filters[0]', message: 'needs min or max' },
      { path: 'filters[1].min', message: 'must not be above max, 0.4' },
    ]);
  });
});

it('samples always the same inferences, in the share that was asked for', () => {
  const ids = Array.from({ length: 4_000 }, (_, index) => `inference-${index}`);
  const sampled = (rate: number) => ids.filter((id) => isSampled(id, rate));
  expect(sampled(0)).toEqual([]);
  expect(sampled(1)).toEqual(ids);
  expect(sampled(0.1)).toHaveLength(405);
  expect(sampled(0.1)).toEqual(sampled(0.1));
  expect(sampled(0.2)).toEqual(expect.arrayContaining(sampled(0.1)));
});

it('names batches by day, ISO week and month', () => {
  const at = (time: string) => Date.parse(time);
  expect(batchNameAt('never', at('2026-11-22T23:59:59Z'))).toBe('Active Learning');
  expect(batchNameAt('daily', at('2026-11-22T23:59:59Z'))).toBe('Active Learning 2026-11-22');
  expect(batchNameAt('monthly', at('2026-11-22T23:59:59Z'))).toBe('Active Learning 2026-11');
  const week = (day: string) => batchNameAt('weekly', at(`${day}T12:00:00Z`)).slice(-8);
  expect(['2026-11-22', '2026-11-23', '2027-01-03', '2027-01-04'].map(week)).toEqual([
    '2026-W47',
    '2026-W48',
    '2026-W53',
    '2027-W01',
  ]);
});

it('keeps what a change leaves out, and takes null for the default', () => {
  const first = changedSettings(
    { collectionLimits: defaultLimits, filters: [] },
    {
      collectionLimits: { perDay: 5, samplingRate: 0.5 },
      filters: [{ type: 'detectionCount', min: 1 }],
    },
  );
  const second = changedSettings(first, {
    collectionLimits: { perDay: null, perHour: 3, samplingRate: null },
  });
  expect(first.collectionLimits).toEqual({ ...defaultLimits, perDay: 5, samplingRate: 0.5 });
  expect(second.collectionLimits).toEqual({ ...defaultLimits, perHour: 3 });
  expect(second.filters).toEqual([{ type: 'detectionCount', min: 1 }]);
  expect(boundsOf({ ...second.collectionLimits, perMinute: 2 })).toEqual([
    { count: 2, withinMs: 60_000 },
    { count: 3, withinMs: 3_600_000 },
  ]);
});
