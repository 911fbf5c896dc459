// One image: shown in small, or written to this machine.

import { images } from '../../src/contract/images.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import { asFoveaError, FoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { isOwnPlatform, type ToolContext, type ToolResult } from '../../src/mcp/tool.ts';
import { refuseExisting, saveLink } from '../download-link.ts';
import { asGiven, count, fileSize, lastPart, nameList, quoted, tally } from '../format.ts';

const { images_get: get } = images;

type Wanted = Input<typeof get>;

export async function showImage(input: Wanted, context: ToolContext): Promise<ToolResult> {
  const { client, signal } = context;
  const { body } = await client.call(get, input, { signal });
  // A large vector that no model reads.
  const { embedding: _embedding, ...image } = { embedding: undefined, ...body.image };
  const { notes, images } = await showThumb(body.image.urls?.thumb, context);
  return {
    summary: describeImage(body.image),
    data: { ...notes, image },
    images,
    ...pageOf(input, context),
  };
}

/** Where labels are edited; other platforms have no revisions, so a page there edits none. */
function pageOf({ project, imageId }: Wanted, { settings }: ToolContext) {
  if (!isOwnPlatform(settings)) return {};
  const place = ['project', lastPart(project), 'annotate', imageId].map(encodeURIComponent);
  return { forPage: { address: `#${place.join('/')}` } };
}

/** Throws `conflict` for an existing file before anything is sent. */
export async function downloadImage(
  { save_to, ...input }: Wanted & { readonly save_to: string },
  context: ToolContext,
): Promise<ToolResult> {
  const path = await context.files.writable(save_to, 'save_to');
  await refuseExisting(path);
  const { client, signal } = context;
  const { body } = await client.call(get, input, { signal });
  const { id, name = id, urls } = body.image;
  if (urls?.original === undefined) {
    throw new FoveaError('upstream_failed', 'The platform gave no link to the original.');
  }
  const { bytes, contentType } = await saveLink(urls.original, path, false, context);
  const mimeType = contentType ?? 'application/octet-stream';
  return {
    summary: `Image ${quoted(name)} is saved to ${asGiven(path)} (${fileSize(bytes)}).`,
    data: { path, bytes, image: { id, name } },
    files: [{ path, mimeType, description: `Image ${quoted(id)}` }],
  };
}

/** A preview of the image; undefined where it cannot be had, which fails nothing. */
async function showThumb(link: string | undefined, { client, signal }: ToolContext) {
  if (link === undefined) return { images: [] };
  try {
    const timeoutMs = limits.eventPreviewMsMax;
    return { images: [await client.fetchImage(link, { signal, timeoutMs })] };
  } catch (thrown) {
    signal.throwIfAborted();
    const preview_notes = [`the image cannot be shown (${asFoveaError(thrown).code})`];
    return { notes: { preview_notes }, images: [] };
  }
}

/** Words first: a host may show no picture. */
function describeImage(image: Answer<typeof get>['image']): string {
  const { annotation, labels = [], split, name = image.id } = image;
  const { width, height } = { width: annotation?.width, height: annotation?.height, ...image };
  const boxes = annotation?.boxes;
  const counts: Record<string, number> = {};
  for (const { label } of boxes ?? []) counts[label] = (counts[label] ?? 0) + 1;
  const shown = boxes ? `${count(boxes.length, 'box', 'boxes')} (${tally(counts) || 'empty'})` : '';
  const labelled = labels.length > 0 ? nameList(labels) : 'no annotation';
  const parts = [
    ...(typeof width === 'number' && typeof height === 'number'
      ? [`${width} x ${height} pixels`]
      : []),
    ...(split ? [`${quoted(split)} split`] : []),
    shown || labelled,
    ...reviewOf(image.review),
  ];
  return `Image ${quoted(name)}: ${parts.join(', ')}.`;
}

/** The comment stands in the data: others wrote it. */
function reviewOf(review: Answer<typeof get>['image']['review']): readonly string[] {
  if (review === undefined) return [];
  const since = review.labels_changed ? ', but the labels were changed since' : '';
  if (review.state === 'approved') return [`approved by a reviewer${since}`];
  const why = review.comment === undefined ? '' : '; "review" says why';
  return [`sent back by a reviewer${since}${why}`];
}
