// Draws lines and filled outlines with smooth edges.

import type { Point } from './box.ts';
import { type Canvas, type Colour, type Mask, paintMask } from './drawing-canvas.ts';

/** Points in pixels (edges between pixels, as of boxes), joined by straight lines. */
export type Line = readonly Point[];

/**
 * The mask of lines with round ends and joints, over the pixels from 0, 0 on. Where lines of one
 * mask cross, they cover once.
 */
export function strokeMask(
  lines: readonly Line[],
  lineWidth: number,
  width: number,
  height: number,
): Mask {
  const mask = { coverage: new Float32Array(width * height), width, height };
  for (const line of lines) {
    for (const [index, point] of line.entries()) {
      coverSegment(mask, line[index - 1] ?? point, point, lineWidth / 2);
    }
  }
  return mask;
}

/** Draws one line; a closed one ends where it began. */
export function strokeLine(
  canvas: Canvas,
  line: Line,
  closed: boolean,
  lineWidth: number,
  colour: Colour,
  opacity = 1,
): void {
  const [first] = line;
  if (first === undefined) return;
  const { left, top, width, height } = spaceOf(canvas, line, lineWidth);
  if (width <= 0 || height <= 0) return;
  const moved = (closed ? [...line, first] : line).map(([x, y]): Point => [x - left, y - top]);
  const mask = strokeMask([moved], lineWidth, width, height);
  paintMask(canvas, mask, left, top, colour, opacity);
}

/** Fills the inside of an outline (even-odd), smoothed by four rows a pixel. */
export function fillOutline(canvas: Canvas, line: Line, colour: Colour, opacity: number): void {
  const { left, top, width, height } = spaceOf(canvas, line, 0);
  if (width <= 0 || height <= 0) return;
  const mask = { coverage: new Float32Array(width * height), width, height };
  for (let part = 0; part < height * rowsPerPixel; part++) {
    const crossings = crossingsAt(line, top + (part + 0.5) / rowsPerPixel);
    for (let index = 0; index + 1 < crossings.length; index += 2) {
      const [from, to] = [crossings[index] ?? 0, crossings[index + 1] ?? 0];
      coverRow(mask, Math.floor(part / rowsPerPixel), from - left, to - left);
    }
  }
  paintMask(canvas, mask, left, top, colour, opacity);
}

const rowsPerPixel = 4;

/** The whole pixels of the canvas that a line can touch. */
function spaceOf(canvas: Canvas, line: Line, lineWidth: number) {
  const reach = lineWidth / 2 + 1;
  const [xs, ys] = [line.map(([x]) => x), line.map(([, y]) => y)];
  const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);
  const left = Math.max(0, Math.floor(least(xs) - reach));
  const top = Math.max(0, Math.floor(least(ys) - reach));
  const right = Math.min(canvas.width, Math.ceil(most(xs) + reach));
  const bottom = Math.min(canvas.height, Math.ceil(most(ys) + reach));
  return { left, top, width: right - left, height: bottom - top };
}

function coverSegment(mask: Mask, [x1, y1]: Point, [x2, y2]: Point, radius: number): void {
  const reach = radius + 1;
  const left = Math.max(0, Math.floor(Math.min(x1, x2) - reach));
  const right = Math.min(mask.width, Math.ceil(Math.max(x1, x2) + reach));
  const top = Math.max(0, Math.floor(Math.min(y1, y2) - reach));
  const bottom = Math.min(mask.height, Math.ceil(Math.max(y1, y2) + reach));
  const [dx, dy] = [x2 - x1, y2 - y1];
  const lengthSquared = dx * dx + dy * dy;
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const [px, py] = [x + 0.5 - x1, y + 0.5 - y1];
      const along = lengthSquared === 0 ? 0 : (px * dx + py * dy) / lengthSquared;
      const share = Math.min(Math.max(along, 0), 1);
      const distance = Math.hypot(px - share * dx, py - share * dy);
      const covered = Math.min(Math.max(radius + 0.5 - distance, 0), 1);
      const at = y * mask.width + x;
      if (covered > (mask.coverage[at] ?? 0)) mask.coverage[at] = covered;
    }
  }
}

function crossingsAt(line: Line, y: number): readonly number[] {
  const crossings: number[] = [];
  for (const [index, [x2, y2]] of line.entries()) {
    const [x1, y1] = line.at(index - 1) ?? [x2, y2];
    if (y1 <= y !== y2 <= y) crossings.push(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1));
  }
  return crossings.sort((a, b) => a - b);
}

function coverRow({ coverage, width }: Mask, row: number, from: number, to: number): void {
  const last = Math.min(width, Math.ceil(to));
  for (let x = Math.max(0, Math.floor(from)); x < last; x++) {
    const covered = Math.min(to, x + 1) - Math.max(from, x);
    const at = row * width + x;
    coverage[at] = Math.min(1, (coverage[at] ?? 0) + covered / rowsPerPixel);
  }
}
