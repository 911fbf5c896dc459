// Images that are made of parts of one: static-crop, tile and isolate, pixel by pixel.

import { describe, expect, test } from 'vitest';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import type { RenderedImage } from '../../src/dataset-versions/render-images.ts';
import type { Box } from '../../src/imaging/box.ts';
import { drawPng, rowsOf } from './letter-images.ts';
import { render } from './render-images.ts';

type Preprocessing = VersionSettings['preprocessing'];

const letters = await drawPng('abcdef', 'ghijkl', 'mnopqr', 'stuvwx');

/** 6 x 4 pixels. */
async function piecesOf(preprocessing: Preprocessing, boxes: readonly Box[] = []) {
  return render(letters, boxes, { preprocessing }, { output: 'pixels' });
}

/** The name of each piece and its pixels. */
function shown(images: readonly RenderedImage[]) {
  return Object.fromEntries(images.map((image) => [image.piece, rowsOf(image)]));
}

/** From its edges, so that they can be read. */
function boxAt(left: number, top: number, right: number, bottom: number, label = 'a'): Box {
  return {
    label,
    x: (left + right) / 2,
    y: (top + bottom) / 2,
    width: right - left,
    height: bottom - top,
  };
}

describe('static-crop', () => {
  const crop = (x_min: number, x_max: number, y_min: number, y_max: number) => ({
    'static-crop': { x_min, x_max, y_min, y_max },
  });

  test.each([
    ['half', crop(0, 50, 50, 100), ['mno', 'stu']],
    ['the middle', crop(34, 67, 25, 75), ['ij', 'op']],
    ['rounded down at both ends', crop(33, 66, 49, 99), ['hi', 'no']],
    ['at least one pixel', crop(40, 41, 99, 100), ['u']],
    ['the last pixel', crop(99.9, 100, 0, 1), ['f']],
    ['the last pixel, nearly beyond it', crop(99.9999999999, 100, 0, 1), ['f']],
    ['all', crop(0, 100, 0, 100), ['abcdef', 'ghijkl', 'mnopqr', 'stuvwx']],
  ])('%s', async (_, preprocessing, rows) => {
    expect(shown(await piecesOf(preprocessing))).toEqual({ '': rows });
  });

  test('cuts whole percent of a hundred pixels at the pixel of that number', async () => {
    const wide = await drawPng('a'.repeat(100));
    const widths: number[] = [];
    for (const x_min of [7, 14, 28, 29, 55, 56, 57, 58]) {
      const [image] = await render(
        wide,
        [],
        { preprocessing: crop(x_min, 100, 0, 100) },
        { output: 'pixels' },
      );
      widths.push(100 - (image?.width ?? 0));
    }
    expect(widths).toEqual([7, 14, 28, 29, 55, 56, 57, 58]);
  });

  test('shifts boxes, clips them, and drops those with less than a fifth left', async () => {
    const boxes = [
      boxAt(1, 1, 3, 3, 'cut'),
      boxAt(3, 1, 4, 2, 'inside'),
      boxAt(0, 0, 6, 1, 'above'),
      boxAt(0, 1, 3, 2, 'third'),
      boxAt(-8, 1, 3, 2, 'sliver'),
    ];
    const [image] = await piecesOf(crop(34, 84, 25, 75), boxes);
    expect(image?.boxes).toEqual([
      boxAt(0, 0, 1, 2, 'cut'),
      boxAt(1, 0, 2, 1, 'inside'),
      boxAt(0, 0, 1, 1, 'third'),
    ]);
  });
});

