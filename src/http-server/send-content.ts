// Sends stored content: streamed, with byte ranges, in a sandbox for browsers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { safeHeaders } from './responses.ts';

export interface Content {
  readonly contentType: string;
  readonly bytes: number;
  /** The name under which browsers save the content; without it they show it. */
  readonly filename?: string;
  /** Unique to the content, which never changes: callers may cache it for ever. */
  readonly etag?: string;
  /** True: pages of other origins may not show it. */
  readonly sameOrigin?: boolean;
  /** Opens the whole content, from its first byte. */
  open(): Promise<Readable>;
  /** Opens a part of it; left out: the part is cut from the whole. */
  openRange?(range: ByteRange): Promise<Readable>;
}

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Sends content, or the one byte range that the request asks for; 304 where the caller has it. A
 * stream that fails or ends early closes the connection, so that a part is not taken for the whole;
 * a client that goes away is no error.
 */
export async function sendContent(response: ServerResponse, content: Content): Promise<void> {
  const headers = headersOf(content);
  if (isKnown(response.req.headers['if-none-match'], content.etag)) {
    response.writeHead(304, headers).end();
    return;
  }
  const wanted = wantedRange(response.req, content);
  if (wanted === 'unsatisfiable') {
    response.writeHead(416, { ...headers, 'content-range': `bytes */${content.bytes}` }).end();
    return;
  }
  const whole = { start: 0, end: content.bytes - 1 };
  const { start, end } = wanted ?? whole;
  const isHead = response.req.method === 'HEAD';
  const pieces = isHead ? undefined : await openPieces(content, wanted);
  response.writeHead(wanted ? 206 : 200, {
    ...headers,
    'content-length': end - start + 1,
    ...(wanted && { 'content-range': `bytes ${start}-${end}/${content.bytes}` }),
  });
  if (pieces === undefined) {
    response.end();
    return;
  }
  try {
    await pipeline(pieces, response);
  } catch (thrown) {
    if (!response.destroyed) throw thrown;
  }
}

/** Exactly the wanted bytes; they fail where the content ends early. */
async function openPieces(
  content: Content,
  wanted: ByteRange | undefined,
): Promise<AsyncIterable<Buffer>> {
  const { start, end } = wanted ?? { start: 0, end: content.bytes - 1 };
  if (wanted === undefined || content.openRange === undefined) {
    return slice(await content.open(), start, end);
  }
  return slice(await content.openRange(wanted), 0, end - start);
}

/** The bytes from `start` to `end`, both included, of a stream read from its beginning. */
async function* slice(pieces: AsyncIterable<Buffer>, start: number, end: number) {
  let at = 0;
  for await (const piece of pieces) {
    const part = piece.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += piece.length;
    if (part.length > 0) yield part;
  }
  if (at <= end) throw new Error(`content of ${at} bytes ended early`);
}

function headersOf({ contentType, filename, etag, sameOrigin }: Content) {
  return {
    ...safeHeaders,
    ...(etag !== undefined && { etag: `"${etag}"`, 'cache-control': forEver }),
    'content-type': contentType,
    ...(sameOrigin && { 'cross-origin-resource-policy': 'same-origin' }),
    'accept-ranges': 'bytes',
    'content-security-policy': "default-src 'none'; sandbox",
    ...(filename !== undefined && { 'content-disposition': attachment(filename) }),
  };
}

/** Content with an ETag never changes; shared caches must not keep it: it may be private. */
const forEver = 'private, max-age=31536000, immutable';

/** RFC 9110, section 13.1.2: any of a list, weak or not. */
function isKnown(header: string | undefined, etag: string | undefined): boolean {
  if (header === undefined || etag === undefined) return false;
  const known = header.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(`"${etag}"`);
}

/**
 * RFC 9110, section 13.1.5: a part of what the caller has already, and never of anything else;
 * section 14.2: of GET alone.
 */
function wantedRange(
  { method, headers }: IncomingMessage,
  { bytes, etag }: Content,
): ByteRange | 'unsatisfiable' | undefined {
  const { range, 'if-range': condition } = headers;
  if (method !== 'GET') return undefined;
  const isSame = condition === undefined || (etag !== undefined && condition === `"${etag}"`);
  return isSame ? parseRange(range, bytes) : undefined;
}

/** Sends the caller on, for once, to where the content is kept. */
export function redirectTo(response: ServerResponse, url: string): void {
  response.writeHead(302, { ...safeHeaders, location: url }).end();
}

/** RFC 6266: an ASCII name for all clients, and the exact one in the encoding of RFC 8187. */
export function attachment(filename: string): string {
  const plain = filename.replaceAll(/[^\w.+ -]/g, '_');
  const exact = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

/** RFC 9110, section 14.2: what is no single byte range is ignored. */
function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
