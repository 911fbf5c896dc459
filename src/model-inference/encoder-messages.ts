// What the thread of an encoder and the one that started it say to each other.

import type { RawImage } from '../imaging/raw-image.ts';
import type { EmbedderFolder, FolderFile } from './embedder-folder.ts';
import type { ImagePreparation } from './image-preparation.ts';
import type { FailedAnswer } from './model-messages.ts';

export type ToEncoder =
  | { readonly kind: 'fingerprint'; readonly folder: EmbedderFolder }
  | {
      readonly kind: 'openImages';
      readonly model: FolderFile;
      readonly preparation: ImagePreparation;
    }
  | { readonly kind: 'openTexts'; readonly folder: EmbedderFolder }
  | { readonly kind: 'embedImage'; readonly image: RawImage }
  | { readonly kind: 'embedText'; readonly text: string };

export type FromEncoder =
  | { readonly kind: 'fingerprint'; readonly fingerprint: string }
  | { readonly kind: 'opened'; readonly dimensions: number }
  | { readonly kind: 'embedded'; readonly vector: Float32Array }
  | FailedAnswer;