describe('tile by rows and columns', () => {
  test('cuts equal tiles in reading order', async () => {
    const images = await piecesOf({ tile: { rows: 2, columns: 3 } });
    expect(images.map(({ piece, number, copy }) => [piece, number, copy])).toEqual([
      ['tile-1-1', 0, 0],
      ['tile-1-2', 1, 0],
      ['tile-1-3', 2, 0],
      ['tile-2-1', 3, 0],
      ['tile-2-2', 4, 0],
      ['tile-2-3', 5, 0],
    ]);
    expect(shown(images)).toEqual({
      'tile-1-1': ['ab', 'gh'],
      'tile-1-2': ['cd', 'ij'],
      'tile-1-3': ['ef', 'kl'],
      'tile-2-1': ['mn', 'st'],
      'tile-2-2': ['op', 'uv'],
      'tile-2-3': ['qr', 'wx'],
    });
  });

  test('only the first few where no more are wanted', async () => {
    const settings = { preprocessing: { tile: { rows: 2, columns: 3 } } };
    const images = await render(letters, [], settings, { output: 'pixels', piecesMax: 2 });
    expect(shown(images)).toEqual({ 'tile-1-1': ['ab', 'gh'], 'tile-1-2': ['cd', 'ij'] });
  });

  test('loses the remainder at the right and below', async () => {
    expect(shown(await piecesOf({ tile: { rows: 3, columns: 4 } }))).toEqual({
      'tile-1-1': ['a'],
      'tile-1-2': ['b'],
      'tile-1-3': ['c'],
      'tile-1-4': ['d'],
      'tile-2-1': ['g'],
      'tile-2-2': ['h'],
      'tile-2-3': ['i'],
      'tile-2-4': ['j'],
      'tile-3-1': ['m'],
      'tile-3-2': ['n'],
      'tile-3-3': ['o'],
      'tile-3-4': ['p'],
    });
  });

  test('keeps every part of a box, however small', async () => {
    const boxes = [boxAt(0, 0, 3.1, 1, 'wide'), boxAt(1, 1, 2, 2, 'small')];
    const images = await piecesOf({ tile: { rows: 1, columns: 2 } }, boxes);
    expect(images.map((image) => image.boxes)).toEqual([
      [boxAt(0, 0, 3, 1, 'wide'), boxAt(1, 1, 2, 2, 'small')],
      [{ label: 'wide', x: 0.05, y: 0.5, width: 0.1, height: 1 }],
    ]);
  });

  test('a box that only touches a tile is not in it', async () => {
    const images = await piecesOf({ tile: { rows: 1, columns: 2 } }, [boxAt(0, 0, 3, 1)]);
    expect(images.map(({ boxes }) => boxes.length)).toEqual([1, 0]);
  });

  test('refuses more rows or columns than there are pixels', async () => {
    await expect(piecesOf({ tile: { rows: 5, columns: 1 } })).rejects.toMatchObject({
      at: 0,
      cause: {
        code: 'invalid_input',
        problems: [
          {
            path: 'preprocessing.tile',
            message: 'makes tiles without a pixel of an image of 6 x 4',
          },
        ],
      },
    });
    await expect(piecesOf({ tile: { rows: 1, columns: 7 } })).rejects.toMatchObject({ at: 0 });
    expect(await piecesOf({ tile: { rows: 4, columns: 6 } })).toHaveLength(24);
  });
});

