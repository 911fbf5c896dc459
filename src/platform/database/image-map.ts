// Which images of a project are unlike all others, and which are alike: by the vectors of an
// embedding model where all have one, else by how they look.

import type { AsyncReader } from '../../storage/async-database.ts';
import { showGroup } from '../store/image-groups.ts';
import type { FindingsPage } from '../store/projects.ts';
import { splitCountsOf } from './column-readers.ts';
import type { ClusterSplits } from './comparisons/kept-comparisons.ts';
import type { ImageMap } from './comparisons/map-images.ts';
import { readPlaced } from './comparisons/placed-images.ts';
import { readState } from './comparisons/project-state.ts';
import { type ProjectVectors, readVectors } from './comparisons/read-vectors.ts';
import type { ComparableImages } from './near-duplicates.ts';

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The farthest from its nearest others first. */
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
    const outliers = await kept.compare('outliers', read.vectors, watcher);
    return { found: outliers, ordinals: read.ordinals, by: read.by };
  };
  const { found, ordinals, by } = await kept.outliers.of(
    projectId,
    state.text,
    find,
    watcher?.signal,
  );
  const shown = found.outliers.slice(offset, offset + limit);
  const ordinalOf = (place: number) => ordinals[place] ?? 0;
  const images = await readPlaced(
    database,
    shown.map(({ place }) => ordinalOf(place)),
  );
  const rows = shown.flatMap(({ place, score }) => {
    const image = images.get(ordinalOf(place));
    const reason = `${score.toFixed(1)} times as far from its nearest others as is usual`;
    return image ? [{ ...image, boxes: [], total: 0, reason }] : [];
  });
  const isComplete = found.isComplete && ordinals.length === state.images;
  const total = found.outliers.length;
  return { kind: 'images', images: rows, total, isComplete, by, compared: ordinals.length };
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
