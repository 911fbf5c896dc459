// Images as vectors of an embedding model: the store's interface. Vectors of different models are
// kept apart, and never compared.

import type { Query } from '../../query-language/query-syntax-tree.ts';
import type { FencedTransaction } from './fenced-transaction.ts';
import type { AccessibleProjects, SimilarityPage } from './search.ts';

export interface EmbeddingStore {
  /** The model of a fingerprint; undefined: no image was embedded by it. */
  find(fingerprint: string): Promise<EmbeddingModel | undefined>;
  /** The same; makes it where there is none, and counts it as the one that is used now. */
  open(model: NewEmbeddingModel, now: number, fenced: FencedTransaction): Promise<EmbeddingModel>;
  /** Whether images have still to be noted, or noted ones to be embedded. */
  hasOpen(model: EmbeddingModel): Promise<boolean>;
  /** Notes the next images that are to be embedded. False: all of them are noted. */
  note(model: EmbeddingModel, fenced: FencedTransaction): Promise<boolean>;
  /**
   * Images that are noted and not embedded; of a workspace, or of all. At most
   * `limits.embeddingsCountedMax`.
   */
  countOpen(model: EmbeddingModel, workspaceId?: string): Promise<number>;
  /** The oldest of one workspace: of the first one behind `afterWorkspace` that has some. */
  next(model: EmbeddingModel, countMax: number, afterWorkspace: string): Promise<OpenImages>;
  /**
   * Gives images the vectors of those with the same bytes in their workspace, as a fork has them.
   * Says how many got one.
   */
  reuse(
    model: EmbeddingModel,
    workspaceId: string,
    ordinals: readonly number[],
    fenced: FencedTransaction,
  ): Promise<number>;
  /** Counts that an image is about to be embedded. */
  countTry(model: EmbeddingModel, ordinal: number, fenced: FencedTransaction): Promise<void>;
  /** Keeps vectors, or why there is none. An image that is gone meanwhile gets none. */
  keep(
    model: EmbeddingModel,
    images: readonly EmbeddedImage[],
    fenced: FencedTransaction,
  ): Promise<void>;
  /** Removes some vectors of models that others have followed. False: there are none any more. */
  removeOld(model: EmbeddingModel, fenced: FencedTransaction): Promise<boolean>;
  /** The vector of an image; undefined where there is none by this model. */
  vectorOf(model: EmbeddingModel, imageId: string): Promise<Float32Array | undefined>;
  /** The images whose vectors are nearest to one, the nearest first. */
  nearest(accessible: AccessibleProjects, request: NearestRequest): Promise<NearestPage>;
}

export interface NewEmbeddingModel {
  readonly fingerprint: string;
  readonly name: string;
  /** Numbers of a vector. */
  readonly dimensions: number;
}

export interface EmbeddingModel extends NewEmbeddingModel {
  /** Its number in this database. */
  readonly number: number;
}

export interface OpenImages {
  /** Undefined: none is left. */
  readonly workspaceId: string | undefined;
  readonly images: readonly OpenImage[];
}

export interface OpenImage {
  readonly ordinal: number;
  readonly hash: string;
  /** How often it was about to be embedded, after a crash. */
  readonly tries: number;
}

export interface EmbeddedImage {
  readonly ordinal: number;
  /** Of length 1. */
  readonly vector?: Float32Array;
  /** Why there is none. */
  readonly problem?: string;
}

export interface NearestRequest {
  readonly model: number;
  /** Of length 1. */
  readonly vector: Float32Array;
  /** Which images may be found. */
  readonly query: Query;
  readonly offset: number;
  readonly limit: number;
  readonly withAnnotations: boolean;
}

export interface NearestPage extends SimilarityPage {
  /** Images that the query finds. */
  readonly hits: number;
  /** Those of them that have a vector, and were compared. */
  readonly compared: number;
}
