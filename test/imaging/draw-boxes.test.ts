// What is labelled, over an image: lines on edges, outlines, keypoints, names.

import { describe, expect, test } from 'vitest';
import type { Box } from '../../src/imaging/box.ts';
import { drawBoxes } from '../../src/imaging/draw-boxes.ts';
import { type Canvas, createCanvas } from '../../src/imaging/drawing-canvas.ts';

const grey = [128, 128, 128] as const;
const red = [255, 0, 0] as const;
const colours = new Map([['a', red]] as const);

async function draw(boxes: readonly Box[], scale = { x: 1, y: 1 }, side = 200): Promise<Canvas> {
  const canvas = createCanvas(side, side, grey);
  await drawBoxes(canvas, boxes, scale, colours);
  return canvas;
}

function at({ data, width }: Canvas, x: number, y: number): readonly number[] {
  return [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
}

function redPixels({ data }: Canvas): number {
  let count = 0;
  for (let index = 0; index < data.length; index += 3) {
    if (data[index] === 255 && data[index + 1] === 0) count += 1;
  }
  return count;
}

/** Without a name, so that only the shape is drawn. */
const box: Box = { label: '', x: 50, y: 50, width: 40, height: 20 };
const shades = new Map([['', red]] as const);

async function drawShape(shape: Partial<Box>, side = 200): Promise<Canvas> {
  const canvas = createCanvas(side, side, grey);
  await drawBoxes(canvas, [{ ...box, ...shape }], { x: 1, y: 1 }, shades);
  return canvas;
}

describe('a box', () => {
  test('is a frame of two pixels on its edges, with nothing inside', async () => {
    const canvas = await drawShape({});
    for (const x of [29, 30, 69, 70]) expect(at(canvas, x, 50)).toEqual(red);
    for (const y of [39, 40, 59, 60]) expect(at(canvas, 50, y)).toEqual(red);
    for (const x of [26, 33, 50, 66, 73]) expect(at(canvas, x, 50)).toEqual(grey);
  });

  test('is drawn where the scale takes it', async () => {
    const canvas = createCanvas(100, 100, grey);
    await drawBoxes(canvas, [{ ...box, x: 500, width: 400 }], { x: 0.1, y: 1 }, shades);
    expect(at(canvas, 30, 50)).toEqual(red);
    expect(at(canvas, 70, 50)).toEqual(red);
  });

  test('that fills the image is seen whole', async () => {
    const canvas = await drawShape({ width: 100, height: 100 }, 100);
    for (const [x, y] of [
      [0, 50],
      [99, 50],
      [50, 0],
      [50, 99],
    ] as const) {
      expect(at(canvas, x, y)).toEqual(red);
    }
  });

  test.each([
    ['without a size', { width: 0, height: 0 }],
    ['at the corner', { x: 100, y: 100, width: 0, height: 0 }],
    ['partly outside', { x: 0, y: 0 }],
  ])('%s is seen', async (_name, shape) => {
    expect(redPixels(await drawShape(shape, 100))).toBeGreaterThan(0);
  });

  test('beyond the image does no harm', async () => {
    expect((await drawShape({ x: -500, y: 1e7 })).data).toHaveLength(120_000);
  });
});

describe('an outline', () => {
  const points = [
    [20, 20],
    [80, 20],
    [20, 80],
  ] as const;

  test('is filled lightly and stroked, without its box', async () => {
    const canvas = await drawShape({ x: 50, y: 50, width: 60, height: 60, points });
    expect(at(canvas, 50, 20)).toEqual(red);
    const [inside = 0, , blue = 0] = at(canvas, 30, 40);
    expect(inside).toBeGreaterThan(140);
    expect(blue).toBeLessThan(120);
    expect(at(canvas, 75, 75)).toEqual(grey);
    expect(at(canvas, 79, 60)).toEqual(grey);
  });

  test('is a frame where fifty others lie on it, with as many points as a cell can show', async () => {
    const circle = Array.from({ length: 100_000 }, (_, index): readonly [number, number] => {
      const angle = (index / 100_000) * 2 * Math.PI;
      return [100 + 100 * Math.cos(angle), 100 + 100 * Math.sin(angle)];
    });
    const round = { label: '', x: 100, y: 100, width: 200, height: 200, points: circle };
    const corner = async (count: number) => {
      const canvas = createCanvas(200, 200, grey);
      await drawBoxes(canvas, Array<Box>(count).fill(round), { x: 1, y: 1 }, shades);
      return at(canvas, 3, 0);
    };
    expect(await corner(50)).toEqual(grey);
    expect(await corner(51)).toEqual(red);
  });
});

describe('keypoints', () => {
  const keypoint = { label: 'nose', x: 50.5, y: 50.5 };
  const framed = { width: 80, height: 80 };

  test('are discs when visible, rings when hidden, and nothing when not labelled', async () => {
    const drawn = ([2, 1, 0] as const).map(async (visibility) => {
      const canvas = await drawShape({ ...framed, keypoints: [{ ...keypoint, visibility }] });
      return [at(canvas, 50, 50), at(canvas, 52, 50)];
    });
    const middle = await Promise.all(drawn);
    expect(middle[0]).toEqual([red, red]);
    expect(middle[1]?.[0]).not.toEqual(red);
    expect(middle[1]?.[1]).toEqual(red);
    expect(middle[2]).toEqual([grey, grey]);
  });
});

describe('a name', () => {
  test('stands above its box, on its colour', async () => {
    const canvas = await draw([{ ...box, label: 'a' }]);
    expect(at(canvas, 30, 30)).toEqual(red);
    expect(at(canvas, 30, 20)).toEqual(grey);
  });

  test('hides no small box, and no other name', async () => {
    const small: Box = { label: '', x: 33, y: 32, width: 6, height: 6 };
    const alone = redPixels(await draw([{ ...box, label: 'a' }]));
    const twice = await draw([
      { ...box, label: 'a' },
      { ...box, label: 'a' },
    ]);
    expect(redPixels(twice)).toBeGreaterThan(alone);
    const beside = await draw([{ ...box, label: 'a' }, small]);
    expect(at(beside, 33, 32)).toEqual(grey);
  });

  test.each([
    ['upper', 10],
    ['lower', 190],
  ])('does not vanish at the %s edge, where neither side of the box has room', async (_, y) => {
    const reaching = { label: 'a', x: 100, y, width: 100, height: 380 };
    const named = redPixels(await draw([reaching]));
    expect(named).toBeGreaterThan(redPixels(await draw([{ ...reaching, label: '' }])));
  });

  test('stands where it hides least when there is no free place', async () => {
    const crowd = Array.from({ length: 60 }, (_, index) => {
      const [x, y] = [20 + (index % 8) * 22, 15 + Math.floor(index / 8) * 22];
      return { label: 'a', x, y, width: 20, height: 20 };
    });
    const lone = redPixels(await draw(crowd.map((each) => ({ ...each, label: '' }))));
    expect(redPixels(await draw(crowd))).toBeGreaterThan(lone);
  });

  test('is left out in a small picture, where lines are thin', async () => {
    const canvas = await draw([{ ...box, label: 'a' }], { x: 1, y: 1 }, 100);
    expect(redPixels(canvas)).toBe(2 * 41 + 2 * 19);
  });

  test('that is wider than the image is cut', async () => {
    const label = 'a very long name of a class that nobody reads';
    const canvas = createCanvas(200, 200, grey);
    await drawBoxes(canvas, [{ ...box, label }], { x: 1, y: 1 }, new Map([[label, red]]));
    expect(redPixels(canvas)).toBeGreaterThan(redPixels(await drawShape({})));
  });
});
