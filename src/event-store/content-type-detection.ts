// What content is, by its first bytes and never by what somebody says of it.

import { fileTypeFromBuffer } from 'file-type';
import { limits } from '../limits.ts';

/** Its media type; undefined for text, and whatever else has no signature. */
export async function detectContentType(firstBytes: Uint8Array): Promise<string | undefined> {
  const found = await fileTypeFromBuffer(firstBytes.subarray(0, limits.recogniseBytes));
  return found?.mime;
}

/** The media type of an image that the contract knows; undefined for anything else. */
export async function detectImageType(bytes: Uint8Array): Promise<string | undefined> {
  const type = await detectContentType(bytes);
  return type !== undefined && imageTypes.has(type) ? type : undefined;
}

/** The media type of a video; undefined for anything else (Event Store 11.5). */
export async function detectVideoType(firstBytes: Uint8Array): Promise<string | undefined> {
  const type = await detectContentType(firstBytes);
  if (type === undefined) return undefined;
  return type.startsWith('video/') || otherVideoTypes.has(type) ? type : undefined;
}

const imageTypes: ReadonlySet<string> = new Set([
  'image/jpeg',
  'image/png',
  'image/apng',
  'image/webp',
  'image/gif',
  'image/tiff',
  'image/bmp',
  'image/heic',
  'image/heic-sequence',
  'image/heif',
  'image/heif-sequence',
  'image/avif',
]);

/** Containers of videos that are registered under other names. */
const otherVideoTypes: ReadonlySet<string> = new Set([
  'application/mxf',
  'application/vnd.ms-asf',
  'application/vnd.rn-realmedia',
]);
