// Searches over the images of a workspace: the store's interface.

import type { Annotation } from '../../annotations/annotation.ts';
import type { SplitName } from '../../contract/fields.ts';
import type { ImageFormat } from '../../imaging/image-format.ts';
import type { Descriptor } from '../../imaging/similarity-descriptor.ts';
import type { After, Query, SearchRequest } from '../../query-language/query-syntax-tree.ts';
import type { CatalogStore } from './catalog.ts';
import type { FencedTransaction } from './fenced-transaction.ts';
import type { Metadata } from './images.ts';
import type { SearchExportStore } from './search-exports.ts';

/** What a credential may see. */
export interface AccessibleProjects {
  readonly workspaceId: string;
  /** Undefined: all live projects. */
  readonly projectIds: readonly string[] | undefined;
}

/** Whose images are to be looked at: `public`: those of all public projects. */
export type DescribedScope = AccessibleProjects | 'public' | 'all';

/** What images are called by; `metadata:KEY=` stands for the values of that key. */
export type NameKind = 'class' | 'tag' | 'metadata-key' | `metadata:${string}=`;

export interface FoundImage {
  readonly ordinal: number;
  readonly id: string;
  readonly projectId: string;
  /** Slug of its project. */
  readonly project: string;
  readonly name: string;
  readonly hash: string;
  readonly format: ImageFormat;
  readonly width: number;
  readonly height: number;
  readonly split: SplitName;
  readonly tags: readonly string[];
  readonly labels: readonly string[];
  readonly metadata: Metadata;
  /** Undefined: not annotated, or annotations were not requested. */
  readonly annotation: Annotation | undefined;
  readonly created: number;
}

export interface SearchPage {
  /** How many images are found in all; at least, where it is not exact. */
  readonly total: number;
  readonly isTotalExact: boolean;
  /** Fewer than were asked for, where their annotations are large. */
  readonly images: readonly FoundImage[];
  /** Undefined: this is the last page. */
  readonly next: After | undefined;
  /** Whether all images of this platform are in the index. */
  readonly isComplete: boolean;
}

export interface SimilarityPage {
  /** How many images can be paged through: the most similar of those that the query finds. */
  readonly total: number;
  readonly images: readonly (FoundImage & { readonly similarity: number })[];
}

export interface SimilarityRequest {
  readonly descriptor: Descriptor;
  /** Which images may be found. */
  readonly query: Query;
  readonly offset: number;
  readonly limit: number;
  readonly withAnnotations: boolean;
}

export interface SearchStore {
  find(accessible: AccessibleProjects, request: SearchRequest): Promise<SearchPage>;
  /** All images that a query finds, oldest first, in pages. */
  ids(
    accessible: AccessibleProjects,
    query: Query,
    afterOrdinal: number,
    countMax: number,
  ): Promise<readonly FoundId[]>;
  /** The same, with their rows and annotations. */
  found(
    accessible: AccessibleProjects,
    query: Query,
    afterOrdinal: number,
    countMax: number,
  ): Promise<readonly FoundImage[]>;
  /** How many images a query finds. */
  count(accessible: AccessibleProjects, query: Query): Promise<number>;
  /** The classes or tags of all images in reach; undefined where there are too many to read. */
  names(accessible: AccessibleProjects, kind: NameKind): Promise<readonly string[] | undefined>;
  /** The images that look most like a picture, the most similar first. */
  like(accessible: AccessibleProjects, request: SimilarityRequest): Promise<SimilarityPage>;
  descriptorOf(imageId: string): Promise<Descriptor | undefined>;
  /** The number of the newest image; 0 without one. */
  newest(): Promise<number>;
  /** New images that nobody has looked at yet. */
  undescribed(countMax: number, scope: DescribedScope): Promise<readonly UndescribedImage[]>;
  /** Images that were described before their sharpness was measured. */
  unmeasured(countMax: number): Promise<readonly UndescribedImage[]>;
  /** Counts that an image is about to be looked at. */
  countTry(imageId: string, fenced: FencedTransaction): Promise<void>;
  /** Whether some images have still to be looked at. */
  hasUndescribed(scope: DescribedScope): Promise<boolean>;
  /** Keeps how images look, or why that cannot be told. */
  describe(looks: readonly ImageLook[], fenced: FencedTransaction): Promise<void>;
  /** Their files were put again: those that could not be read are to be looked at once more. */
  lookAgain(imageIds: readonly string[]): Promise<void>;
  /** Images that came before there was an index; not `except`. */
  unindexed(countMax: number, except?: readonly string[]): Promise<readonly StoredImage[]>;
  index(imageIds: readonly string[], fenced: FencedTransaction): Promise<void>;
  readonly catalog: CatalogStore;
  readonly exports: SearchExportStore;
}

export interface StoredImage {
  readonly imageId: string;
  readonly hash: string;
}

export interface UndescribedImage extends StoredImage {
  /** How often it was about to be looked at, after a crash. */
  readonly tries: number;
}

export interface ImageLook {
  readonly imageId: string;
  /** Undefined: an image too large to be looked at, or one with a problem. */
  readonly descriptor?: Descriptor | undefined;
  /** Why its pixels cannot be read. */
  readonly problem?: string;
}

/** Of what is found, the oldest ones behind an image. */
export interface Oldest {
  readonly afterOrdinal: number;
  readonly countMax: number;
}

export interface FoundId {
  readonly ordinal: number;
  readonly imageId: string;
}
