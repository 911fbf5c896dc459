// The clusters of a project as a map: all its images as dots, some as small pictures.

import {
  drawImageMap,
  type MapPicture,
  mapPictureSide,
  picturesWithRoom,
} from '../../imaging/image-map.ts';
import { decodeSmall, encodeImage } from '../../imaging/image-thread-pool.ts';
import { limits } from '../../limits.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { FindingsPage, MapPoint, Project } from '../store/projects.ts';

type Stores = Pick<PlatformDependencies, 'store' | 'blobs'>;
type Clusters = FindingsPage & { readonly kind: 'clusters' };

/** Undefined where there are no images. Throws the reason of the signal. */
export async function drawClusters(
  dependencies: Stores,
  project: Project,
  { points, by = '' }: Clusters,
  signal: AbortSignal,
): Promise<{ readonly sheet: string; readonly contentType: string } | undefined> {
  if (points.length === 0) return undefined;
  const dots = points.map(({ x, y, cluster }) => ({ x, y, cluster }));
  const pictures: MapPicture[] = [];
  for (const at of picturesWithRoom(dots, inTurns(points), limits.mapPicturesMax)) {
    signal.throwIfAborted();
    const image = await readSmall(dependencies, project, points[at]);
    if (image !== undefined) pictures.push({ at, image });
  }
  const map = drawImageMap({
    title: `${project.name}: ${points.length} images by ${by}`,
    legend: legendOf(points),
    dots,
    pictures,
  });
  const { bytes, contentType } = await encodeImage(map);
  return { sheet: Buffer.from(bytes).toString('base64'), contentType };
}

/** One of each cluster after the other, those in its middle first. */
function inTurns(points: readonly MapPoint[]): readonly number[] {
  const order = points
    .map(({ cluster, distance }, at) => ({ cluster, distance, at }))
    .toSorted((a, b) => a.distance - b.distance);
  const clusters = [...Map.groupBy(order, ({ cluster }) => cluster).values()];
  const most = Math.max(...clusters.map(({ length }) => length));
  return Array.from({ length: most }, (_, rank) =>
    clusters.flatMap((cluster) => cluster[rank]?.at ?? []),
  ).flat();
}

function legendOf(points: readonly MapPoint[]): readonly string[] {
  const clusters = Map.groupBy(points, ({ cluster }) => cluster);
  return Array.from({ length: clusters.size }, (_, cluster) => {
    const members = clusters.get(cluster) ?? [];
    const splits = Map.groupBy(members, ({ image }) => image.split);
    const counts = [...splits].map(([split, { length }]) => `${split} ${length}`).sort();
    return `${cluster + 1}: ${members.length} images, ${counts.join(', ')}`;
  });
}

/** Undefined: it is gone, or cannot be read. */
async function readSmall({ store, blobs }: Stores, project: Project, point?: MapPoint) {
  const found = point && (await store.images.find(project.id, point.image.id));
  if (!found) return undefined;
  const read = async () => decodeSmall(await blobs.get(found.hash), mapPictureSide, 1);
  return (await read().catch(() => undefined))?.image;
}
