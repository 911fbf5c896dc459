// How much fine detail an image has for its contrast: the focus measure "energy of Laplacian",
// normalised by the variance.

import type { RawImage } from './raw-image.ts';

/** The side of the square image that is measured: others are brought to it, small ones enlarged. */
export const sharpnessSide = 256;

/**
 * The natural logarithm of the mean square of the Laplacian over the variance, both of the light:
 * -9.2 for an even image, 2.8 for pixels that have nothing to do with each other.
 */
export function measureSharpness({ data, width, height }: RawImage): number {
  const light = new Float64Array(width * height);
  for (let at = 0; at < light.length; at += 1) {
    const [red = 0, green = 0, blue = 0] = [data[at * 3], data[at * 3 + 1], data[at * 3 + 2]];
    light[at] = 0.299 * red + 0.587 * green + 0.114 * blue;
  }
  return Math.log((meanSquaredLaplacian(light, width) + evenLaplacian) / (varianceOf(light) + 1));
}

/** An even image is far below the smoothest photo, of which it would be infinitely far. */
const evenLaplacian = 0.0001;

/** Of all pixels that have four neighbours. */
function meanSquaredLaplacian(light: Float64Array, width: number): number {
  const height = light.length / width;
  const of = (at: number) => light[at] ?? 0;
  let sum = 0;
  for (let y = 1; y < height - 1; y += 1) {
    for (let at = y * width + 1; at < (y + 1) * width - 1; at += 1) {
      sum += (of(at - 1) + of(at + 1) + of(at - width) + of(at + width) - 4 * of(at)) ** 2;
    }
  }
  return sum / ((width - 2) * (height - 2));
}

function varianceOf(light: Float64Array): number {
  let [sum, squares] = [0, 0];
  for (const value of light) sum += value;
  const mean = sum / light.length;
  for (const value of light) squares += (value - mean) ** 2;
  return squares / light.length;
}
