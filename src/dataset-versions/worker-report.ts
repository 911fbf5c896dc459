// What a thread says to the one that started it.

import type { ErrorCode, Problem } from '../errors.ts';
import type { RenderedImage } from './render-images.ts';

export type WorkerReport =
  | { readonly kind: 'image'; readonly image: RenderedImage }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'failed';
      /** The place of the source that could not be worked on, where it was one. */
      readonly at: number | undefined;
      readonly code: ErrorCode;
      readonly message: string;
      readonly problems: readonly Problem[];
    };
