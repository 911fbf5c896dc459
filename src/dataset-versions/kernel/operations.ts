// What the pixel kernel can do, and the values that its operations take and give.

import type { RawImage } from '../../imaging/raw-image.ts';
import type { Turn } from '../orientation.ts';
import type { Matrix, Size } from '../transform-boxes.ts';

/** An image in the memory of a kernel: RGB, three bytes a pixel, row by row from the top. */
export interface Pixels {
  readonly pointer: number;
  readonly width: number;
  readonly height: number;
}

/** Pixels; left and top included. Whole numbers within the image. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Each 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

/**
 * Pixels that a call makes lie on top of the memory, which is a stack. Every such call throws
 * `too_large` when the memory cannot grow (4 GiB at most), or a side is above 32,767 pixels.
 */
export interface Kernel {
  /** What is made from now on is gone after release(mark). */
  mark(): number;
  release(mark: number): void;
  /** Releases to the mark, but keeps these pixels, which it moves down to the mark. */
  keep(mark: number, pixels: Pixels): Pixels;
  /** Copies an image in. */
  load(image: RawImage): Pixels;
  /** Copies an image out. */
  read(pixels: Pixels): RawImage;
  /** The pixels themselves, to read and write; invalid after the next call that makes pixels. */
  bytes(pixels: Pixels): Uint8Array;
  blank(size: Size, colour: Colour): Pixels;
  turn(pixels: Pixels, turn: Turn): Pixels;
  /** A copy of a region. Throws `invalid_input` where it reaches out of the image. */
  crop(pixels: Pixels, region: Region): Pixels;
  /** Copies pixels onto others, clipped at their edges; whole numbers. The two must not overlap. */
  paste(onto: Pixels, pixels: Pixels, left: number, top: number): void;
  /**
   * As Pillow's Image.resize(BILINEAR), within 1: a triangle filter that is as wide as shrinking
   * makes it, along the rows first, 8 bits between. `invalid_input` where there is no pixel to see.
   */
  resample(pixels: Pixels, size: Size): Pixels;
  /**
   * As Pillow's transform(AFFINE, BILINEAR). The matrix goes from the source to the output. A pixel
   * whose centre comes from inside the source is interpolated, the edge repeated; others get the
   * colour.
   */
  warp(pixels: Pixels, matrix: Matrix, size: Size, colour: Colour): Pixels;
  /**
   * Gaussian of that standard deviation in pixels, as OpenCV's GaussianBlur, within 2: the same
   * 8-bit weights, edges as BORDER_REFLECT_101. `invalid_input` where sigma is not 0 to 16,400.
   */
  blur(pixels: Pixels, sigma: number): Pixels;
  /** In place: adds to every channel, rounded, clipped to 0..255. */
  add(pixels: Pixels, amount: number): void;
  /** In place: replaces every channel by what a table of 256 entries has for it. */
  lookup(pixels: Pixels, table: Uint8Array): void;
  /**
   * In place: 3x3 weights row by row (output red from red, green, blue; then green, blue), rounded
   * and clipped. Weights are kept to 14 bits behind the point, fewer where one is 2 or more.
   */
  mix(pixels: Pixels, matrix: readonly number[]): void;
  /** In place: the hue of HSV, exact; lightness and saturation stay. */
  rotateHue(pixels: Pixels, degrees: number): void;
  /**
   * The pixels of a baseline JPEG in YCbCr without a colour profile, as libjpeg decodes it;
   * undefined for other files, and for one that is damaged or cut off.
   */
  decodeJpeg(bytes: Uint8Array): Pixels | undefined;
  /** Baseline JPEG without chroma subsampling; quality 1 to 100. */
  encodeJpeg(pixels: Pixels, quality: number): Uint8Array;
}
