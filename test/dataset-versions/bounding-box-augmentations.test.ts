// The `bb` keys: what changes within a box, and what its outline and keypoints do then.

import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { VersionSettings } from '../../src/contract/version-settings.ts';
import type { Box, Keypoint } from '../../src/imaging/box.ts';
import { drawMarked, findMarker } from './corner-markers.ts';
import { drawGreys, drawPng, greysOf, rowsOf } from './letter-images.ts';
import { render } from './render-images.ts';

type Augmentation = VersionSettings['augmentation'];

/** All copies of a picture that these keys can make. */
async function copiesOf(
  bytes: Uint8Array,
  boxes: readonly Box[],
  augmentation: Augmentation,
  preprocessing: VersionSettings['preprocessing'] = {},
) {
  const settings = { preprocessing, augmentation: { image: { versions: 40 }, ...augmentation } };
  const [, ...copies] = await render(bytes, boxes, settings, { output: 'pixels' });
  return copies;
}

/** From its edges, so that they can be read. */
function boxAt(left: number, top: number, right: number, bottom: number): Box {
  return {
    label: 'a',
    x: (left + right) / 2,
    y: (top + bottom) / 2,
    width: right - left,
    height: bottom - top,
  };
}

const keypoint = (x: number, y: number, visibility: 0 | 1 | 2 = 2): Keypoint => ({
  label: 'tip',
  x,
  y,
  visibility,
});

const leftRight = { bbflip: { horizontal: true } };

describe('bbflip', () => {
  test('mirrors the pixels of the box; nothing else changes', async () => {
    const picture = await drawPng('abcdef', 'ghijkl', 'mnopqr');
    const box = boxAt(1, 0, 4, 2);
    const both = { bbflip: { horizontal: true, vertical: true } };
    const copies = await copiesOf(picture, [box], both);
    expect(copies.map((copy) => rowsOf(copy).join(' ')).toSorted()).toEqual([
      'adcbef gjihkl mnopqr',
      'ahijef gbcdkl mnopqr',
      'ajihef gdcbkl mnopqr',
    ]);
    for (const { boxes, words } of copies) {
      expect(boxes).toEqual([box]);
      expect(words).toEqual(['flip in boxes']);
    }
  });

  test('makes no copy that is the original, or another copy', async () => {
    const picture = await drawPng('abcdef');
    const two = [boxAt(0, 0, 2, 1), boxAt(3, 0, 6, 1)];
    const rows = async (boxes: readonly Box[]) =>
      (await copiesOf(picture, boxes, leftRight)).flatMap(rowsOf).toSorted();
    expect(await rows(two)).toEqual(['abcfed', 'bacdef', 'bacfed']);
    expect(await rows([])).toEqual([]);
    // Neither has a pixel of the image.
    expect(await rows([boxAt(2, 0, 2, 0), boxAt(6, 0, 9, 1)])).toEqual([]);
    expect(await rows([boxAt(2, 0, 2, 0), boxAt(0, 0, 2, 1), boxAt(6, 0, 9, 1)])).toEqual([
      'bacdef',
    ]);
  });

  test('takes boxes one after the other where they overlap', async () => {
    const picture = await drawPng('abcdef');
    const copies = await copiesOf(picture, [boxAt(0, 0, 3, 1), boxAt(2, 0, 5, 1)], leftRight);
    expect(copies.flatMap(rowsOf).toSorted()).toEqual(['abedcf', 'cbadef', 'cbedaf']);
  });

  test('mirrors what lies within the image of a box that reaches out', async () => {
    const picture = await drawPng('abcd', 'efgh');
    const box = { ...boxAt(-3, -1, 3, 1), keypoints: [keypoint(1, 0.5), keypoint(-2, 0.5, 1)] };
    const [copy] = await copiesOf(picture, [box], leftRight);
    expect(copy && rowsOf(copy)).toEqual(['cbad', 'efgh']);
    // Every image that is encoded anew has its boxes clipped.
    expect(copy?.boxes).toEqual([
      { ...boxAt(0, 0, 3, 1), keypoints: [keypoint(2, 0.5), keypoint(3, 0.5, 0)] },
    ]);
  });

  test('takes the pixels whose middle lies in the box', async () => {
    const picture = await drawPng('abcdef');
    const rows = async (left: number, right: number) =>
      (await copiesOf(picture, [boxAt(left, 0, right, 1)], leftRight)).flatMap(rowsOf);
    expect(await rows(1.4, 3.6)).toEqual(['adcbef']);
    expect(await rows(1.6, 4.4)).toEqual(['abdcef']);
    expect(await rows(1.6, 2.4)).toEqual([]);
  });

  test('moves outline and keypoints with the pixels; the box is tight around the outline', async () => {
    const picture = await drawPng('abcdef', 'ghijkl');
    const box = {
      ...boxAt(1, 0, 5, 2),
      points: [[1, 0] as const, [5, 0] as const, [1, 2] as const],
      keypoints: [keypoint(1.5, 0.5), keypoint(5, 2, 1)],
    };
    const [copy] = await copiesOf(picture, [box], leftRight);
    expect(copy && rowsOf(copy)).toEqual(['aedcbf', 'gkjihl']);
    expect(copy?.boxes).toEqual([
      {
        ...boxAt(1, 0, 5, 2),
        points: [
          [5, 0],
          [1, 0],
          [5, 2],
        ],
        keypoints: [keypoint(4.5, 0.5), keypoint(1, 2, 1)],
      },
    ]);
  });

  test('takes keypoints at the edge of the box along, also within half a pixel', async () => {
    const picture = await drawPng('abcdef');
    const box = { ...boxAt(0.75, 0, 4.25, 1), keypoints: [keypoint(0.75, 0.5), keypoint(4.25, 0)] };
    const [copy] = await copiesOf(picture, [box], leftRight);
    expect(copy && rowsOf(copy)).toEqual(['adcbef']);
    expect(copy?.boxes).toEqual([{ ...box, keypoints: [keypoint(4, 0.5), keypoint(1, 0)] }]);
  });

  test('leaves a keypoint beside the box where its pixel stays', async () => {
    const picture = await drawPng('abcdef');
    const box = { ...boxAt(1, 0, 4, 1), keypoints: [keypoint(5.5, 0.5), keypoint(0.25, 0.5, 1)] };
    const [copy] = await copiesOf(picture, [box], leftRight);
    expect(copy && rowsOf(copy)).toEqual(['adcbef']);
    expect(copy?.boxes).toEqual([box]);
  });
});

