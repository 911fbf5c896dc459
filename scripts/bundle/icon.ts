// The picture of the bundle in a host: a cell within the frame of a box.

import { fillOutline, type Line, strokeLine } from '../../src/imaging/draw-lines.ts';
import { createCanvas } from '../../src/imaging/drawing-canvas.ts';
import { openRaw } from '../../src/imaging/image-file.ts';

/** Pixels of a side: what Claude Desktop recommends. */
const side = 512;

/** A PNG. */
export async function drawIcon(): Promise<Buffer> {
  const canvas = createCanvas(side, side, [16, 42, 67]);
  fillOutline(canvas, circle(120), [240, 98, 98], 1);
  fillOutline(canvas, circle(62), [255, 196, 196], 1);
  fillOutline(canvas, circle(26), [16, 42, 67], 1);
  for (const corner of corners) strokeLine(canvas, corner, false, 30, [127, 219, 202]);
  const { data, width, height } = canvas;
  const pixels = await openRaw({ data: Buffer.from(data), width, height });
  return pixels.png({ compressionLevel: 9, palette: true }).toBuffer();
}

function circle(radius: number): Line {
  return Array.from({ length: 180 }, (_, step): [number, number] => {
    const angle = (step / 90) * Math.PI;
    return [side / 2 + radius * Math.cos(angle), side / 2 + radius * Math.sin(angle)];
  });
}

/** The four corners of a box, each an angle. */
const corners: readonly Line[] = [
  [
    [70, 180],
    [70, 70],
    [180, 70],
  ],
  [
    [332, 70],
    [442, 70],
    [442, 180],
  ],
  [
    [442, 332],
    [442, 442],
    [332, 442],
  ],
  [
    [180, 442],
    [70, 442],
    [70, 332],
  ],
];
