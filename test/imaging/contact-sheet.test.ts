// The sheet as a whole, and the file it becomes.

import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import {
  cellSide,
  contactSheet,
  type Sheet,
  type SheetCell,
  scaleToCell,
} from '../../src/imaging/contact-sheet.ts';
import { createCanvas } from '../../src/imaging/drawing-canvas.ts';
import { encodeImage } from '../../src/imaging/encode-image.ts';

const green = [0, 200, 0] as const;

async function cell(
  width: number,
  height: number,
  { boxes = [], columns = 1 }: { boxes?: SheetCell['boxes']; columns?: number } = {},
): Promise<SheetCell> {
  const image = await scaleToCell(createCanvas(width, height, green), cellSide(columns));
  return { image, width, height, boxes, title: 'a.jpg', words: 'flip' };
}

function sheet(rows: Sheet['rows']): Sheet {
  return { title: 'Preview', subtitle: 'flip', note: 'seed 0', rows, counted: 'first_of_row' };
}

type Drawn = Awaited<ReturnType<typeof contactSheet>>;

/** Pixels inside the pictures, which have a colour of their own. */
function greenPixels({ data }: Drawn): number {
  let count = 0;
  for (let index = 0; index < data.length; index += 3) {
    if (data[index] === 0 && data[index + 1] === 200) count += 1;
  }
  return count;
}

/** The last column with dark pixels in the line of the legend. */
function inkEnd({ data, width }: Drawn): number {
  let last = 0;
  for (let y = 96; y < 114; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if ((data[(y * width + x) * 3] ?? 255) < 90) last = Math.max(last, x);
    }
  }
  return last;
}

describe('a contact sheet', () => {
  test('shows every picture, scaled to its cell, with a border of one pixel', async () => {
    const rows = [[await cell(640, 480), await cell(320, 320)], [await cell(1000, 10)]];
    const drawn = await contactSheet(sheet(rows));
    expect(drawn.width).toBe(712);
    expect(greenPixels(drawn)).toBe(318 * 238 + 318 * 318 + 318 * 1);
  });

  test('enlarges small pictures, four times at most', async () => {
    expect(greenPixels(await contactSheet(sheet([[await cell(10, 20)]])))).toBe(38 * 78);
  });

  test('stays as wide as chats show it, until cells would be too small', async () => {
    const width = async (columns: number) => {
      const one = await cell(60, 60, { columns });
      return (await contactSheet(sheet([Array.from({ length: columns }, () => one)]))).width;
    };
    expect(await width(5)).toBeLessThanOrEqual(1_560);
    expect(await width(9)).toBeLessThanOrEqual(1_560);
    expect(await width(10)).toBe(56 + 10 * 150 + 9 * 16);
  });

  test('has boxes in the coordinates of the image before it was made smaller', async () => {
    const boxes = [{ label: '', x: 500, y: 500, width: 500, height: 500 }];
    const drawn = await contactSheet(sheet([[await cell(1_000, 1_000, { boxes })]]));
    const without = await contactSheet(sheet([[await cell(1_000, 1_000)]]));
    // A frame of two pixels around 160 x 160 with a seam of one on both sides.
    expect(greenPixels(without) - greenPixels(drawn)).toBe(164 * 164 - 156 * 156);
  });

  test('is the same for the same pictures', async () => {
    const boxes = [{ label: 'a', x: 20, y: 20, width: 20, height: 20 }];
    const draw = async () =>
      (await encodeImage(await contactSheet(sheet([[await cell(64, 48, { boxes })]])))).bytes;
    expect(await draw()).toEqual(await draw());
  });

  test('names what only later pictures of a row show, without a figure', async () => {
    const boxes = [{ label: 'swapped', x: 20, y: 20, width: 20, height: 20 }];
    const [plain, boxed] = [await cell(64, 48), await cell(64, 48, { boxes })];
    const counted = inkEnd(await contactSheet(sheet([[boxed, boxed]])));
    const named = inkEnd(await contactSheet(sheet([[plain, boxed]])));
    expect(named).toBeGreaterThan(100);
    expect(counted - named).toBeGreaterThan(10);
  });

  test('copes with many classes, long words and an empty row', async () => {
    const boxes = Array.from({ length: 200 }, (_, index) => ({
      label: `class with a long name ${index}`,
      x: index,
      y: index,
      width: 5,
      height: 5,
    }));
    const words = 'word '.repeat(500);
    const one = { ...(await cell(300, 300, { boxes })), words, title: 'x'.repeat(999) };
    const drawn = await contactSheet({
      ...sheet([[one], []]),
      title: 'y'.repeat(999),
      subtitle: words,
    });
    expect(drawn.width).toBe(696);
    expect(drawn.height).toBeLessThan(700);
  });
});

describe('its file', () => {
  test('is a JPEG of full size where that is small enough', async () => {
    const { bytes, ...rest } = await encodeImage(createCanvas(800, 600, green));
    expect(rest).toEqual({ contentType: 'image/jpeg', width: 800, height: 600 });
    expect(await sharp(bytes).metadata()).toMatchObject({
      format: 'jpeg',
      width: 800,
      height: 600,
      chromaSubsampling: '4:4:4',
    });
  });

  test('is made smaller where nothing else helps', async () => {
    const [width, height] = [1_560, 1_200];
    const noise = { data: randomBytes(width * height * 3), width, height };
    const made = await encodeImage(noise);
    expect(made.bytes.length).toBeLessThanOrEqual(600 * 1024);
    expect(made.width).toBeLessThan(width);
    expect(await sharp(made.bytes).metadata()).toMatchObject({ width: made.width });
  });
});
