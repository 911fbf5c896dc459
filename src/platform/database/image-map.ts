// Which images of a project are unlike all others, and which are alike: by the vectors of an
// embedding model where all have one, else by how they look.

import type { AsyncReader } from '../../storage/async-database.ts';
import type { Outliers } from '../../vector-search/outliers.ts';
import { showGroup } from '../store/image-groups.ts';
import type { FindingsPage } from '../store/projects.ts';
import { splitCountsOf } from './column-readers.ts';
import type { ClusterSplits } from './comparisons/kept-comparisons.ts';
import type { ImageMap } from './comparisons/map-images.ts';
import { readPlaced } from './comparisons/placed-images.ts';
import { readState } from './comparisons/project-state.ts';
import { type ProjectVectors, readVectors } from './comparisons/read-vectors.ts';
import {
  findSharpnessOutliers,
  type SharpnessFence,
  type SharpnessOutliers,
} from './comparisons/sharpness-outliers.ts';
import type { ComparableImages } from './near-duplicates.ts';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Those far beyond the usual sharpness first, then the farthest from their nearest others. */
export async function listOutliers(
  database: AsyncReader,
  index: ComparableImages,
  projectId: string,
  { limit, offset }: Page,
): Promise<FindingsPage> {
  const state = await readState(database, index, projectId);
  const { kept, watcher } = index;
  const find = async () => {
    const read = await readVectors(database, index, projectId, state);
    const bySharpness = findSharpnessOutliers(read.sharpness);
    const outliers = await kept.compare('outliers', read.vectors, watcher);
    return { found: outliers, bySharpness, ordinals: read.ordinals, by: read.by };
  };
  const key = `${state.text};${state.measured}`;
  const compared = await kept.outliers.of(projectId, key, find, watcher?.signal);
  const { found, bySharpness, ordinals, by } = compared;
  const reasons = reasonsOf(found, bySharpness);
  const shown = [...reasons].slice(offset, offset + limit);
  const ordinalOf = (place: number) => ordinals[place] ?? 0;
  const images = await readPlaced(
    database,
    shown.map(([place]) => ordinalOf(place)),
  );
  const rows = shown.flatMap(([place, reason]) => {
    const image = images.get(ordinalOf(place));
    return image ? [{ ...image, boxes: [], total: 0, ...reason }] : [];
  });
  const { fence, measured } = bySharpness;
  return {
    kind: 'images',
    images: rows,
    total: reasons.size,
    isComplete: found.isComplete && ordinals.length === state.images,
    by,
    compared: ordinals.length,
    sharpness: { measured, unmeasured: state.images - measured, ...fence },
  };
}

interface Reason {
  readonly reason: string;
  readonly sharpness?: number;
}

/** Of each outlier, by its place. */
function reasonsOf(
  found: Outliers,
  { outliers, fence }: SharpnessOutliers,
): ReadonlyMap<number, Reason> {
  const reasons = new Map<number, Reason>();
  for (const { place, sharpness } of outliers) {
    if (fence) reasons.set(place, { reason: describeSharpness(sharpness, fence), sharpness });
  }
  for (const { place, score } of found.outliers) {
    const other = reasons.get(place);
    const far = `${score.toFixed(1)} times as far from its nearest others as is usual`;
    reasons.set(place, { ...other, reason: other ? `${other.reason}; ${far}` : far });
  }
  return reasons;
}

function describeSharpness(sharpness: number, { low, high }: SharpnessFence): string {
  const isLow = sharpness < low;
  const what = isLow
    ? 'far less fine detail than the others, as if blank or out of focus'
    : 'far more fine detail than the others, as noise has';
  return `${what} (sharpness ${sharpness.toFixed(2)}, fence ${(isLow ? low : high).toFixed(2)})`;
}

/** The largest first; of each the images in its middle first. */
export async function listClusters(
  database: AsyncReader,
  index: ComparableImages,
  projectId: string,
  { limit, offset }: Page,
): Promise<FindingsPage> {
  const state = await readState(database, index, projectId);
  const { kept, watcher } = index;
  const find = async () => {
    const read = await readVectors(database, index, projectId, state);
    const map = await kept.compare('map', read.vectors, watcher);
    return {
      found: map,
      splits: splitsOf(map, read.splits),
      ordinals: read.ordinals,
      by: read.by,
    };
  };
  const compared = await kept.map.of(projectId, state.text, find, watcher?.signal);
  const { found, splits, ordinals, by } = compared;
  const { x, y, clusterOf, middles, pictured } = found;
  const shown = middles.slice(offset, offset + limit);
  const ordinalOf = (place: number) => ordinals[place] ?? 0;
  const images = await readPlaced(database, [...shown.flat(), ...pictured].map(ordinalOf));
  const imageAt = (place: number) => images.get(ordinalOf(place));
  const groups = shown.map((places, at) => {
    const group = showGroup(
      places.flatMap((place) => imageAt(place) ?? []),
      places.length,
    );
    const { train, valid, test } = splits[offset + at] ?? splitCountsOf({});
    return { images: group.images, total: train + valid + test };
  });
  const pictures = pictured.flatMap((at) => {
    const image = imageAt(at);
    return image ? [{ at, imageId: image.id }] : [];
  });
  return {
    kind: 'clusters',
    groups,
    map: { x, y, clusterOf, splits, pictures },
    total: middles.length,
    isComplete: ordinals.length === state.images,
    by,
    compared: ordinals.length,
  };
}

function splitsOf(
  { clusterOf, middles }: ImageMap,
  splits: ProjectVectors['splits'],
): ClusterSplits {
  const counts = middles.map(() => ({ train: 0, valid: 0, test: 0 }));
  for (const [place, split] of splits.entries()) {
    const own = counts[clusterOf[place] ?? 0];
    if (own) own[split] += 1;
  }
  return counts;
}
