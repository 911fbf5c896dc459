// Semantic masks: values, sizes, and which pixels belong to a shape.

import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Box, Point } from '../../src/imaging/box.ts';
import { boxOf, dataset, exportBytes, image } from './sample-dataset.ts';

async function mask(boxes: readonly Box[], width = 8, height = 6): Promise<readonly string[]> {
  const files = await exportBytes('png-mask-semantic', dataset([image({ width, height, boxes })]));
  const png = files.get('train/cell_mask.png');
  const metadata = await sharp(png).metadata();
  expect(metadata).toMatchObject({ format: 'png', channels: 1, depth: 'uchar', width, height });
  const pixels = await sharp(png).extractChannel(0).raw().toBuffer();
  expect(pixels.length).toBe(width * height);
  return Array.from({ length: height }, (_, row) =>
    [...pixels.subarray(row * width, (row + 1) * width)].join(''),
  );
}

const outlined = (points: readonly Point[], label = 'RBC'): Box => ({
  ...boxOf(0, 0, 1, 1, label),
  points,
});

test('has a mask for each image and the meaning of its values', async () => {
  const boxes = [boxOf(2, 2, 2, 2, 'a, "b"')];
  const files = await exportBytes(
    'png-mask-semantic',
    dataset([
      image({ boxes }),
      image({ fileName: 'cell_mask.png', boxes: [] }),
      image({ split: 'test' }),
    ]),
  );
  expect([...files.keys()]).toEqual([
    'README.dataset.txt',
    'train/_classes.csv',
    'test/_classes.csv',
    'train/cell_mask.png',
    'train/cell.jpg',
    'train/cell_mask-2_mask.png',
    'train/cell_mask-2.png',
    'test/cell_mask.png',
    'test/cell.jpg',
  ]);
  expect(files.get('train/_classes.csv')?.toString()).toBe(
    'Pixel Value, Class\n0, background\n1, <WBC>\n2, Platelets\n3, RBC\n4," a, ""b"""\n' +
      '5," salt & ""pepper"""\n',
  );
  expect(files.get('test/_classes.csv')).toEqual(files.get('train/_classes.csv'));
});

describe('a shape', () => {
  test('without an outline is a filled rectangle, clipped at the edge', async () => {
    expect(await mask([boxOf(2, 2, 2, 2), boxOf(8, 6, 4, 4, 'Platelets')])).toEqual([
      '00000000',
      '02200000',
      '02200000',
      '00000000',
      '00000011',
      '00000011',
    ]);
  });

  test('has the pixels whose centre is within it', async () => {
    expect(
      await mask([
        outlined([
          [0, 0],
          [6, 0],
          [0, 6],
        ]),
      ]),
    ).toEqual(['22222000', '22220000', '22200000', '22000000', '20000000', '00000000']);
  });

  test('shares no pixel with one that it touches, and leaves none out', async () => {
    const upper = outlined([
      [0, 0],
      [8, 0],
      [8, 5.3],
    ]);
    const lower = outlined(
      [
        [8, 5.3],
        [0, 5.3],
        [0, 0],
      ],
      'Platelets',
    );
    const both = await mask([upper, lower]);
    expect(both).toEqual(await mask([lower, upper]));
    expect(both.slice(0, 5).join('')).not.toContain('0');
    expect(both[5]).toBe('00000000');
  });

  test('has a hole where its outline crosses itself, by the even-odd rule', async () => {
    const twice: Point[] = [
      [0, 0],
      [6, 0],
      [6, 6],
      [0, 6],
      [0, 0],
      [2, 2],
      [4, 2],
      [4, 4],
      [2, 4],
      [2, 2],
    ];
    expect(await mask([outlined(twice)], 6, 6)).toEqual([
      '222222',
      '222222',
      '220022',
      '220022',
      '222222',
      '222222',
    ]);
  });

  test('lies above those that were labelled before it', async () => {
    const [inner, outer] = [boxOf(3, 3, 2, 2, 'Platelets'), boxOf(3, 3, 4, 4)];
    expect((await mask([outer, inner]))[2]).toBe('02112000');
    expect((await mask([inner, outer]))[2]).toBe('02222000');
  });

  test.each<readonly [string, Box]>([
    ['has no area', boxOf(3, 3, 0, 0)],
    [
      'is a line',
      outlined([
        [1, 1],
        [5, 1],
        [3, 1],
      ]),
    ],
    ['lies beyond the image', boxOf(50, -50, 4, 4)],
    [
      'is far beyond it',
      outlined([
        [-1e7, -1e7],
        [-1e6, -1e7],
        [-1e6, -1e6],
      ]),
    ],
  ])('that %s has no pixels', async (_what, box) => {
    expect(new Set(await mask([box]))).toEqual(new Set(['00000000']));
  });

  test('that covers everything fills it', async () => {
    expect(new Set(await mask([boxOf(0, 0, 2e7, 2e7)]))).toEqual(new Set(['22222222']));
  });
});

