// The steps that a version can take with an image.

import type { Turn } from './turn.ts';

/** First document: `preprocessing.resize.format`. */
export const resizeFormats = [
  'Stretch to',
  'Fit within',
  'Fit (black edges) in',
  'Fit (white edges) in',
  'Fill (with center crop) in',
] as const;
export type ResizeFormat = (typeof resizeFormats)[number];

export interface ResizeStep {
  readonly kind: 'resize';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly format: ResizeFormat;
}

export type Step =
  | { readonly kind: 'auto-orient' }
  | ResizeStep
  | { readonly kind: 'turn'; readonly turn: Turn };
