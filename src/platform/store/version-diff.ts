// What changed from one frozen version to another: the store's interface.

import type { SplitName } from '../../contract/fields.ts';
import type { LabelCounts } from './projects.ts';

/** Which of the changed images are named. */
export interface DiffPage {
  readonly limit: number;
  readonly offset: number;
}

export interface DiffImage {
  readonly imageId: string;
  readonly name: string;
  readonly split: SplitName;
}

export interface MovedImage extends Omit<DiffImage, 'split'> {
  readonly from: SplitName;
  readonly to: SplitName;
}

export interface RelabelledImage extends DiffImage {
  /** Boxes or labels of each class. Alike on both sides: boxes were moved or resized. */
  readonly from: LabelCounts;
  readonly to: LabelCounts;
}

export interface ChangedImages<Image> {
  readonly count: number;
  readonly images: readonly Image[];
}

/** Of source images; the same picture is the same image, also when it was uploaded anew. */
export interface VersionDiff {
  readonly unchanged: number;
  readonly added: ChangedImages<DiffImage>;
  readonly removed: ChangedImages<DiffImage>;
  readonly moved: ChangedImages<MovedImage>;
  readonly relabelled: ChangedImages<RelabelledImage>;
}
