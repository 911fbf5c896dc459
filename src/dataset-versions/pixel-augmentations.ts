// Hue, saturation, brightness, exposure, grayscale, blur, noise and cutout.

import type { VersionSettings } from '../contract/version-settings.ts';
import { below, between, eitherWay, forkSeed, type Random, randomFrom } from '../seeded-random.ts';
import type { Chooser } from './augmentation-choice.ts';
import { grayscaleWeights, lumaWeights, tableOf } from './contrast.ts';
import { shown } from './geometric-augmentations.ts';
import type { Kernel, Pixels } from './kernel/operations.ts';
import type { PixelTransform } from './labelled-image.ts';
import type { Size } from './transform-boxes.ts';

type Settings = VersionSettings['augmentation'];
type Setting<Key extends keyof Settings> = NonNullable<Settings[Key]>;

export const chooseHue: Chooser<Setting<'hue'>> = ({ degrees }, random) => {
  const angle = eitherWay(random, degrees);
  if (angle === 0) return undefined;
  const pixelTransform = inPlace((kernel, pixels) => kernel.rotateHue(pixels, angle));
  return { words: `hue ${shown(angle)}°`, id: `hue ${angle}`, pixelTransform };
};

/** Away from grey, or towards it: at -100 % nothing but grey is left. */
export const chooseSaturation: Chooser<Setting<'saturation'>> = ({ percent }, random) => {
  const change = eitherWay(random, percent);
  if (change === 0) return undefined;
  const matrix = saturating(1 + change / 100);
  const pixelTransform = inPlace((kernel, pixels) => kernel.mix(pixels, matrix));
  return { words: `saturation ${shown(change)} %`, id: `saturation ${change}`, pixelTransform };
};

/** Up to so many percent of full white are added to every value, or taken from it. */
export const chooseBrightness: Chooser<Setting<'brightness'>> = (setting, random) => {
  const strength = between(random, 0, setting.percent);
  const isBrighter = setting.brighten && (!setting.darken || random() < 0.5);
  const change = isBrighter ? strength : -strength;
  const amount = Math.round((255 * change) / 100);
  if (amount === 0) return undefined;
  const pixelTransform = inPlace((kernel, pixels) => kernel.add(pixels, amount));
  return { words: `brightness ${shown(change)} %`, id: `brightness ${amount}`, pixelTransform };
};

/** A gamma curve: 0 changes nothing, 100 % is white, -100 % nearly black. */
export const chooseExposure: Chooser<Setting<'exposure'>> = ({ percent }, random) => {
  const change = eitherWay(random, percent);
  if (change === 0) return undefined;
  const table = exposureTable(change);
  const pixelTransform = inPlace((kernel, pixels) => kernel.lookup(pixels, table));
  return { words: `exposure ${shown(change)} %`, id: `exposure ${change}`, pixelTransform };
};

/** So many percent of the copies become grey. */
export const chooseGrayscale: Chooser<Setting<'rgrayscale'>> = ({ percent }, random) =>
  random() * 100 < percent ? { words: 'grey', id: 'grey', pixelTransform: toGrayscale } : undefined;

/** Gaussian; the number is the standard deviation in pixels. */
export const chooseBlur: Chooser<Setting<'blur'>> = ({ pixels: most }, random) => {
  const sigma = between(random, 0, most);
  if (sigma === 0) return undefined;
  const pixelTransform: PixelTransform = (kernel, pixels) => kernel.blur(pixels, sigma);
  return { words: `blur ${shown(sigma)} px`, id: `blur ${sigma}`, pixelTransform };
};

/** Salt and pepper: so many percent of the pixels, half of them black, half white. */
export const chooseNoise: Chooser<Setting<'noise'>> = ({ percent }, random) => {
  const strength = between(random, 0, percent);
  const seed = forkSeed(random);
  if (strength === 0) return undefined;
  const pixelTransform = inPlace((kernel, pixels) =>
    scatter(kernel.bytes(pixels), strength / 100, randomFrom(seed)),
  );
  return { words: `noise ${shown(strength)} %`, id: `noise ${strength} ${seed}`, pixelTransform };
};