describe('bbninety', () => {
  test('turns a square box', async () => {
    const picture = await drawPng('abcd', 'efgh', 'ijkl');
    const box = { ...boxAt(1, 0, 3, 2), keypoints: [keypoint(1.5, 0.5)] };
    const turned = async (turn: 'clockwise' | 'counter-clockwise' | 'upside-down') => {
      const [copy, ...others] = await copiesOf(picture, [box], { bbninety: { [turn]: true } });
      expect(others).toEqual([]);
      return copy && [...rowsOf(copy), ...(copy.boxes[0]?.keypoints ?? [])];
    };
    expect(await turned('clockwise')).toEqual(['afbd', 'egch', 'ijkl', keypoint(2.5, 0.5)]);
    expect(await turned('counter-clockwise')).toEqual(['acgd', 'ebfh', 'ijkl', keypoint(1.5, 1.5)]);
    expect(await turned('upside-down')).toEqual(['agfd', 'ecbh', 'ijkl', keypoint(2.5, 1.5)]);
  });

  test('stretches a quarter turn back into a box that is not square', async () => {
    const rows = ['aaaaaabbbbbbz', 'aaaaaabbbbbbz', 'aaaaaabbbbbbz', 'aaaaaabbbbbbz'];
    const box = {
      ...boxAt(0, 0, 12, 4),
      points: [[0, 0] as const, [6, 0] as const, [6, 4] as const, [0, 4] as const],
      keypoints: [keypoint(3, 1)],
    };
    const [copy] = await copiesOf(await drawPng(...rows), [box], { bbninety: { clockwise: true } });
    // Left beside right becomes above beside below; shrinking mixes the rows between.
    const [first, , , last] = copy ? rowsOf(copy) : [];
    expect([first, last]).toEqual(['aaaaaaaaaaaaz', 'bbbbbbbbbbbbz']);
    expect(copy?.boxes).toEqual([
      {
        ...boxAt(0, 0, 12, 4),
        points: [
          [12, 0],
          [12, 2],
          [0, 2],
          [0, 0],
        ],
        keypoints: [keypoint(9, 1)],
      },
    ]);
  });
});

