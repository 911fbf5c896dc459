// preprocessing.resize: the size that an image is scaled to, and the frame that it gets.

import type { resizeFormats, VersionSettings } from '../contract/version-settings.ts';
import { limits } from '../limits.ts';
import { applyTransform } from './apply-augmentations.ts';
import type { Kernel } from './kernel/operations.ts';
import type { LabelledImage } from './labelled-image.ts';
import { cropOrPad, type Edges, type Frame } from './padding.ts';
import {
  compose,
  type Matrix,
  type Size,
  sameSize,
  scaling,
  transformBoxes,
  translation,
} from './transform-boxes.ts';

type Resize = NonNullable<VersionSettings['preprocessing']['resize']>;
type Format = (typeof resizeFormats)[number];

/** How the image is scaled, and what fills the rest of the frame. No frame: it stays as it is. */
const formats: Readonly<Record<Format, { readonly scale: Scale; readonly edges?: Edges }>> = {
  'Stretch to': { scale: 'stretch' },
  'Fit within': { scale: 'fit' },
  'Fill (with center crop) in': { scale: 'fill', edges: 'black' },
  'Fit (reflect edges) in': { scale: 'fit', edges: 'reflect' },
  'Fit (black edges) in': { scale: 'fit', edges: 'black' },
  'Fit (white edges) in': { scale: 'fit', edges: 'white' },
  'Fit (grey edges) in': { scale: 'fit', edges: 'grey' },
};

type Scale = 'stretch' | 'fit' | 'fill';

/** What each format does, for the documentation. */
export const resizeNotes: Readonly<Record<Format, string>> = {
  'Stretch to': 'Both sides to the given size, each by its own factor.',
  'Fit within': 'One factor, so that the image fits; one side may be smaller than given.',
  'Fill (with center crop) in':
    'One factor, so that the size is covered; the middle is kept, an odd pixel is cut at the left or top.',
  'Fit (reflect edges) in':
    'As Fit within, centred; the image goes on mirrored, and so do its boxes.',
  'Fit (black edges) in': 'As Fit within, centred; an odd pixel of edge is at the right or bottom.',
  'Fit (white edges) in': 'The same with white edges.',
  'Fit (grey edges) in': 'The same with edges of grey 114.',
};

/** decisions/resize-formats.md */
export function resizeImage(kernel: Kernel, image: LabelledImage, resize: Resize): LabelledImage {
  const { pixels } = image;
  const inner = innerSize(resize, pixels);
  const scale = scaling(inner.width / pixels.width, inner.height / pixels.height);
  const frame = frameOf(resize, inner);
  if (frame && Math.max(inner.width, inner.height) > limits.imageSideMax) {
    return fillAtOnce(kernel, image, scale, frame);
  }
  const scaled = sameSize(inner, pixels)
    ? image
    : { pixels: kernel.resample(pixels, inner), boxes: transformBoxes(image.boxes, scale, inner) };
  return frame ? cropOrPad(kernel, scaled, frame) : scaled;
}

/** A very long image, enlarged to be wide enough, would fit into no memory before it is cut. */
function fillAtOnce(
  kernel: Kernel,
  image: LabelledImage,
  scale: Matrix,
  frame: Frame,
): LabelledImage {
  const matrix = compose(scale, translation(frame.left, frame.top));
  return applyTransform(kernel, image, { matrix, size: frame.size });
}

/** Whether an image of that size stays as it is. */
export function isSizedFor(resize: Resize, size: Size): boolean {
  const inner = innerSize(resize, size);
  return sameSize(inner, size) && sameSize(frameOf(resize, inner)?.size ?? inner, size);
}

/** Pixels of an image of that size, or of what it becomes where that is larger. */
export function pixelsOnTheWay(size: Size, resize: Resize | undefined): number {
  return Math.max(size.width * size.height, pixelsAfter(size, resize));
}

/** Pixels of what an image of that size becomes. */
export function pixelsAfter(size: Size, resize: Resize | undefined): number {
  const inner = resize ? innerSize(resize, size) : size;
  const { width, height } = (resize && frameOf(resize, inner)?.size) ?? inner;
  return width * height;
}

function innerSize({ width, height, format }: Resize, size: Size): Size {
  const { scale } = formats[format];
  if (scale === 'stretch') return { width, height };
  const ratios = [width / size.width, height / size.height];
  const ratio = scale === 'fill' ? Math.max(...ratios) : Math.min(...ratios);
  const side = (pixels: number) => Math.max(1, Math.round(pixels * ratio));
  return { width: side(size.width), height: side(size.height) };
}

/** An odd pixel of edge is at the right or bottom, one to cut away at the left or top. */
function frameOf({ width, height, format }: Resize, inner: Size): Frame | undefined {
  const { edges } = formats[format];
  if (edges === undefined) return undefined;
  const left = Math.floor((width - inner.width) / 2);
  const top = Math.floor((height - inner.height) / 2);
  return { left, top, size: { width, height }, edges };
}
