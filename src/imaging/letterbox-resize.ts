// An image in the middle of a canvas of the size that a model wants, and the way back.

import type { RawImage } from './raw-image.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where an image stands in the canvas; all in pixels of the canvas. */
export interface Letterbox {
  readonly canvas: Size;
  /** The image before it was scaled. */
  readonly image: Size;
  readonly scaled: Size;
  readonly left: number;
  readonly top: number;
}

/**
 * The image as large as it fits, in the middle; as Ultralytics does for training. `stretchedTo`:
 * the sides that the image is given before, in whose proportion it then is.
 */
export function fitInto(canvas: Size, image: Size, stretchedTo: Size = image): Letterbox {
  const { width, height } = stretchedTo;
  const scale = Math.min(canvas.width / width, canvas.height / height);
  const scaled = {
    width: Math.min(canvas.width, Math.max(1, Math.round(width * scale))),
    height: Math.min(canvas.height, Math.max(1, Math.round(height * scale))),
  };
  const left = Math.round((canvas.width - scaled.width) / 2 - 0.1);
  const top = Math.round((canvas.height - scaled.height) / 2 - 0.1);
  return { canvas, image, scaled, left, top };
}

/** The grey around the image. */
const grey = 114 / 255;

/** A scaled image as three planes, red, green and blue, 0 to 1: [1, 3, height, width]. */
export function toPlanes({ canvas, left, top }: Letterbox, { data, width, height }: RawImage) {
  const plane = canvas.width * canvas.height;
  const values = new Float32Array(3 * plane).fill(grey);
  for (let y = 0; y < height; y++) {
    let to = (top + y) * canvas.width + left;
    let from = y * width * 3;
    for (let x = 0; x < width; x++, to++, from += 3) {
      values[to] = (data[from] ?? 0) / 255;
      values[to + plane] = (data[from + 1] ?? 0) / 255;
      values[to + 2 * plane] = (data[from + 2] ?? 0) / 255;
    }
  }
  return values;
}

export interface Corners {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** From the canvas to pixels of the image as stored; what lies over its edge is cut off. */
export function toImage({ image, scaled, left, top }: Letterbox, box: Corners): Corners {
  const across = image.width / scaled.width;
  const down = image.height / scaled.height;
  const within = (value: number, most: number) => Math.min(most, Math.max(0, value));
  return {
    left: within((box.left - left) * across, image.width),
    top: within((box.top - top) * down, image.height),
    right: within((box.right - left) * across, image.width),
    bottom: within((box.bottom - top) * down, image.height),
  };
}
