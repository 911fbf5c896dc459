// An image to draw on: plain RGB pixels, and the few ways in which they are painted.

import type { RawImage } from './raw-image.ts';

/** Red, green, blue; 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

/** RGB, three bytes a pixel, row by row from the top; painted in place. */
export interface Canvas {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Pixels, whole or not: what is painted is the pixels whose centres lie inside. */
export interface Area {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** How much of each pixel a shape covers, 0 to 1, row by row. */
export interface Mask {
  readonly coverage: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** A canvas of one colour. */
export function createCanvas(width: number, height: number, colour: Colour): Canvas {
  const canvas = { data: new Uint8Array(width * height * 3), width, height };
  fillArea(canvas, { left: 0, top: 0, width, height }, colour);
  return canvas;
}

/** The pixels of an image, to draw on; the image stays as it is. */
export function canvasOf({ data, width, height }: RawImage): Canvas {
  return { data: Uint8Array.from(data), width, height };
}

/** Paints an area; what lies outside the canvas is left out. */
export function fillArea(canvas: Canvas, area: Area, colour: Colour, opacity = 1): void {
  const [left, right] = [column(canvas, area.left), column(canvas, area.left + area.width)];
  const [top, bottom] = [row(canvas, area.top), row(canvas, area.top + area.height)];
  if (right <= left || bottom <= top) return;
  if (opacity < 1) {
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) blend(canvas, x, y, colour, opacity);
    }
    return;
  }
  const { data, width } = canvas;
  const start = (top * width + left) * 3;
  const end = start + (right - left) * 3;
  for (let at = start; at < end; at += 3) data.set(colour, at);
  for (let y = top + 1; y < bottom; y++) data.copyWithin((y * width + left) * 3, start, end);
}

/** A frame of that thickness along the inner edge of an area. */
export function outlineArea(
  canvas: Canvas,
  { left, top, width, height }: Area,
  thickness: number,
  colour: Colour,
  opacity = 1,
): void {
  const across = Math.min(thickness, height / 2);
  const inner = { top: top + across, width: thickness, height: height - 2 * across };
  fillArea(canvas, { left, top, width, height: across }, colour, opacity);
  fillArea(canvas, { left, top: top + height - across, width, height: across }, colour, opacity);
  if (width <= 2 * thickness) {
    fillArea(canvas, { ...inner, left, width }, colour, opacity);
  } else {
    fillArea(canvas, { ...inner, left }, colour, opacity);
    fillArea(canvas, { ...inner, left: left + width - thickness }, colour, opacity);
  }
}

/** Copies an image onto the canvas, with its upper left corner at whole pixels. */
export function pasteImage(canvas: Canvas, image: RawImage, left: number, top: number): void {
  const width = Math.min(image.width, canvas.width - left);
  const height = Math.min(image.height, canvas.height - top);
  for (let y = 0; y < height; y++) {
    const from = y * image.width * 3;
    const to = ((top + y) * canvas.width + left) * 3;
    canvas.data.set(image.data.subarray(from, from + width * 3), to);
  }
}

/** Paints what a mask covers, with its upper left corner at whole pixels. */
export function paintMask(
  canvas: Canvas,
  { coverage, width, height }: Mask,
  left: number,
  top: number,
  colour: Colour,
  opacity = 1,
): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const covered = coverage[y * width + x] ?? 0;
      if (covered > 0) blend(canvas, left + x, top + y, colour, covered * opacity);
    }
  }
}

function blend(canvas: Canvas, x: number, y: number, colour: Colour, opacity: number): void {
  if (x < 0 || y < 0 || x >= canvas.width || y >= canvas.height) return;
  const at = (y * canvas.width + x) * 3;
  const { data } = canvas;
  for (let channel = 0; channel < 3; channel++) {
    const before = data[at + channel] ?? 0;
    data[at + channel] = Math.round(before + ((colour[channel] ?? 0) - before) * opacity);
  }
}

function column({ width }: Canvas, x: number): number {
  return Math.min(Math.max(Math.round(x), 0), width);
}

function row({ height }: Canvas, y: number): number {
  return Math.min(Math.max(Math.round(y), 0), height);
}
