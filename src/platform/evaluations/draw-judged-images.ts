// Images of an evaluation on one sheet: the labels at the left, what was found at the right.

import type { inference } from '../../contract/inference.ts';
import type { Input } from '../../contract/operation.ts';
import { limits } from '../../limits.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { drawDetections } from '../previews/draw-detections.ts';
import type { FoundImage } from '../store/evaluations.ts';

type Boxes = Pick<Input<typeof inference.inference_draw>['drawn'][number], 'found' | 'labelled'>;

/** The first images; undefined where none of them is there any more. */
export async function drawResults(
  { blobs }: Pick<PlatformDependencies, 'blobs'>,
  title: string,
  results: readonly (Pick<FoundImage, 'hash' | 'name'> & { readonly drawn: Boxes })[],
  signal: AbortSignal,
): Promise<{ readonly sheet: string; readonly contentType: string } | undefined> {
  const shown: { content: Uint8Array; name: string; drawn: Boxes }[] = [];
  for (const { hash, name, drawn } of results.slice(0, limits.previewSourcesMax)) {
    const content = await blobs.get(hash).catch(() => undefined);
    if (content !== undefined) shown.push({ content, name, drawn });
  }
  if (shown.length === 0) return undefined;
  const { sheet, contentType } = await drawDetections(
    {
      title,
      images: shown.map(({ content, name }) => ({ name, content })),
      drawn: shown.map(({ name, drawn }) => ({ name, ...drawn })),
    },
    signal,
  );
  return { sheet, contentType };
}
