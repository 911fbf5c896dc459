// The clusters of a project as a map: all its images as dots, some as small pictures.

import { splitName } from '../../contract/fields.ts';
import { drawImageMap, type MapPicture, mapPictureSide } from '../../imaging/image-map.ts';
import { decodeSmall, encodeImage } from '../../imaging/image-thread-pool.ts';
import { yieldToEventLoop } from '../../storage/yield-to-event-loop.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { FindingsPage, Project, SplitCounts } from '../store/projects.ts';

type Stores = Pick<PlatformDependencies, 'store' | 'blobs'>;
type Clusters = FindingsPage & { readonly kind: 'clusters' };

/** Undefined where there are no images. Throws the reason of the signal. */
export async function drawClusters(
  dependencies: Stores,
  project: Project,
  { map: { splits, pictures: wanted, ...dots }, by = '' }: Clusters,
  signal: AbortSignal,
): Promise<{ readonly sheet: string; readonly contentType: string } | undefined> {
  if (dots.x.length === 0) return undefined;
  const pictures: MapPicture[] = [];
  for (const { at, imageId } of wanted) {
    signal.throwIfAborted();
    const image = await readSmall(dependencies, project, imageId);
    if (image !== undefined) pictures.push({ at, image });
  }
  const map = await drawImageMap({
    title: `${project.name}: ${dots.x.length} images by ${by}`,
    legend: splits.map(lineOf),
    dots,
    pictures,
    pause: yieldToEventLoop,
  });
  const { bytes, contentType } = await encodeImage(map);
  return { sheet: Buffer.from(bytes).toString('base64'), contentType };
}

function lineOf(counts: SplitCounts, cluster: number): string {
  const { train, valid, test } = counts;
  const words = splitName.options
    .filter((split) => counts[split] > 0)
    .map((split) => `${split} ${counts[split]}`);
  return `${cluster + 1}: ${train + valid + test} images, ${words.sort().join(', ')}`;
}

/** Undefined: it is gone, or cannot be read. */
async function readSmall({ store, blobs }: Stores, project: Project, imageId: string) {
  const found = await store.images.find(project.id, imageId);
  if (found === undefined) return undefined;
  const read = async () => decodeSmall(await blobs.get(found.hash), mapPictureSide, 1);
  return (await read().catch(() => undefined))?.image;
}
