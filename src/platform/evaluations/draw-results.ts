// Images of an evaluation on one sheet: the labels at the left, what was found at the right.

import { limits } from '../../limits.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { drawDetections } from '../previews/draw-detections.ts';
import type { ResultsPage } from '../store/evaluations.ts';

/** The first images; undefined where none of them is there any more. */
export async function drawResults(
  { blobs }: Pick<PlatformDependencies, 'blobs'>,
  title: string,
  results: ResultsPage['results'],
  signal: AbortSignal,
): Promise<{ readonly sheet: string; readonly contentType: string } | undefined> {
  const shown: { content: Uint8Array; name: string; boxes: string }[] = [];
  for (const { hash, name, boxes } of results.slice(0, limits.previewSourcesMax)) {
    const content = await blobs.get(hash).catch(() => undefined);
    if (content !== undefined) shown.push({ content, name, boxes });
  }
  if (shown.length === 0) return undefined;
  const { sheet, contentType } = await drawDetections(
    {
      title,
      images: shown.map(({ content, name }) => ({ name, content })),
      drawn: shown.map(({ name, boxes }) => ({ name, ...JSON.parse(boxes) })),
    },
    signal,
  );
  return { sheet, contentType };
}
