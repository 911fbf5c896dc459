// The boundary of a multipart body, and how often it may come.

import type { IncomingMessage } from 'node:http';
import type { BusboyInstance } from '@fastify/busboy';
import { limits } from '../limits.ts';

/**
 * The boundary that the header names (RFC 2046 section 5.1.1): 1 to 70 characters. Undefined: the
 * body is not multipart/form-data, or the boundary is missing, given twice or not valid.
 */
export function boundaryOf({ headers }: IncomingMessage): string | undefined {
  const header = headers['content-type'] ?? '';
  // The parameters are looked for from each character on.
  if (header.length > limits.contentTypeCharactersMax) return undefined;
  if (!/^multipart\/form-data\s*;/i.test(header)) return undefined;
  const found = [...header.matchAll(/;\s*boundary\s*=\s*(?:"([^"\\]*)"|([^\s;"]*))\s*(?=;|$)/gi)];
  const [first] = found;
  const boundary = first?.[1] ?? first?.[2] ?? '';
  return found.length === 1 && /^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary)
    ? boundary
    : undefined;
}

/** The header that names this boundary alone, so that a parser understands it as we do. */
export function multipartType(boundary: string): string {
  return `multipart/form-data; boundary="${boundary}"`;
}

/**
 * Gives the body to its parser piece by piece; calls `refuse` in place of the piece in which it has
 * more than `max` boundaries, and goes no further then.
 */
export function feedParser(
  request: IncomingMessage,
  parser: BusboyInstance,
  { boundary, max, refuse }: FeedRules,
): (piece: Buffer) => void {
  const isTooMany = countBoundaries(boundary, max);
  let isRefused = false;
  const feed = (piece: Buffer) => {
    if (isRefused) return;
    isRefused = isTooMany(piece);
    if (isRefused) refuse();
    else if (!parser.write(piece)) request.pause();
  };
  parser.on('drain', () => request.resume());
  request.on('data', feed);
  request.on('end', () => parser.end());
  return feed;
}

export interface FeedRules {
  readonly boundary: string;
  readonly max: number;
  readonly refuse: () => void;
}

/**
 * Counts boundaries in the pieces of a body, given in their order. True: there are more than `max`,
 * and the piece must not be parsed, since each boundary begins a part, which costs a thousand times
 * as much as to find it.
 */
function countBoundaries(boundary: string, max: number): (piece: Buffer) => boolean {
  const needle = Buffer.from(`\r\n--${boundary}`, 'latin1');
  let end = Buffer.from('\r\n');
  let count = 0;
  return (piece) => {
    // One that lies across two pieces is found in the end of one with the beginning of the next.
    const seam = Buffer.concat([end, piece.subarray(0, needle.length - 1)]);
    if (seam.indexOf(needle) >= 0) count += 1;
    let at = piece.indexOf(needle);
    for (; at >= 0 && count <= max; at = piece.indexOf(needle, at + needle.length)) count += 1;
    const tail = Buffer.concat([end, piece.subarray(-needle.length)]);
    end = tail.subarray(Math.max(0, tail.length - needle.length + 1));
    return count > max;
  };
}