test('any outline has the pixels whose centre a ray leaves through an odd number of edges', async () => {
  const coordinate = fc.integer({ min: -40, max: 140 }).map((tenths) => tenths / 10);
  const outline = fc.array(fc.tuple(coordinate, coordinate), { minLength: 3, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(outline, async (points) => {
      const rows = await mask([outlined(points)], 10, 10);
      for (const [row, pixels] of rows.entries()) {
        for (const [column, pixel] of [...pixels].entries()) {
          expect([pixel, '?']).toContain(expectedPixel(points, column, row));
        }
      }
    }),
    { numRuns: 60 },
  );
});

/** Edges to the right of the centre of a pixel, counted one by one; `?` for one on an edge. */
function expectedPixel(points: readonly Point[], column: number, row: number): string {
  const [x, y] = [column + 0.5, row + 0.5];
  const sides = points.flatMap(([toX, toY], at) => {
    const [fromX, fromY] = points.at(at - 1) ?? [0, 0];
    if (fromY <= y === toY <= y) return [];
    const side = (toX - fromX) * (y - fromY) - (toY - fromY) * (x - fromX);
    return [toY > fromY ? side : -side];
  });
  if (sides.some((side) => Math.abs(side) < 1e-6)) return '?';
  return sides.filter((side) => side > 0).length % 2 === 1 ? '2' : '0';
}

describe('classes', () => {
  const named = (count: number) =>
    dataset([
      image({
        boxes: Array.from({ length: count }, (_, at) => boxOf(at + 0.5, 0.5, 1, 1, `c${at}`)),
      }),
    ]);

  test('255 of them have a value each', async () => {
    const { classes: _, ...rest } = named(255);
    const files = await exportBytes('png-mask-semantic', { ...rest, classes: [] });
    const pixels = await sharp(files.get('train/cell_mask.png')).extractChannel(0).raw().toBuffer();
    expect(new Set(pixels.subarray(0, 255)).size).toBe(255);
    expect(Math.max(...pixels.subarray(0, 255))).toBe(255);
  });

  test('more are refused', async () => {
    await expect(exportBytes('png-mask-semantic', named(254))).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'format: holds 255 classes at most, but the version has 256',
    });
  });
});

test('an outline that would fill all memory is refused by the name of its image', async () => {
  const points = Array.from(
    { length: 10_002 },
    (_, at): Point => [at % 3, at % 2 === 0 ? 0 : 1000],
  );
  const box = { label: 'RBC', x: 1, y: 500, width: 2, height: 1000, points };
  const tangled = dataset([image({ fileName: 'wool.jpg', width: 3, height: 1000, boxes: [box] })]);
  await expect(exportBytes('png-mask-semantic', tangled)).rejects.toMatchObject({
    code: 'invalid_input',
    problems: [
      {
        path: 'format',
        message:
          'cannot draw an outline of "wool.jpg": its edges cross rows of pixels 10002000 times; ' +
          'at most 10000000 are drawn',
      },
    ],
  });
});
