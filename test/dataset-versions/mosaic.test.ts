// Four pictures in one: which ones, where they meet, and what becomes of their boxes.

import { describe, expect, test } from 'vitest';
import { batchSources } from '../../src/dataset-versions/render-batches.ts';
import type { RenderedImage, RenderSource } from '../../src/dataset-versions/render-images.ts';
import type { Box } from '../../src/imaging/box.ts';
import { drawPng, rowsOf } from './letter-images.ts';
import { renderJob } from './render-images.ts';

/** A picture of one letter, with a box of that label over the whole of it. */
async function plain(
  letter: string,
  width = 8,
  height = 8,
  split: RenderSource['split'] = 'train',
): Promise<RenderSource> {
  const bytes = await drawPng(...Array.from({ length: height }, () => letter.repeat(width)));
  const box = { label: letter, x: width / 2, y: height / 2, width, height };
  return { bytes, hash: letter, split, boxes: [box] };
}

/** Copies alone. */
async function mosaicsOf(sources: readonly RenderSource[], versions: number) {
  const augmentation = { mosaic: true, image: { versions } };
  const images = await renderJob({ sources, output: 'pixels' }, { augmentation });
  return images.filter(({ copy }) => copy > 0);
}

interface Quarter {
  readonly letter: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The four parts of an image that is made of rectangles of one letter each. */
function quartersOf(image: RenderedImage): readonly Quarter[] {
  const rows = rowsOf(image);
  const first = (row: string) => row.charAt(0);
  const last = (row: string) => row.charAt(row.length - 1);
  const x = rows
    .map((row) => [...row].findIndex((letter) => letter !== first(row)))
    .find((n) => n > 0);
  const y = [first, last]
    .map((side) => rows.findIndex((row) => side(row) !== side(rows[0] ?? '')))
    .find((n) => n > 0);
  const { width, height } = image;
  const [middleX, middleY] = [x ?? width, y ?? height];
  const columns = [
    [0, middleX],
    [middleX, width],
  ] as const;
  const lines = [
    [0, middleY],
    [middleY, height],
  ] as const;
  return lines.flatMap(([top, bottom]) =>
    columns.flatMap(([left, right]) => {
      if (right === left || bottom === top) return [];
      const part = rows.slice(top, bottom).map((row) => row.slice(left, right));
      const letters = new Set(part.join(''));
      expect([...letters]).toHaveLength(1);
      const [letter = ''] = letters;
      return [{ letter, left, top, width: right - left, height: bottom - top }];
    }),
  );
}

const around = ({ letter, left, top, width, height }: Quarter): Box => ({
  label: letter,
  x: left + width / 2,
  y: top + height / 2,
  width,
  height,
});

describe('mosaic', () => {
  test('joins the image and three others, each once, in any order', async () => {
    const sources = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((letter) => plain(letter)));
    const copies = await mosaicsOf(sources, 30);
    expect(copies).toHaveLength(5 * 29);
    const corners = new Set<string>();
    for (const copy of copies) {
      const letters = quartersOf(copy).map(({ letter }) => letter);
      expect(letters).toHaveLength(4);
      expect(new Set(letters).size).toBe(4);
      expect(letters).toContain('abcde'.charAt(copy.source));
      corners.add(`${letters.indexOf('abcde'.charAt(copy.source))}`);
    }
    expect(corners.size).toBe(4);
  });

  test('meets in the middle half, everywhere there', async () => {
    const sources = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => plain(letter, 16, 20)));
    const copies = await mosaicsOf(sources, 60);
    const points = copies.map((copy) => {
      const [first] = quartersOf(copy);
      return { x: first?.width, y: first?.height };
    });
    const sorted = (values: readonly (number | undefined)[]) =>
      [...new Set(values)].toSorted((a, b) => Number(a) - Number(b));
    expect(sorted(points.map(({ x }) => x))).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(sorted(points.map(({ y }) => y))).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  });

  test('clips boxes to their quarters; of a large one enough must be seen', async () => {
    const sources = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => plain(letter, 20, 20)));
    let [whole, gone] = [0, 0];
    for (const copy of await mosaicsOf(sources, 20)) {
      for (const quarter of quartersOf(copy)) {
        const boxes = copy.boxes.filter(({ label }) => label === quarter.letter);
        if (boxes.length === 0) {
          gone++;
          expect(quarter.width * quarter.height).toBeLessThan(80);
          continue;
        }
        whole++;
        expect(boxes).toEqual([around(quarter)]);
      }
    }
    expect(whole).toBeGreaterThan(150);
    expect(gone).toBeGreaterThan(10);
  });

  test('shows small objects as large as they are, or the whole picture smaller', async () => {
    const rows = ['aaaaaaaa', 'aaaaaaaa', 'aabbaaaa', 'aabbaaaa', ...Array(4).fill('aaaaaaaa')];
    const bytes = await drawPng(...rows);
    const box = { label: 'b', x: 3, y: 3, width: 2, height: 2 };
    const source = { bytes, hash: 'one', split: 'train', boxes: [box] } as const;
    let [cut, shrunk] = [0, 0];
    for (const copy of await mosaicsOf([source], 40)) {
      expect([copy.width, copy.height]).toEqual([8, 8]);
      const found = rowsOf(copy);
      for (const { x, y, width, height } of copy.boxes) {
        if (width !== 2 || height !== 2) {
          shrunk++;
          continue;
        }
        cut++;
        // A whole object has its own pixels under its box.
        const part = found.slice(y - 1, y + 1).map((row) => row.slice(x - 1, x + 1));
        expect(part).toEqual(['bb', 'bb']);
      }
    }
    expect(cut).toBeGreaterThan(20);
    expect(shrunk).toBeGreaterThan(20);
  });

  test('cuts at any place, the last one too', async () => {
    const bytes = await drawPng(...Array.from({ length: 8 }, () => 'abcdefgh'));
    const source = { bytes, hash: 'one', split: 'train', boxes: [] } as const;
    // What is stretched has mixed colours.
    const rows = (await mosaicsOf([source], 40)).flatMap((copy) => rowsOf(copy));
    for (const two of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh']) {
      expect(rows.some((row) => row.includes(two))).toBe(true);
    }
  });

  test.each([
    ['a', 'a'],
    ['ab', 'ab'],
    ['abc', 'abc'],
  ])('of fewer than four, %s, some come again', async (letters, all) => {
    const sources = await Promise.all([...letters].map((letter) => plain(letter)));
    const copies = await mosaicsOf(sources, 10);
    expect(copies).toHaveLength(letters.length * 9);
    for (const copy of copies) {
      const found = [...new Set(rowsOf(copy).join(''))].toSorted().join('');
      expect(found).toBe(all);
      // The others come again before the image itself does.
      const [first = '', last = ''] = [rowsOf(copy).at(0), rowsOf(copy).at(-1)];
      const corners = [first.at(0), first.at(-1), last.at(0), last.at(-1)];
      const own = corners.filter((letter) => letter === letters.charAt(copy.source));
      expect(own).toHaveLength(letters.length === 1 ? 4 : 1);
    }
  });

  test('of five, each has three others', async () => {
    const sources = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((letter) => plain(letter)));
    const outlines = sources.map(({ hash, split }, ordinal) => ({
      ordinal,
      hash,
      split,
      width: 8,
      height: 8,
      isDone: false,
    }));
    const settings = { preprocessing: {}, augmentation: { mosaic: true } };
    const batches = batchSources(outlines, settings);
    expect(batches.map((batch) => batch.map(({ hash }) => hash).join(''))).toEqual(['abcde']);
  });

  test('takes no partners from valid and test images', async () => {
    const sources = await Promise.all([
      plain('a'),
      plain('v', 8, 8, 'valid'),
      plain('b'),
      plain('t', 8, 8, 'test'),
      plain('c'),
      plain('d'),
    ]);
    const copies = await mosaicsOf(sources, 20);
    expect([...new Set(copies.map(({ source }) => source))]).toEqual([0, 2, 4, 5]);
    const letters = new Set(copies.flatMap((copy) => rowsOf(copy)).join(''));
    expect([...letters].toSorted().join('')).toBe('abcd');
  });

  test('fills the size of each image with those of other sizes', async () => {
    const sources = await Promise.all([
      plain('a', 12, 6),
      plain('b', 3, 20),
      plain('c', 40, 30),
      plain('d', 1, 1),
    ]);
    for (const copy of await mosaicsOf(sources, 15)) {
      const sizes = [
        [12, 6],
        [3, 20],
        [40, 30],
        [1, 1],
      ];
      expect([copy.width, copy.height]).toEqual(sizes[copy.source]);
      expect(rowsOf(copy).join('')).toMatch(/^[abcd]+$/);
      for (const { x, y, width, height } of copy.boxes) {
        expect(x - width / 2).toBeGreaterThanOrEqual(0);
        expect(y - height / 2).toBeGreaterThanOrEqual(0);
        expect(x + width / 2).toBeLessThanOrEqual(copy.width);
        expect(y + height / 2).toBeLessThanOrEqual(copy.height);
      }
    }
  });

  test('of an image that is one pixel wide has two parts, one above the other', async () => {
    const sources = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => plain(letter, 1, 8)));
    for (const copy of await mosaicsOf(sources, 10)) {
      expect(rowsOf(copy).join('')).toMatch(/^(.)\1+(.)\2+$/);
    }
  });

  test('joins pieces that are prepared: resized, and one tile of each image', async () => {
    const sources = await Promise.all(['a', 'b', 'c', 'd'].map((letter) => plain(letter, 10, 4)));
    const images = await renderJob(
      { sources, output: 'pixels' },
      {
        preprocessing: {
          tile: { rows: 1, columns: 2 },
          resize: { width: 8, height: 8, format: 'Stretch to' },
        },
        augmentation: { mosaic: true, image: { versions: 3 } },
      },
    );
    const copies = images.filter(({ copy }) => copy > 0);
    expect(copies.map(({ piece }) => piece)).toEqual(
      sources.flatMap(() => ['tile-1-1', 'tile-1-1', 'tile-1-2', 'tile-1-2']),
    );
    for (const copy of copies) {
      expect([copy.width, copy.height]).toEqual([8, 8]);
      const rows = rowsOf(copy).join('');
      expect(rows).toContain('abcd'.charAt(copy.source));
      expect(rows).toMatch(/^[abcd]{64}$/);
    }
  });

  test('takes any tile of the others, and keeps each tile of its own', async () => {
    const halves = async (left: string, right: string): Promise<RenderSource> => {
      const rows = Array.from({ length: 8 }, () => left.repeat(8) + right.repeat(8));
      return { bytes: await drawPng(...rows), hash: left, split: 'train', boxes: [] };
    };
    const pairs = ['ab', 'cd', 'ef', 'gh', 'ij', 'kl'] as const;
    const sources = await Promise.all(pairs.map(([left = '', right = '']) => halves(left, right)));
    const images = await renderJob(
      { sources, output: 'pixels' },
      {
        preprocessing: { tile: { rows: 1, columns: 2 } },
        augmentation: { mosaic: true, image: { versions: 9 } },
      },
    );
    const originals = images.filter(({ copy }) => copy === 0);
    expect(originals.map((image) => [...new Set(rowsOf(image).join(''))].join(''))).toEqual([
      ...'abcdefghijkl',
    ]);
    // Of each image one tile is a partner of all others: the left one here, the right one there.
    const others = images
      .filter(({ copy }) => copy > 0)
      .flatMap((image) => {
        const [left, right] = [...(pairs[image.source] ?? '')];
        return [...new Set(rowsOf(image).join(''))].filter(
          (letter) => letter !== left && letter !== right,
        );
      });
    const partners = [...new Set(others)].toSorted().join('');
    expect(partners).toHaveLength(6);
    expect(partners).toMatch(/[acegik]/);
    expect(partners).toMatch(/[bdfhjl]/);
  });

  test('gives the same pictures in whatever order the images came', async () => {
    const plain = async (letter: string): Promise<RenderSource> => ({
      bytes: await drawPng(...Array.from({ length: 8 }, () => letter.repeat(8))),
      hash: letter,
      split: 'train',
      boxes: [],
    });
    const sources = await Promise.all([...'abcdef'].map(plain));
    const pictures = async (ordered: readonly RenderSource[]) => {
      const augmentation = { mosaic: true, image: { versions: 4 } };
      const job = { sources: ordered, output: 'pixels' } as const;
      const images = await renderJob(job, { augmentation });
      const named = images.map((image) => {
        const hash = ordered[image.source]?.hash;
        return `${hash} ${image.copy} ${rowsOf(image).join('')}`;
      });
      return named.toSorted();
    };
    expect(await pictures(sources.toReversed())).toEqual(await pictures(sources));
  });
});