/** Black rectangles, each so many percent of both sides, around random points. */
export const chooseCutout: Chooser<Setting<'cutout'>> = ({ count, percent }, random) => {
  const seed = forkSeed(random);
  if (count === 0 || percent === 0) return undefined;
  const pixelTransform = inPlace((kernel, pixels) => {
    const places = randomFrom(seed);
    const areas = Array.from({ length: count }, () => rectangle(places, pixels, percent / 100));
    blacken(kernel.bytes(pixels), pixels, areas);
  });
  return { words: `cutout ${count} x ${shown(percent)} %`, id: `cutout ${seed}`, pixelTransform };
};

/** All three values become the Rec. 709 luma. */
export const toGrayscale: PixelTransform = inPlace((kernel, pixels) =>
  kernel.mix(pixels, [...grayscaleWeights, ...grayscaleWeights, ...grayscaleWeights]),
);

/** The gamma of a change in percent, as accounts of the hosted platform give it. */
function exposureTable(percent: number): Uint8Array {
  const gamma = (2 ** ((50 - percent / 2) / 10) - 1) / 31;
  return tableOf((value) => 255 * (value / 255) ** gamma);
}

/** Each value is moved away from the grey of its pixel (1: stays). Rows of a 3 x 3 matrix. */
function saturating(factor: number): readonly number[] {
  return [0, 1, 2].flatMap((to) =>
    lumaWeights.map((weight, from) => weight * (1 - factor) + (to === from ? factor : 0)),
  );
}

/** Each pixel at most once, so that there are as many as the share says. */
function scatter(rgb: Uint8Array, share: number, random: Random): void {
  const count = Math.round((rgb.length / 3) * share);
  if (share > 0.5) scatterMost(rgb, count, random);
  else scatterSome(rgb, count, random);
}

function scatterSome(rgb: Uint8Array, count: number, random: Random): void {
  const pixels = rgb.length / 3;
  const isTaken = new Uint8Array(pixels);
  for (let left = count; left > 0; left--) {
    let pixel = below(random, pixels);
    while (isTaken[pixel] === 1) pixel = below(random, pixels);
    isTaken[pixel] = 1;
    dot(rgb, pixel, left % 2 === 0);
  }
}

/** Looks at each pixel once: free ones among many that are taken would take long to hit. */
function scatterMost(rgb: Uint8Array, count: number, random: Random): void {
  const pixels = rgb.length / 3;
  let left = count;
  let white = Math.floor(count / 2);
  for (let pixel = 0; pixel < pixels; pixel++) {
    if (below(random, pixels - pixel) >= left) continue;
    const isWhite = below(random, left) < white;
    dot(rgb, pixel, isWhite);
    left--;
    if (isWhite) white--;
  }
}

function dot(rgb: Uint8Array, pixel: number, isWhite: boolean): void {
  const at = pixel * 3;
  rgb.fill(isWhite ? 255 : 0, at, at + 3);
}

interface Rectangle {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function rectangle(random: Random, { width, height }: Size, share: number): Rectangle {
  const [left, right] = span(random, width, share);
  const [top, bottom] = span(random, height, share);
  return { left, right, top, bottom };
}

/** Row by row, so that no pixel is written twice, however many rectangles lie on it. */
function blacken(rgb: Uint8Array, { width, height }: Size, areas: readonly Rectangle[]): void {
  const inOrder = areas.toSorted((a, b) => a.left - b.left);
  for (let y = 0; y < height; y++) {
    let done = 0;
    for (const { left, right, top, bottom } of inOrder) {
      if (y < top || y >= bottom || right <= done) continue;
      rgb.fill(0, (y * width + Math.max(left, done)) * 3, (y * width + right) * 3);
      done = right;
    }
  }
}

/** A part of a side around a random pixel of it, cut at its ends. */
function span(random: Random, side: number, share: number): readonly [from: number, to: number] {
  const length = Math.max(1, Math.round(side * share));
  const from = below(random, side) - Math.floor(length / 2);
  return [Math.max(0, from), Math.min(side, from + length)];
}

function inPlace(change: (kernel: Kernel, pixels: Pixels) => void): PixelTransform {
  return (kernel, pixels) => {
    change(kernel, pixels);
    return pixels;
  };
}
