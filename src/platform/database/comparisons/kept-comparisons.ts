// What comparisons have found, for as long as the images and their vectors are the same: then all
// pages of an answer are of one comparison.

import { untilAborted } from '../../../abort.ts';
import { limits } from '../../../limits.ts';
import { LruCache } from '../../../lru-cache.ts';
import type { SplitCounts } from '../../store/projects.ts';
import { type Compare, type Comparisons, compareHere } from './comparison.ts';
import type { ProjectVectors } from './read-vectors.ts';
import type { SharpnessOutliers } from './sharpness-outliers.ts';

/** With what the places of a comparison mean. */
export interface Compared<Found> {
  readonly found: Found;
  /** Of the images that were compared, in their order. */
  readonly ordinals: Float64Array;
  /** Whose vectors they were: a model's name, or `looks`. */
  readonly by: string;
}

/** Of each cluster how many images of each split it has. */
export type ClusterSplits = readonly SplitCounts[];

/** Of one database. */
export class KeptComparisons {
  readonly compare: Compare;
  readonly groups = new Kept<Compared<Comparisons['groups']> & Pick<ProjectVectors, 'splits'>>();
  readonly outliers = new Kept<
    Compared<Comparisons['outliers']> & { readonly bySharpness: SharpnessOutliers }
  >();
  readonly map = new Kept<Compared<Comparisons['map']> & { readonly splits: ClusterSplits }>();

  constructor(compare: Compare = compareHere) {
    this.compare = compare;
  }
}

/** Of a few projects, what was found last. */
class Kept<Found> {
  readonly #entries = new LruCache<string, Entry<Found>>({ weightMax: limits.comparisonsKeptMax });

  /**
   * `state`: as long as it is the same, what was found is. Those who ask meanwhile wait for it.
   * Where the signal of the one who began aborts, the next one begins anew.
   */
  async of(
    key: string,
    state: string,
    find: () => Promise<Found>,
    signal: AbortSignal | undefined,
  ): Promise<Found> {
    const kept = this.#entries.get(key);
    if (kept?.state === state) {
      try {
        return await untilAborted(kept.found, signal);
      } catch (thrown) {
        if (signal?.aborted || !kept.signal?.aborted) throw thrown;
        return this.of(key, state, find, signal);
      }
    }
    const entry = { state, found: find(), signal };
    this.#entries.set(key, entry);
    try {
      return await entry.found;
    } catch (thrown) {
      if (this.#entries.peek(key) === entry) this.#entries.delete(key);
      throw thrown;
    }
  }
}

interface Entry<Found> {
  readonly state: string;
  readonly found: Promise<Found>;
  /** Of the one who began: the work ends with it. */
  readonly signal: AbortSignal | undefined;
}
