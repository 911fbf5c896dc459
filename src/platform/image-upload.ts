// From a file or a URL to a row: check, keep the bytes, then add the image.

import { createHash } from 'node:crypto';
import { isoTime } from '../clock.ts';
import type { images } from '../contract/images.ts';
import type { Input } from '../contract/operation.ts';
import { invalidArgument, invalidInput } from '../errors.ts';
import { limits } from '../limits.ts';
import { newId } from './ids.ts';
import { readImageFile } from './image-file.ts';
import type { Parts } from './parts.ts';
import type { Metadata, Project } from './store/store.ts';

type UploadInput = Input<typeof images.images_upload>;

/** Adds one image to a project. The same bytes again give the image that is there already. */
export async function uploadImage(
  parts: Parts,
  project: Project,
  input: UploadInput,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly duplicate: boolean }> {
  const { store, blobs, clock } = parts;
  const metadata = readMetadata(input.metadata);
  const { bytes, name } = await readSource(parts, input, signal);
  const known = await store.images.findByHash(project.id, sha256(bytes));
  if (known !== undefined) return { id: known, duplicate: true };
  const { format, width, height } = await readImageFile(bytes);
  const { hash } = await blobs.put(bytes);
  const created = clock.now();
  return store.images.add({
    id: newId(),
    projectId: project.id,
    name,
    hash,
    bytes: bytes.length,
    format,
    width,
    height,
    split: input.split ?? 'train',
    batchName: input.batch ?? `Uploaded on ${isoTime(created).slice(0, 10)}`,
    tags: input.tag ?? [],
    metadata,
    created,
  });
}

async function readSource(
  parts: Parts,
  { file, image, name }: UploadInput,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly name: string }> {
  if ((file === undefined) === (image === undefined)) {
    throw invalidInput([{ path: 'file', message: 'give either a file or an image URL' }]);
  }
  if (image !== undefined) {
    const bytes = await parts.fetchImage(image, signal);
    return { bytes, name: name ?? lastSegment(image) };
  }
  const content = file?.content;
  if (!(content instanceof Uint8Array)) throw invalidArgument('file', 'has no bytes');
  if (content.length > limits.imageBytesMax) {
    throw invalidArgument('file', `is larger than ${limits.imageBytesMax} bytes`);
  }
  return { bytes: content, name: name ?? file?.name ?? 'image' };
}

function lastSegment(url: string): string {
  const { pathname } = new URL(url);
  const segment = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(segment) || 'image';
  } catch {
    return segment || 'image';
  }
}

/** The `metadata` part of an upload: flat JSON of strings, numbers and booleans. */
function readMetadata(text: string | undefined): Metadata {
  if (text === undefined) return {};
  const wrong = invalidArgument('metadata', 'must be a JSON object of strings, numbers, booleans');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong;
  const metadata: Record<string, string | number | boolean> = {};
  for (const [key, member] of Object.entries(value)) {
    if (!['string', 'number', 'boolean'].includes(typeof member)) throw wrong;
    metadata[key] = member;
  }
  return metadata;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
