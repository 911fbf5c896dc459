// The steps that a version can take with an image.

import { resizeFormats } from '../../contract/version-settings.ts';
import type { Turn } from './turn.ts';

export type Step =
  | { readonly kind: 'auto-orient' }
  | ResizeStep
  | { readonly kind: 'turn'; readonly turn: Turn };

export interface ResizeStep {
  readonly kind: 'resize';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly format: BuiltFormat;
}

type ResizeFormat = (typeof resizeFormats)[number];
type BuiltFormat = Exclude<ResizeFormat, (typeof formatsNotBuilt)[number]>;

/** decisions/resize-formats.md */
const formatsNotBuilt = ['Fit (reflect edges) in', 'Fit (grey edges) in'] as const;

export const builtFormats: readonly BuiltFormat[] = resizeFormats.filter(isBuilt);

/** Whether a format of the contract is one that this platform can make. */
export function isBuilt(format: ResizeFormat): format is BuiltFormat {
  return formatsNotBuilt.every((name) => name !== format);
}