describe('tile by a fixed size', () => {
  const tile = (
    tileWidth: number,
    tileHeight: number,
    overlap = 0,
    padding: 'black' | 'white' | 'grey' | 'reflect' = 'black',
  ) => ({ tile: { mode: 'fixed_size', tileWidth, tileHeight, overlap, padding } as const });

  test.each([
    ['black', '.'],
    ['white', '#'],
    ['grey', '+'],
  ] as const)('pads with %s at the far edges', async (padding, p) => {
    expect(shown(await piecesOf(tile(4, 3, 0, padding)))).toEqual({
      'tile-1-1': ['abcd', 'ghij', 'mnop'],
      'tile-1-2': [`ef${p}${p}`, `kl${p}${p}`, `qr${p}${p}`],
      'tile-2-1': ['stuv', p.repeat(4), p.repeat(4)],
      'tile-2-2': [`wx${p}${p}`, p.repeat(4), p.repeat(4)],
    });
  });

  test('pads with the image mirrored, again and again, and its boxes with it', async () => {
    const images = await piecesOf(tile(4, 3, 0, 'reflect'), [boxAt(5, 3, 6, 4)]);
    expect(shown(images)).toEqual({
      'tile-1-1': ['abcd', 'ghij', 'mnop'],
      'tile-1-2': ['effe', 'kllk', 'qrrq'],
      'tile-2-1': ['stuv', 'stuv', 'mnop'],
      'tile-2-2': ['wxxw', 'wxxw', 'qrrq'],
    });
    expect(images.map(({ boxes }) => boxes)).toEqual([
      [],
      [],
      [],
      [boxAt(1, 0, 2, 1), boxAt(2, 0, 3, 1), boxAt(1, 1, 2, 2), boxAt(2, 1, 3, 2)],
    ]);
    const small = await drawPng('ab');
    const [image] = await render(
      small,
      [],
      { preprocessing: tile(7, 3, 0, 'reflect') },
      {
        output: 'pixels',
      },
    );
    expect(image && rowsOf(image)).toEqual(['abbaabb', 'abbaabb', 'abbaabb']);
  });

  test('overlaps by a share of a tile; boxes there are in both', async () => {
    const boxes = [
      boxAt(2, 0, 3, 1, 'both'),
      boxAt(0, 0, 2, 1, 'first'),
      boxAt(5, 0, 6, 1, 'last'),
    ];
    const images = await piecesOf(tile(4, 4, 50), boxes);
    expect(shown(images)).toEqual({
      'tile-1-1': ['abcd', 'ghij', 'mnop', 'stuv'],
      'tile-1-2': ['cdef', 'ijkl', 'opqr', 'uvwx'],
    });
    expect(images.map((image) => image.boxes)).toEqual([
      [boxAt(2, 0, 3, 1, 'both'), boxAt(0, 0, 2, 1, 'first')],
      [boxAt(0, 0, 1, 1, 'both'), boxAt(3, 0, 4, 1, 'last')],
    ]);
  });

  test.each([
    [tile(6, 4), 1],
    [tile(100, 100), 1],
    [tile(5, 4), 2],
    [tile(3, 2), 4],
    [tile(3, 4, 34), 3],
    [tile(2, 4, 50), 5],
    [tile(2, 4, 99), 5],
    [tile(1, 1), 24],
  ])('%j makes as many as reach the end: %i', async (preprocessing, count) => {
    const images = await piecesOf(preprocessing);
    expect(images).toHaveLength(count);
    const { tileWidth, tileHeight } = preprocessing.tile;
    for (const { width, height } of images)
      expect([width, height]).toEqual([tileWidth, tileHeight]);
  });
});

describe('tile by a fixed aspect', () => {
  const tile = (aspectRatio: number, span: 'width' | 'height', overlap = 0) => ({
    tile: { mode: 'fixed_aspect', aspectRatio, span, overlap, padding: 'white' } as const,
  });

  test('as wide as the image', async () => {
    expect(shown(await piecesOf(tile(2, 'width')))).toEqual({
      'tile-1-1': ['abcdef', 'ghijkl', 'mnopqr'],
      'tile-2-1': ['stuvwx', '######', '######'],
    });
    expect(shown(await piecesOf(tile(2, 'width', 67)))).toEqual({
      'tile-1-1': ['abcdef', 'ghijkl', 'mnopqr'],
      'tile-2-1': ['ghijkl', 'mnopqr', 'stuvwx'],
    });
  });

  test('as high as the image', async () => {
    expect(shown(await piecesOf(tile(1, 'height')))).toEqual({
      'tile-1-1': ['abcd', 'ghij', 'mnop', 'stuv'],
      'tile-1-2': ['ef##', 'kl##', 'qr##', 'wx##'],
    });
    expect(shown(await piecesOf(tile(0.5, 'height', 50)))).toEqual({
      'tile-1-1': ['ab', 'gh', 'mn', 'st'],
      'tile-1-2': ['bc', 'hi', 'no', 'tu'],
      'tile-1-3': ['cd', 'ij', 'op', 'uv'],
      'tile-1-4': ['de', 'jk', 'pq', 'vw'],
      'tile-1-5': ['ef', 'kl', 'qr', 'wx'],
    });
  });

  test('refuses an aspect that gives tiles larger than any image', async () => {
    await expect(piecesOf(tile(0.0001, 'width'))).rejects.toMatchObject({
      cause: {
        problems: [
          {
            path: 'preprocessing.tile',
            message: 'makes tiles of 6 x 60000 pixels; smaller ones are possible',
          },
        ],
      },
    });
    await expect(piecesOf(tile(100_000, 'height'))).rejects.toMatchObject({ at: 0 });
    expect(await piecesOf(tile(100_000, 'width'))).toHaveLength(4);
  });
});

