// The index of images that searches read, as those see it who write images: in their transactions,
// it is brought along.

import type { Descriptor } from '../../imaging/similarity-descriptor.ts';
import type { IndexedImage } from '../../query-language/search-terms.ts';
import type { AsyncDatabase, AsyncReader } from '../../storage/async-database.ts';

/** All but reads is called within the transaction that writes the images. */
export interface ImageIndex {
  /**
   * The table of the numbers by which it is known how images look, with the columns `ordinal`,
   * `vector` and `sharpness`.
   */
  readonly vectors: string;
  /** Keeps what the index has of images. */
  update(database: AsyncDatabase, changes: readonly IndexChange[]): Promise<void>;
  /** Changes single terms of images that are in the index. */
  changeTerms(database: AsyncDatabase, changes: readonly TermChange[]): Promise<void>;
  /** Keeps how images look, by their ordinals, of which that was not known. */
  addDescriptors(
    database: AsyncDatabase,
    descriptors: ReadonlyMap<number, Descriptor>,
  ): Promise<void>;
  /** How an image looks; undefined where it is not known. */
  descriptorOf(database: AsyncDatabase, imageId: string): Promise<Descriptor | undefined>;
  /** How images look, by their ordinals, of which that is known: those from `first` to `last`. */
  descriptorsFrom(
    reader: AsyncReader,
    first: number,
    last: number,
  ): Promise<ReadonlyMap<number, Descriptor>>;
  /**
   * How images look, by their ids, where others of the same workspace have the same bytes. Of those
   * of other workspaces it would tell that they are there.
   */
  findDescriptors(
    database: AsyncDatabase,
    imageIds: readonly string[],
  ): Promise<ReadonlyMap<string, Descriptor>>;
}

/** An image before and after some writes. */
export interface IndexChange {
  readonly imageId: string;
  /** Its number among all images; never that of another one. */
  readonly ordinal: number;
  /** What the index has of it; undefined: nothing. */
  readonly before: IndexedImage | undefined;
  /** What the index is to have of it; undefined: nothing, the image is gone. */
  readonly after: IndexedImage | undefined;
  /** How it looks, where that was not known before. */
  readonly descriptor: Descriptor | undefined;
}

/** A term that an image gets or loses. */
export interface TermChange {
  readonly ordinal: number;
  readonly term: string;
  readonly isSet: boolean;
}
