// What preprocessor_config.json says of the images of an encoder: their size, and how pixels become
// numbers.

import type { ScalingKernel } from '../imaging/image-file.ts';
import type { Size } from '../imaging/letterbox-resize.ts';
import type { RawImage } from '../imaging/raw-image.ts';
import { type JsonObject, membersOf } from '../json-object.ts';
import { limits } from '../limits.ts';
import { wrongFolder } from './embedder-folder.ts';

export interface ImagePreparation {
  /** What the encoder is given. */
  readonly canvas: Size;
  /** The shorter side of the image before its middle is cut out; undefined: it is stretched. */
  readonly shortestEdge: number | undefined;
  readonly kernel: ScalingKernel;
  /** Of each of red, green and blue: (value * factor - mean) / deviation. */
  readonly factor: number;
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
}

/** Throws `invalid_input` for FOVEA_EMBEDDER, with the member that is wrong. */
export function readImagePreparation(config: JsonObject): ImagePreparation {
  const resized = config.do_resize === false ? undefined : sizeIn(config, 'size');
  const cropped = isOn(config, 'do_center_crop', config.crop_size !== undefined)
    ? sizeIn(config, 'crop_size')
    : undefined;
  const isPlain = resized !== undefined && 'shortestEdge' in resized;
  const stretched = resized !== undefined && 'width' in resized ? resized : undefined;
  const canvas = cropped ?? (isPlain ? squareOf(resized.shortestEdge) : stretched);
  if (canvas === undefined) throw wrongMember('size', 'must say how large images become');
  const { width, height } = 'width' in canvas ? canvas : squareOf(canvas.shortestEdge);
  return {
    canvas: { width, height },
    shortestEdge: isPlain ? resized.shortestEdge : undefined,
    kernel: kernels.get(Number(config.resample ?? 3)) ?? 'cubic',
    factor: config.do_rescale === false ? 1 : numberIn(config, 'rescale_factor', 1 / 255),
    mean: config.do_normalize === false ? [0, 0, 0] : threeIn(config, 'image_mean'),
    deviation: config.do_normalize === false ? [1, 1, 1] : threeIn(config, 'image_std'),
  };
}

/**
 * The size that an image is scaled to, before its middle is cut out. Of one that is very long or
 * high all of that would not fit into memory: its longer side is compressed.
 */
export function scaledSize({ canvas, shortestEdge }: ImagePreparation, image: Size): Size {
  if (shortestEdge === undefined) return canvas;
  const shorter = Math.min(image.width, image.height);
  // Rounded down, as the reference does.
  const side = (length: number) =>
    Math.min(limits.modelSideMax, Math.floor((length * shortestEdge) / shorter));
  return { width: side(image.width), height: side(image.height) };
}

/** The middle of a scaled image as three planes, red, green, blue: [1, 3, height, width]. */
export function toPixelValues(
  { canvas, factor, mean, deviation }: ImagePreparation,
  { data, width, height }: RawImage,
): Float32Array {
  const plane = canvas.width * canvas.height;
  // What lies beside the image is black, as in the reference.
  const values = new Float32Array(3 * plane);
  const left = Math.floor((width - canvas.width) / 2);
  const top = Math.floor((height - canvas.height) / 2);
  for (let channel = 0; channel < 3; channel += 1) {
    const [middle = 0, spread = 1] = [mean[channel], deviation[channel]];
    for (let y = 0; y < canvas.height; y += 1) {
      for (let x = 0; x < canvas.width; x += 1) {
        const [column, row] = [x + left, y + top];
        const isInside = column >= 0 && column < width && row >= 0 && row < height;
        const value = isInside ? (data[(row * width + column) * 3 + channel] ?? 0) : 0;
        values[channel * plane + y * canvas.width + x] = (value * factor - middle) / spread;
      }
    }
  }
  return values;
}

/** By their numbers in Pillow. */
const kernels: ReadonlyMap<number, ScalingKernel> = new Map([
  [1, 'lanczos3'],
  [2, 'linear'],
  [3, 'cubic'],
]);

type SizeInFile = Size | { readonly shortestEdge: number };

/** `224`, `{"shortest_edge": 224}` or `{"height": 224, "width": 224}`. */
function sizeIn(config: JsonObject, name: string): SizeInFile {
  const value = config[name];
  if (typeof value === 'number') {
    const side = checkedSide(name, value);
    // The old form: of `size` it is the shorter side where the middle is cut out.
    return name === 'size' && isOn(config, 'do_center_crop', false)
      ? { shortestEdge: side }
      : squareOf(side);
  }
  const { shortest_edge, width, height } = membersOf(value);
  if (shortest_edge !== undefined) return { shortestEdge: checkedSide(name, shortest_edge) };
  return { width: checkedSide(name, width), height: checkedSide(name, height) };
}

function checkedSide(name: string, value: unknown): number {
  const isSide = typeof value === 'number' && Number.isInteger(value) && value >= 1;
  if (isSide && value <= limits.modelSideMax) return value;
  throw wrongMember(name, `must have sides of 1 to ${limits.modelSideMax} pixels`);
}

function squareOf(side: number): Size {
  return { width: side, height: side };
}

function isOn(config: JsonObject, name: string, otherwise: boolean): boolean {
  return typeof config[name] === 'boolean' ? config[name] : otherwise;
}

function numberIn(config: JsonObject, name: string, otherwise: number): number {
  const value = config[name] ?? otherwise;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw wrongMember(name, 'must be a number');
}

function threeIn(config: JsonObject, name: string): readonly number[] {
  const value = config[name];
  const numbers = Array.isArray(value) ? value.map(Number) : [];
  const isRight = numbers.length === 3 && numbers.every((one) => Number.isFinite(one));
  const divides = name !== 'image_std' || numbers.every((one) => one !== 0);
  if (isRight && divides) return numbers;
  throw wrongMember(name, `must be three numbers${name === 'image_std' ? ', none of them 0' : ''}`);
}

function wrongMember(name: string, message: string) {
  return wrongFolder(`has a preprocessor_config.json whose ${name} ${message}`);
}