describe('isolate', () => {
  test('makes one image of each box, in their order, with that box alone', async () => {
    const boxes = [boxAt(3, 1, 6, 3, 'second'), boxAt(0, 0, 4, 2, 'first')];
    const images = await piecesOf({ isolate: true }, boxes);
    expect(shown(images)).toEqual({ 'box-1': ['jkl', 'pqr'], 'box-2': ['abcd', 'ghij'] });
    expect(images.map((image) => image.boxes)).toEqual([
      [boxAt(0, 0, 3, 2, 'second')],
      [boxAt(0, 0, 4, 2, 'first')],
    ]);
  });

  test('takes every pixel that a box touches, and clips it at the image', async () => {
    const images = await piecesOf({ isolate: true }, [
      boxAt(1.5, 0.25, 2.5, 1.5),
      boxAt(4.5, 2.5, 9, 9),
      boxAt(-5, -5, 1, 1),
    ]);
    expect(shown(images)).toEqual({
      'box-1': ['bc', 'hi'],
      'box-2': ['qr', 'wx'],
      'box-3': ['a'],
    });
    expect(images.map((image) => image.boxes)).toEqual([
      [boxAt(0.5, 0.25, 1.5, 1.5)],
      [boxAt(0.5, 0.5, 2, 2)],
      [boxAt(0, 0, 1, 1)],
    ]);
  });

  test('leaves out boxes without a pixel; the others keep their numbers', async () => {
    const images = await piecesOf({ isolate: true }, [
      boxAt(6, 0, 9, 4),
      boxAt(1, 1, 2, 2),
      boxAt(3, 0, 3, 0),
      boxAt(-4, -4, -1, -1),
      boxAt(2, 2, 3, 3),
    ]);
    expect(shown(images)).toEqual({ 'box-2': ['h'], 'box-5': ['o'] });
    expect(await piecesOf({ isolate: true })).toEqual([]);
  });

  test('two boxes over the whole image are two images with one box each', async () => {
    const boxes = [boxAt(0, 0, 6, 4, 'one'), boxAt(0, 0, 6, 4, 'other')];
    for (const output of ['pixels', 'file'] as const) {
      const images = await render(letters, boxes, { preprocessing: { isolate: true } }, { output });
      expect(images.map((image) => image.boxes)).toEqual([
        [boxAt(0, 0, 6, 4, 'one')],
        [boxAt(0, 0, 6, 4, 'other')],
      ]);
    }
  });

  test('each of them is prepared from the pixels as they were', async () => {
    const preprocessing = { isolate: true, contrast: { type: 'Adaptive Equalization' } } as const;
    const boxes = [boxAt(0, 0, 6, 4), boxAt(0, 0, 6, 4)];
    const [one, other] = await piecesOf(preprocessing, boxes);
    expect(other?.bytes).toEqual(one?.bytes);
    expect(one && rowsOf(one)).not.toEqual(['abcdef', 'ghijkl', 'mnopqr', 'stuvwx']);
  });

  test('moves outlines and keypoints along', async () => {
    const points = [[2, 1] as const, [4, 1] as const, [4, 3] as const];
    const keypoints = [{ label: 'tip', x: 3, y: 2, visibility: 2 } as const];
    const [image] = await piecesOf({ isolate: true }, [
      { ...boxAt(2, 1, 4, 3), points, keypoints },
    ]);
    expect(image?.boxes).toEqual([
      {
        ...boxAt(0, 0, 2, 2),
        points: [
          [0, 0],
          [2, 0],
          [2, 2],
        ],
        keypoints: [{ label: 'tip', x: 1, y: 1, visibility: 2 }],
      },
    ]);
  });
});

