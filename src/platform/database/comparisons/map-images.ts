// The images of a project as clusters and on a map.

import { type MapDots, picturesWithRoom } from '../../../imaging/image-map.ts';
import { limits } from '../../../limits.ts';
import { clusterPoints } from '../../../vector-search/k-means.ts';
import type { PackedVectors } from '../../../vector-search/packed-vectors.ts';
import { principalComponents } from '../../../vector-search/principal-components.ts';
import { type Pause, within } from '../../../work-watcher.ts';

/** Images that are alike lie near each other; the largest cluster is 0. */
export interface ImageMap extends MapDots {
  /** Of each cluster the places of the images in its middle, the nearest first. */
  readonly middles: readonly (readonly number[])[];
  /** The places of images that have room as small pictures. */
  readonly pictured: readonly number[];
}

/** `pause` is awaited between parts of the work. */
export async function mapImages(vectors: PackedVectors, pause: Pause): Promise<ImageMap> {
  const points = await principalComponents(
    vectors,
    limits.clusterComponents,
    within(pause, 0, 0.5),
  );
  const found = await clusterPoints(points, limits.clustersMax, within(pause, 0.5, 1));
  const places = Uint32Array.from(points.keys()).sort(
    (a, b) => (found.distances[a] ?? 0) - (found.distances[b] ?? 0) || a - b,
  );
  const clusters = Array.from({ length: points.length === 0 ? 0 : found.count }, (_, cluster) =>
    places.filter((place) => found.clusterOf[place] === cluster),
  );
  const dots = {
    x: Float32Array.from(points, ([x = 0]) => x),
    y: Float32Array.from(points, ([, y = 0]) => y),
    clusterOf: Uint8Array.from(found.clusterOf),
  };
  return {
    ...dots,
    middles: clusters.map((own) => [...own.subarray(0, limits.findingMembersShownMax)]),
    pictured: picturesWithRoom(dots, inTurns(clusters), limits.mapPicturesMax),
  };
}

/** One of each cluster after the other. */
function* inTurns(clusters: readonly Uint32Array[]): Generator<number> {
  const most = clusters.reduce((longest, { length }) => Math.max(longest, length), 0);
  for (let rank = 0; rank < most; rank += 1) {
    for (const own of clusters) {
      const place = own[rank];
      if (place !== undefined) yield place;
    }
  }
}
