// Detects content types by signature, never by the declared type.

import { limits } from '../limits.ts';

/** The media type; undefined for content without a signature, such as text. */
export async function detectContentType(firstBytes: Uint8Array): Promise<string | undefined> {
  // Most events bring no file.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(firstBytes.subarray(0, limits.typeDetectionBytes));
  return found?.mime;
}

/** The media type of a supported image; undefined otherwise. */
export async function detectImageType(bytes: Uint8Array): Promise<string | undefined> {
  const type = await detectContentType(bytes);
  return type !== undefined && imageTypes.has(type) ? type : undefined;
}

/** The media type of a video; undefined otherwise (Event Store 11.5). */
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

/** Video containers whose media type does not start with `video/`. */
const otherVideoTypes: ReadonlySet<string> = new Set([
  'application/mxf',
  'application/vnd.ms-asf',
  'application/vnd.rn-realmedia',
]);