describe('one after the other', () => {
  test('isolate, then static-crop, then tile', async () => {
    const images = await piecesOf(
      {
        tile: { rows: 1, columns: 2 },
        'static-crop': { x_min: 50, x_max: 100, y_min: 0, y_max: 50 },
        isolate: true,
      },
      [boxAt(0, 0, 4, 4, 'left'), boxAt(2, 2, 6, 4, 'right')],
    );
    expect(shown(images)).toEqual({
      'box-1-tile-1-1': ['c', 'i'],
      'box-1-tile-1-2': ['d', 'j'],
      'box-2-tile-1-1': ['q'],
      'box-2-tile-1-2': ['r'],
    });
    expect(images.map((image) => image.boxes)).toEqual([
      [boxAt(0, 0, 1, 2, 'left')],
      [boxAt(0, 0, 1, 2, 'left')],
      [boxAt(0, 0, 1, 1, 'right')],
      [boxAt(0, 0, 1, 1, 'right')],
    ]);
  });

  test('tiles are padded at the edge of the crop, not with what was cut away', async () => {
    const images = await piecesOf({
      'static-crop': { x_min: 0, x_max: 50, y_min: 0, y_max: 50 },
      tile: { mode: 'fixed_size', tileWidth: 2, tileHeight: 2, overlap: 0, padding: 'white' },
    });
    expect(shown(images)).toEqual({ 'tile-1-1': ['ab', 'gh'], 'tile-1-2': ['c#', 'i#'] });
  });

  test('grey and size come after the cut, piece by piece', async () => {
    const images = await piecesOf(
      {
        tile: { rows: 2, columns: 3 },
        resize: { width: 4, height: 2, format: 'Stretch to' },
      },
      [boxAt(2, 0, 3, 1)],
    );
    expect(images.map(({ width, height }) => [width, height])).toEqual(
      Array.from({ length: 6 }, () => [4, 2]),
    );
    expect(images.map((image) => image.boxes)).toEqual([[], [boxAt(0, 0, 2, 1)], [], [], [], []]);
  });
});

describe('too many pieces of one image', () => {
  const problem = (count: number) => ({
    at: 0,
    cause: {
      code: 'invalid_input',
      problems: [
        {
          path: 'preprocessing.tile',
          message: `makes ${count} images of one; at most 10000 are made`,
        },
      ],
    },
  });

  test('are refused before any is made', async () => {
    const wide = await drawPng('a'.repeat(200), ...Array<string>(199).fill('b'.repeat(200)));
    const settings = (preprocessing: Preprocessing) =>
      render(wide, [], { preprocessing }, { output: 'pixels' });
    const tile = { mode: 'fixed_size', overlap: 0, padding: 'black' } as const;
    await expect(settings({ tile: { rows: 101, columns: 100 } })).rejects.toMatchObject(
      problem(10_100),
    );
    await expect(
      settings({ tile: { ...tile, tileWidth: 1, tileHeight: 1 } }),
    ).rejects.toMatchObject(problem(40_000));
    const small = { ...tile, tileWidth: 100, tileHeight: 1, overlap: 99.9 };
    await expect(settings({ tile: small })).rejects.toMatchObject(problem(20_200));
  });

  test('also where a few tiles of many boxes are, or many boxes alone', async () => {
    const boxes = (count: number) => Array.from({ length: count }, () => boxAt(0, 0, 6, 4));
    const tiles = piecesOf({ isolate: true, tile: { rows: 4, columns: 6 } }, boxes(417));
    await expect(tiles).rejects.toMatchObject(problem(10_008));
    const alone = piecesOf({ isolate: true }, boxes(10_001));
    const { message } = problem(10_001).cause.problems[0] ?? {};
    await expect(alone).rejects.toMatchObject({
      cause: { problems: [{ path: 'preprocessing.isolate', message }] },
    });
  });

  test('are refused soon, before those of all boxes are there', async () => {
    const many = Array.from({ length: 50_000 }, () => boxAt(0, 0, 6, 4));
    const work = piecesOf({ isolate: true, tile: { rows: 4, columns: 6 } }, many);
    await expect(work).rejects.toMatchObject(problem(10_008));
  });
});
