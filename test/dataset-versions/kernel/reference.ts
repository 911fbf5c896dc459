// The operations of the kernel as plainly as can be, to hold it against.

import type { Colour } from '../../../src/dataset-versions/kernel/operations.ts';
import type { Matrix, Size } from '../../../src/dataset-versions/transform-boxes.ts';
import type { RawImage } from '../../../src/imaging/raw-image.ts';

type Sample = (x: number, y: number, channel: number) => number;

/** In floating point. Also says which pixels are so near the edge that either answer is right. */
export function slowWarp(image: RawImage, matrix: Matrix, size: Size, colour: Colour) {
  const [a, b, c, d, e, f] = matrix;
  const area = a * d - b * c;
  const { width, height } = image;
  const unsure = new Set<number>();
  const at = sampler(image, clamp);
  const warped = draw(size, (column, row, channel) => {
    const [right, down] = [column + 0.5 - e, row + 0.5 - f];
    const [x, y] = [(d * right - c * down) / area, (a * down - b * right) / area];
    const gap = Math.min(...[x, y, x - width, y - height].map(Math.abs));
    if (gap < 1e-6) unsure.add(row * size.width + column);
    if (!(x >= 0 && x < width && y >= 0 && y < height)) return colour[channel] ?? 0;
    const [left, top] = [Math.floor(x - 0.5), Math.floor(y - 0.5)];
    const [partX, partY] = [x - 0.5 - left, y - 0.5 - top];
    const upper = mix(at(left, top, channel), at(left + 1, top, channel), partX);
    const lower = mix(at(left, top + 1, channel), at(left + 1, top + 1, channel), partX);
    return Math.round(mix(upper, lower, partY));
  });
  return { warped, unsure };
}

/** With weights in 256ths: the first is the centre's, the next those 1, 2 ... pixels away. */
export function slowBlur(image: RawImage, weights: readonly number[]): RawImage {
  const blurred = (at: Sample, stepX: number, stepY: number) =>
    draw(image, (x, y, channel) => {
      const sum = weights.reduce((sum, weight, away) => {
        const [right, down] = [away * stepX, away * stepY];
        const both = at(x - right, y - down, channel) + at(x + right, y + down, channel);
        return sum + weight * (away === 0 ? both / 2 : both);
      }, 0);
      return Math.floor((sum + 128) / 256);
    });
  const down = blurred(sampler(image, reflect), 0, 1);
  return blurred(sampler(down, reflect), 1, 0);
}

/** In floating point, with rounding between the passes. */
export function slowResample(image: RawImage, { width, height }: Size): RawImage {
  const wide = sampler(image, clamp);
  const across = triangles(image.width, width);
  const narrow = draw({ width, height: image.height }, (column, y, channel) =>
    Math.round(across(column, (x) => wide(x, y, channel))),
  );
  const tall = sampler(narrow, clamp);
  const down = triangles(image.height, height);
  return draw({ width, height }, (x, row, channel) =>
    Math.round(down(row, (y) => tall(x, y, channel))),
  );
}

function triangles(from: number, to: number) {
  const reach = Math.max(from / to, 1);
  return (at: number, value: (place: number) => number): number => {
    const centre = ((at + 0.5) * from) / to;
    let [sum, weights] = [0, 0];
    for (let place = 0; place < from; place++) {
      const weight = Math.max(1 - Math.abs(place + 0.5 - centre) / reach, 0);
      if (weight === 0) continue;
      sum += weight * value(place);
      weights += weight;
    }
    return sum / weights;
  };
}

/** An image of values from 0 to 255, one after the other. */
export function draw({ width, height }: Size, value: Sample): RawImage {
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => {
    const pixel = Math.trunc(at / 3);
    return value(pixel % width, Math.trunc(pixel / width), at % 3);
  });
  return { data, width, height };
}

function sampler(image: RawImage, edge: (place: number, size: number) => number): Sample {
  return (x, y, channel) => {
    const at = edge(y, image.height) * image.width + edge(x, image.width);
    return image.data[at * 3 + channel] ?? Number.NaN;
  };
}

function clamp(place: number, size: number): number {
  return Math.min(Math.max(place, 0), size - 1);
}

function reflect(place: number, size: number): number {
  if (size === 1) return 0;
  if (place < 0) return reflect(-place, size);
  return place < size ? place : reflect(2 * (size - 1) - place, size);
}

function mix(from: number, to: number, part: number): number {
  return from * (1 - part) + to * part;
}