describe('markers within a box', () => {
  // The labelled box is larger than the rectangle of markers, so that they move whole.
  const { pixels, box: inner } = drawMarked(
    { width: 150, height: 120 },
    { left: 40, top: 30, width: 60, height: 50 },
  );
  const outer = { ...inner, ...boxAt(30, 22, 112, 92), label: 'a' };

  test.each([
    { bbflip: { horizontal: true, vertical: true } },
    { bbninety: { clockwise: true, 'counter-clockwise': true, 'upside-down': true } },
    { bbcrop: { min: 0, max: 60 } },
    { bbrotate: { degrees: 60 } },
    { bbshear: { horizontal: 30, vertical: 30 } },
    { bbflip: { horizontal: true }, bbrotate: { degrees: 20 }, bbcrop: { min: 5, max: 20 } },
  ] satisfies Augmentation[])('stay under keypoints and outline: %j', async (augmentation) => {
    const { data, width, height } = pixels;
    const bytes = await sharp(data, { raw: { width, height, channels: 3 } })
      .png()
      .toBuffer();
    const withoutOutline: Box = { ...boxAt(30, 22, 112, 92), keypoints: outer.keypoints ?? [] };
    let found = 0;
    // After the first step a box with an outline may be smaller, and the next cuts markers there.
    const isOneStep = Object.keys(augmentation).length === 1;
    for (const box of isOneStep ? [outer, withoutOutline] : [withoutOutline]) {
      const copies = await copiesOf(bytes, [box], augmentation);
      expect(copies.length).toBeGreaterThan(1);
      for (const copy of copies) {
        const [moved] = copy.boxes;
        if (box.points === undefined)
          expect({ ...moved, keypoints: [] }).toEqual({ ...box, keypoints: [] });
        const places = moved?.keypoints ?? [];
        for (const [index, place] of places.entries()) {
          // A marker near the edge of the region is cut.
          if (Math.abs(place.x - 71) > 33 || Math.abs(place.y - 57) > 27) continue;
          const marker = findMarker({ ...copy, data: copy.bytes }, place);
          if (marker === undefined) continue;
          found++;
          expect(Math.hypot(marker.x - place.x, marker.y - place.y)).toBeLessThan(1);
          if (places.some(({ visibility }) => visibility === 0)) continue;
          if (moved?.points?.length === 4) expect(moved.points[index]).toEqual([place.x, place.y]);
        }
      }
    }
    expect(found).toBeGreaterThan(9);
  });
});

describe('bbcrop', () => {
  test('an outline that was zoomed away is gone; the box and the others stay', async () => {
    const picture = await drawGreys(Array.from({ length: 20 }, () => Array(20).fill(90)));
    const box = {
      ...boxAt(0, 0, 20, 20),
      points: [[0, 0] as const, [2, 0] as const, [0, 2] as const],
      keypoints: [keypoint(1, 1), keypoint(10, 10)],
    };
    const copies = await copiesOf(picture, [box], { bbcrop: { min: 75, max: 75 } });
    expect(copies).toHaveLength(39);
    const gone = copies.flatMap(({ boxes }) => boxes.filter(({ points }) => points === undefined));
    expect(gone.length).toBeGreaterThan(20);
    for (const left of gone) {
      expect({ ...left, keypoints: [] }).toEqual({ ...boxAt(0, 0, 20, 20), keypoints: [] });
      const [corner, middle] = left.keypoints ?? [];
      expect(corner?.visibility).toBe(0);
      expect(middle?.visibility).toBe(2);
      expect([middle?.x, middle?.y]).not.toEqual([10, 10]);
    }
  });
});

describe('colours in boxes', () => {
  test('have a strength of their own in each box', async () => {
    const picture = await drawGreys([[100, 100, 100, 100, 100]]);
    const boxes = [boxAt(0, 0, 2, 1), boxAt(3, 0, 5, 1)];
    const bbbrightness = { brighten: true, darken: true, percent: 30 };
    const copies = await copiesOf(picture, boxes, { bbbrightness });
    expect(copies).toHaveLength(39);
    let different = 0;
    for (const copy of copies) {
      const [[left, leftToo, middle, right, rightToo] = []] = greysOf(copy).map((row) =>
        Array.isArray(row) ? row : [],
      );
      expect([leftToo, middle, rightToo]).toEqual([left, 100, right]);
      if (left !== right) different++;
      expect(Math.abs(Number(left) - 100)).toBeLessThanOrEqual(77);
    }
    expect(different).toBeGreaterThan(30);
  });

  test('reach no pixel beside them, also where one blurs', async () => {
    const picture = await drawGreys([[0, 255, 0, 255, 0, 255]]);
    const [copy] = await copiesOf(picture, [boxAt(0, 0, 3, 1)], { bbblur: { pixels: 5 } });
    const [row] = copy ? greysOf(copy) : [];
    expect(Array.isArray(row) && row.slice(3)).toEqual([255, 0, 255]);
    expect(Array.isArray(row) && row.slice(0, 3)).not.toEqual([0, 255, 0]);
  });
});

test('boxes are those of the prepared image', async () => {
  const picture = await drawPng('aabbccdd', 'aabbccdd');
  const boxes = [boxAt(-9, 0, 1, 2), boxAt(2, 0, 6, 2)];
  const resize = { width: 8, height: 2, format: 'Stretch to' } as const;
  const crop = { 'static-crop': { x_min: 25, x_max: 100, y_min: 0, y_max: 50 }, resize };
  const copies = await copiesOf(picture, boxes, leftRight, crop);
  expect(copies.map(({ boxes: left }) => left.length)).toEqual([1]);
});
