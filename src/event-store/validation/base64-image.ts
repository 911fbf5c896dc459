// Decodes base64 images of events and detects their type.

import { FoveaError } from '../../errors.ts';
import { detectImageType } from '../content-type-detection.ts';

export interface DecodedImage {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/**
 * Decodes base64 text or a data URL. Throws `bad_request` naming the member for invalid base64 and
 * for content that is no image (Event Store 15.4).
 */
export async function decodeImage(text: string, member: string): Promise<DecodedImage> {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw undecodable(member, 'is not valid base64');
  const contentType = await detectImageType(bytes);
  if (contentType !== undefined) return { bytes, contentType };
  throw undecodable(member, 'is not an image (JPEG, PNG, WebP, GIF, TIFF, BMP, HEIC or AVIF)');
}

/** Undefined for invalid base64; Node itself ignores invalid characters. */
function decodeBase64(text: string): Uint8Array | undefined {
  const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  const plain = start === 0 ? text : text.slice(start);
  // Texts are long, so whitespace is removed only where decoding fails.
  return decodePlain(plain) ?? decodePlain(plain.replaceAll(/\s/g, ''));
}

function decodePlain(plain: string): Uint8Array | undefined {
  const padding = plain.endsWith('==') ? 2 : plain.endsWith('=') ? 1 : 0;
  const digits = plain.length - padding;
  const bytes = Buffer.from(plain, 'base64');
  const isWhole = bytes.length === Math.floor((digits * 3) / 4) && digits % 4 !== 1;
  const isPadded = padding === 0 || plain.length % 4 === 0;
  return digits > 0 && isWhole && isPadded ? bytes : undefined;
}

function undecodable(member: string, wrong: string): FoveaError {
  return new FoveaError('bad_request', `${member}: ${wrong}.`);
}
