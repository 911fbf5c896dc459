// Images of the store as images of an export.

import type { SplitName } from '../../contract/fields.ts';
import type { BlobStore } from '../../storage/blob-store.ts';
import type { Annotation } from '../annotations/annotation.ts';
import type { ExportImage } from './dataset.ts';

export interface ImageRow {
  readonly name: string;
  readonly split: SplitName;
  readonly width: number;
  readonly height: number;
  /** SHA-256 of its bytes, hex: the name of the blob. */
  readonly hash: string;
  readonly annotation: Annotation | undefined;
}

export function exportImages(
  images: readonly ImageRow[],
  blobs: BlobStore,
): readonly ExportImage[] {
  return images.map(({ name, split, width, height, hash, annotation }) => ({
    split,
    width,
    height,
    fileName: name,
    boxes: annotation?.kind === 'detection' ? annotation.boxes : [],
    labels: annotation?.kind === 'classification' ? annotation.labels : [],
    open: () => blobs.open(hash),
  }));
}
