// Which images are worked on together: always the same, not too many, not too large.

import { describe, expect, test } from 'vitest';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import { batchSources, type SourceOutline } from '../../src/dataset-versions/render-batches.ts';

function outlines(
  count: number,
  more: (index: number) => Partial<SourceOutline> = () => ({}),
): readonly SourceOutline[] {
  return Array.from({ length: count }, (_, ordinal) => ({
    ordinal,
    // In another order than the images.
    hash: String((ordinal * 7919) % 10_007).padStart(5, '0'),
    split: 'train',
    width: 640,
    height: 480,
    isDone: false,
    ...more(ordinal),
  }));
}

function settings(given: Partial<VersionSettings> = {}): VersionSettings {
  return { preprocessing: {}, augmentation: {}, ...given };
}

const mosaic = settings({ augmentation: { mosaic: true } });
const ordinalsOf = (batches: ReturnType<typeof batchSources>) =>
  batches.map((batch) => batch.map(({ ordinal }) => ordinal));
const lengthsOf = (batches: ReturnType<typeof batchSources>) => batches.map(({ length }) => length);

describe('batches', () => {
  test('hold every image once, train images first', () => {
    const sources = outlines(10, (index) => ({ split: index % 2 === 0 ? 'train' : 'valid' }));
    expect(ordinalsOf(batchSources(sources, settings()))).toEqual([
      [0, 2, 4, 6],
      [8],
      [1, 3, 5, 7],
      [9],
    ]);
    expect(batchSources([], settings())).toEqual([]);
  });

  test.each([
    [1, [1]],
    [4, [4]],
    [9, [4, 4, 1]],
    [80, Array(16).fill(5)],
    [81, [...Array(13).fill(6), 3]],
    [112, Array(16).fill(7)],
    [128, Array(16).fill(8)],
    [512, Array(64).fill(8)],
  ])('of %i images are cut for progress, up to 8', (count, lengths) => {
    expect(lengthsOf(batchSources(outlines(count), settings()))).toEqual(lengths);
  });

  test('make up to 128 images, or those of one image; of four for mosaic', () => {
    const sources = outlines(256, (index) => ({ split: index < 240 ? 'train' : 'valid' }));
    const chosen = (versions: number, rows: number, isMosaic = false) =>
      settings({
        preprocessing: { tile: { rows, columns: 2 } },
        augmentation: { mosaic: isMosaic, image: { versions } },
      });
    expect(lengthsOf(batchSources(sources, chosen(1, 1)))).toEqual(Array(32).fill(8));
    expect(lengthsOf(batchSources(sources, chosen(8, 2)))).toEqual([...Array(60).fill(4), 8, 8]);
    expect(lengthsOf(batchSources(sources, chosen(50, 2)))).toEqual([...Array(240).fill(1), 8, 8]);
    expect(lengthsOf(batchSources(sources, chosen(50, 2, true)))).toEqual([
      ...Array(60).fill(4),
      8,
      8,
    ]);
    expect(lengthsOf(batchSources(sources, chosen(1, 8)))).toEqual(Array(32).fill(8));
    expect(lengthsOf(batchSources(sources, chosen(1, 100)))).toEqual(Array(256).fill(1));
  });

  test('are the same whatever is done already', () => {
    for (const chosen of [settings(), mosaic]) {
      const fresh = batchSources(outlines(50), chosen);
      const begun = batchSources(
        outlines(50, (index) => ({ isDone: index % 3 === 0 })),
        chosen,
      );
      expect(ordinalsOf(begun)).toEqual(ordinalsOf(fresh));
      expect(begun.flat().filter(({ isDone }) => isDone)).toHaveLength(17);
    }
  });

  test('mix train images for mosaic by their content, whatever order they came in', () => {
    const sources = outlines(12, (index) => ({ split: index < 8 ? 'train' : 'valid' }));
    const hashes = batchSources(sources, mosaic).map((batch) => batch.map(({ hash }) => hash));
    const [first = [], second = [], third] = hashes;
    expect([...first, ...second]).toEqual([
      '00000',
      '01655',
      '03743',
      '05398',
      '05831',
      '07486',
      '07919',
      '09574',
    ]);
    expect([first.length, second.length]).toEqual([4, 4]);
    expect(third).toEqual(sources.slice(8).map(({ hash }) => hash));
    const other = batchSources(sources.toReversed(), mosaic);
    expect(other.slice(0, 2).map((batch) => batch.map(({ hash }) => hash))).toEqual([
      first,
      second,
    ]);
  });

  test('leave no train image alone for mosaic, where memory lets it join others', () => {
    expect(lengthsOf(batchSources(outlines(5), mosaic))).toEqual([5]);
    expect(lengthsOf(batchSources(outlines(17), mosaic))).toEqual([4, 4, 4, 5]);
    expect(lengthsOf(batchSources(outlines(19), mosaic))).toEqual([4, 4, 4, 7]);
    expect(lengthsOf(batchSources(outlines(20), mosaic))).toEqual([4, 4, 4, 4, 4]);
    expect(lengthsOf(batchSources(outlines(17), settings()))).toEqual([4, 4, 4, 4, 1]);
    const large = outlines(5, () => ({ width: 4_000, height: 4_000 }));
    expect(lengthsOf(batchSources(large, mosaic))).toEqual([4, 1]);
  });

  test('stay below 64 megapixels, as stored or as resized', () => {
    const size = (width: number, height: number) => outlines(9, () => ({ width, height }));
    expect(lengthsOf(batchSources(size(4_000, 4_000), settings()))).toEqual([4, 4, 1]);
    expect(lengthsOf(batchSources(size(4_000, 4_001), settings()))).toEqual([3, 3, 3]);
    expect(lengthsOf(batchSources(size(16_000, 10_000), settings()))).toEqual(Array(9).fill(1));
    const resize = (width: number, format: 'Stretch to' | 'Fit within') =>
      settings({ preprocessing: { resize: { width, height: 6_000, format } } });
    expect(lengthsOf(batchSources(size(10, 10), resize(6_000, 'Stretch to')))).toEqual(
      Array(9).fill(1),
    );
    expect(lengthsOf(batchSources(size(10, 10), resize(3_000, 'Fit within')))).toEqual([4, 4, 1]);
  });
});
