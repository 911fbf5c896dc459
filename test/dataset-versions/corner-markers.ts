// A picture with a coloured marker on each corner of a box, and a way to find a marker again.

import type { Box } from '../../src/imaging/box.ts';
import type { RawImage } from '../../src/imaging/raw-image.ts';

export interface Marked {
  readonly pixels: RawImage;
  /** Its outline and its keypoints are its corners. */
  readonly box: Box;
}

export const cornerNames = ['red', 'green', 'blue', 'yellow'] as const;

const colours: Readonly<Record<string, readonly [number, number, number]>> = {
  red: [255, 0, 0],
  green: [0, 255, 0],
  blue: [0, 0, 255],
  yellow: [255, 255, 0],
};

const markerRadius = 2;

/** Black, but for the markers: 4 x 4 pixels around each corner. Whole numbers. */
export function drawMarked(
  { width, height }: { readonly width: number; readonly height: number },
  box: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  },
): Marked {
  const data = Buffer.alloc(width * height * 3);
  const corners = [
    [box.left, box.top],
    [box.left + box.width, box.top],
    [box.left + box.width, box.top + box.height],
    [box.left, box.top + box.height],
  ] as const;
  for (const [index, [x, y]] of corners.entries()) {
    const colour = colours[cornerNames[index] ?? ''] ?? [0, 0, 0];
    for (let row = y - markerRadius; row < y + markerRadius; row++) {
      for (let column = x - markerRadius; column < x + markerRadius; column++) {
        data.set(colour, (row * width + column) * 3);
      }
    }
  }
  return {
    pixels: { data, width, height },
    box: {
      label: 'a',
      x: box.left + box.width / 2,
      y: box.top + box.height / 2,
      width: box.width,
      height: box.height,
      points: corners,
      keypoints: corners.map(([x, y], index) => ({
        label: cornerNames[index] ?? '',
        x,
        y,
        visibility: 2,
      })),
    },
  };
}

interface Place {
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

/**
 * The centre of the marker of that colour, if it lies whole within the image. It is looked for
 * outwards from the given place, pixel by pixel of its colour, so that others are not mixed in.
 */
export function findMarker(
  image: RawImage,
  { label, x, y }: Place,
): Omit<Place, 'label'> | undefined {
  const start = nearestPixel(image, label, x, y);
  if (start === undefined) return undefined;
  const seen = new Set([start]);
  const queue = [start];
  let [sum, sumX, sumY] = [0, 0, 0];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    const column = at % image.width;
    const row = Math.floor(at / image.width);
    // What touches the edge may be cut.
    if (column === 0 || row === 0 || column === image.width - 1 || row === image.height - 1) {
      return undefined;
    }
    const share = weight(image, label, at);
    sum += share;
    sumX += share * (column + 0.5);
    sumY += share * (row + 0.5);
    for (const next of [at - 1, at + 1, at - image.width, at + image.width]) {
      if (seen.has(next) || weight(image, label, next) <= 0) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return { x: sumX / sum, y: sumY / sum };
}

/** The strongest pixel of that colour within a few pixels. */
function nearestPixel(image: RawImage, label: string, x: number, y: number): number | undefined {
  let best: number | undefined;
  let most = 40;
  for (let row = Math.floor(y) - 3; row <= y + 3; row++) {
    for (let column = Math.floor(x) - 3; column <= x + 3; column++) {
      if (row < 0 || column < 0 || row >= image.height || column >= image.width) continue;
      const share = weight(image, label, row * image.width + column);
      if (share <= most) continue;
      most = share;
      best = row * image.width + column;
    }
  }
  return best;
}

/** How much of that colour, and of no other, a pixel has. */
function weight({ data }: RawImage, label: string, at: number): number {
  const [red = 0, green = 0, blue = 0] = data.subarray(at * 3, at * 3 + 3);
  if (label === 'red') return red - Math.max(green, blue);
  if (label === 'green') return green - Math.max(red, blue);
  if (label === 'blue') return blue - Math.max(red, green);
  return Math.min(red, green) - blue;
}
