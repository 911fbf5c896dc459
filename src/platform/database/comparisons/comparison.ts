// Comparisons of all images of a project: which are near-duplicates, which are unlike all others,
// and where each lies on a map.

import { CentredDescriptors } from '../../../imaging/near-duplicates/centred-descriptors.ts';
import {
  groupNearDuplicates,
  type NearDuplicateGroups,
} from '../../../imaging/near-duplicates/group-near-duplicates.ts';
import { packDescriptors } from '../../../imaging/near-duplicates/unit-descriptors.ts';
import { yieldToEventLoop } from '../../../storage/yield-to-event-loop.ts';
import { findOutliers, type Outliers } from '../../../vector-search/outliers.ts';
import type { PackedVectors } from '../../../vector-search/packed-vectors.ts';
import type { Pause, WorkWatcher } from '../../../work-watcher.ts';
import { type ImageMap, mapImages } from './map-images.ts';

/** Of images, in one order. */
export type ImageVectors =
  | {
      readonly kind: 'looks';
      /** `coefficientsOfDescriptor` of each image, one after the other. */
      readonly coefficients: Int8Array<ArrayBuffer>;
    }
  | { readonly kind: 'embedded'; readonly vectors: PackedVectors };

/** What each kind of comparison finds; places are those in the order of the images. */
export interface Comparisons {
  /** By looks alone. */
  readonly groups: NearDuplicateGroups;
  readonly outliers: Outliers;
  readonly map: ImageMap;
}

export type ComparisonKind = keyof Comparisons;

/**
 * Throws `invalid_input` where it takes too long, or too much memory, and the reason of the signal.
 */
export type Compare = <Kind extends ComparisonKind>(
  kind: Kind,
  vectors: ImageVectors,
  watcher?: WorkWatcher,
) => Promise<Comparisons[Kind]>;

const coefficientsOfDescriptor = 64;

const comparisons: {
  readonly [Kind in ComparisonKind]: (
    vectors: ImageVectors,
    pause: Pause,
  ) => Promise<Comparisons[Kind]>;
} = {
  groups: (vectors, pause) => groupNearDuplicates(descriptorsIn(vectors), pause),
  outliers: (vectors, pause) => findOutliers(withLight(vectors), pause),
  map: (vectors, pause) => mapImages(packed(vectors), pause),
};

/** In the calling thread, which others wait for. */
export const compareHere: Compare = (kind, vectors, { signal, onShare } = {}) => {
  onShare?.(0);
  return comparisons[kind](vectors, async (share) => {
    onShare?.(share);
    await yieldToEventLoop();
    signal?.throwIfAborted();
  });
};

function countOf(vectors: ImageVectors): number {
  return vectors.kind === 'looks'
    ? vectors.coefficients.length / coefficientsOfDescriptor
    : vectors.vectors.scales.length;
}

function descriptorsIn(vectors: ImageVectors): readonly Int8Array[] {
  if (vectors.kind !== 'looks') return [];
  const { coefficients } = vectors;
  return Array.from({ length: countOf(vectors) }, (_, at) =>
    coefficients.subarray(at * coefficientsOfDescriptor, (at + 1) * coefficientsOfDescriptor),
  );
}

/** Looks with light, colour and contrast: a black picture differs in nothing else. */
function withLight(vectors: ImageVectors): PackedVectors {
  if (vectors.kind === 'embedded') return vectors.vectors;
  const scales = new Float32Array(countOf(vectors)).fill(1);
  return { dimensions: coefficientsOfDescriptor, values: vectors.coefficients, scales };
}

function packed(vectors: ImageVectors): PackedVectors {
  return vectors.kind === 'embedded'
    ? vectors.vectors
    : packDescriptors(new CentredDescriptors(descriptorsIn(vectors)));
}
