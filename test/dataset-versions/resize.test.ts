// Filling a frame with an image so long that it would be huge before it is cut.

import { expect, test } from 'vitest';
import { drawGreys, greysOf } from './letter-images.ts';
import { render } from './render-images.ts';

const resize = { width: 12, height: 12, format: 'Fill (with center crop) in' } as const;
const box = (x: number, y: number) => ({ label: 'a', x, y, width: 2, height: 2 });

test('shows the middle of a high image, and its boxes', async () => {
  // Enlarged six times it would have 18,000 rows. From row 1500 on it is dark again.
  const high = await drawGreys(Array.from({ length: 3_000 }, (_, y) => [y % 250, y % 250]));
  const boxes = [box(1, 1_500), box(1, 1_502), box(1, 20)];
  const [image] = await render(high, boxes, { preprocessing: { resize } }, { output: 'pixels' });
  const rows = [249, 249, 249, 228, 187, 145, 104, 62, 21, 0, 0, 0];
  expect(image && greysOf(image)).toEqual(
    rows.map((value) => Array.from({ length: 12 }, () => expect.closeTo(value, -0.3))),
  );
  expect(image?.boxes).toEqual([{ label: 'a', x: 6, y: 6, width: 12, height: 12 }]);
});

test('shows the middle of a wide image', async () => {
  const row = Array.from({ length: 3_000 }, (_, x) => x % 250);
  const boxes = [box(1_500, 1), box(1_500.5, 1)];
  const [image] = await render(
    await drawGreys([row, row]),
    boxes,
    { preprocessing: { resize } },
    { output: 'pixels' },
  );
  const values = [249, 249, 249, 228, 187, 145, 104, 62, 21, 0, 0, 0];
  expect(image && greysOf(image)).toEqual(
    Array.from({ length: 12 }, () => values.map((value) => expect.closeTo(value, -0.3))),
  );
  expect(image?.boxes).toEqual([
    { label: 'a', x: 6, y: 6, width: 12, height: 12 },
    { label: 'a', x: 7.5, y: 6, width: 9, height: 12 },
  ]);
});
