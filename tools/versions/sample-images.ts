// Some images of a project with their boxes, to tell what settings would make of them.

import { search } from '../../src/contract/search.ts';
import type { SampledImage } from '../../src/contract/version-effects.ts';
import { FoveaError } from '../../src/errors.ts';
import { isJsonObject } from '../../src/json-object.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';

/** The first images of a project; none where the platform does not show their boxes. */
export async function sampleImages(
  where: { readonly workspace: string; readonly project: string },
  { client, signal }: ToolContext,
): Promise<readonly SampledImage[]> {
  const wanted = { ...where, fields: ['annotations', 'width', 'height'] as const, limit: 250 };
  try {
    const input = { ...wanted, fields: [...wanted.fields] };
    const { body } = await client.call(search.images_search, input, { signal });
    return body.results.flatMap(readImage);
  } catch (thrown) {
    // What is only said beside the counts must not keep them back.
    if (thrown instanceof FoveaError && thrown.code !== 'cancelled') return [];
    throw thrown;
  }
}

function readImage(found: Readonly<Record<string, unknown>>): readonly SampledImage[] {
  const { annotations } = found;
  const boxes =
    isJsonObject(annotations) && Array.isArray(annotations.boxes) ? annotations.boxes : [];
  const image = { width: Number(found.width), height: Number(found.height) };
  if (!(image.width > 0 && image.height > 0)) return [];
  return [{ ...image, boxes: boxes.flatMap(readBox) }];
}

function readBox(box: unknown): SampledImage['boxes'] {
  if (!isJsonObject(box)) return [];
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(box[name]));
  if (x === undefined || y === undefined || width === undefined || height === undefined) return [];
  return [x, y, width, height].every(Number.isFinite) ? [{ x, y, width, height }] : [];
}
