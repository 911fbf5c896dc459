// What a step does to an image of a given size: to its pixels, and to its boxes by the same
// numbers.

import type { Sharp } from 'sharp';
import { compose, type Matrix, type Size, scaling, translation, turning } from './geometry.ts';
import type { ResizeStep, Step } from './steps.ts';
import { exifTurn, type Turn, turnKey, turns } from './turn.ts';

export interface Move {
  /** Where a point of the image goes. */
  readonly matrix: Matrix;
  /** Of the image after it. */
  readonly size: Size;
  /** Adds the same to a pipeline that has nothing but pixels yet. */
  readonly run: (pixels: Sharp) => Sharp;
}

/** Undefined: the step leaves every pixel where it is. `orientation` is that of EXIF. */
export function moveOf(step: Step, size: Size, orientation: number): Move | undefined {
  switch (step.kind) {
    case 'auto-orient':
      return turnMove(exifTurn(orientation), size);
    case 'turn':
      return turnMove(step.turn, size);
    case 'resize':
      return resizeMove(step, size);
  }
}

function turnMove(turn: Turn, size: Size): Move | undefined {
  if (turnKey(turn) === turnKey(turns.none)) return undefined;
  const { mirrored, quarters } = turn;
  const { width, height } = size;
  return {
    matrix: turning(turn, size),
    size: quarters % 2 === 0 ? size : { width: height, height: width },
    // sharp mirrors before it turns, as a Turn does.
    run: (pixels) => pixels.flop(mirrored).rotate(quarters * 90),
  };
}

function resizeMove(step: ResizeStep, size: Size): Move | undefined {
  const target = { width: step.width, height: step.height };
  const inner = innerSize(step, size);
  const scale = scaling(inner.width / size.width, inner.height / size.height);
  const left = Math.floor((target.width - inner.width) / 2);
  const top = Math.floor((target.height - inner.height) / 2);
  const framed = { matrix: compose(scale, translation(left, top)), size: target };
  const unscaled = sameSize(inner, size);
  const stretch = (pixels: Sharp) =>
    unscaled ? pixels : pixels.resize(inner.width, inner.height, { fit: 'fill' });
  switch (step.format) {
    case 'Stretch to':
    case 'Fit within':
      return unscaled ? undefined : { matrix: scale, size: inner, run: stretch };
    case 'Fill (with center crop) in': {
      if (unscaled && sameSize(inner, target)) return undefined;
      const region = { left: -left, top: -top, ...target };
      return { ...framed, run: (pixels) => stretch(pixels).extract(region) };
    }
    case 'Fit (black edges) in':
    case 'Fit (white edges) in': {
      if (unscaled && sameSize(inner, target)) return undefined;
      const right = target.width - inner.width - left;
      const bottom = target.height - inner.height - top;
      const background = step.format === 'Fit (black edges) in' ? '#000000' : '#ffffff';
      const edges = { left, top, right, bottom, background };
      return { ...framed, run: (pixels) => stretch(pixels).extend(edges) };
    }
  }
}

/** The size to which the image itself is scaled, before it is cropped or gets edges. */
function innerSize({ width, height, format }: ResizeStep, size: Size): Size {
  if (format === 'Stretch to') return { width, height };
  const ratios = [width / size.width, height / size.height];
  const fill = format === 'Fill (with center crop) in';
  const ratio = fill ? Math.max(...ratios) : Math.min(...ratios);
  const side = (pixels: number) => Math.max(1, Math.round(pixels * ratio));
  return { width: side(size.width), height: side(size.height) };
}

function sameSize(a: Size, b: Size): boolean {
  return a.width === b.width && a.height === b.height;
}
