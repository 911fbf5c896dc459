// Stored content as an answer: streamed, with byte ranges, never interpreted by a browser.

import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { safeHeaders } from './responses.ts';

export interface Content {
  readonly contentType: string;
  readonly bytes: number;
  /** Given: the caller is to save the content under this name. */
  readonly filename?: string;
  /** Opens the whole content, from its first byte. */
  open(): Promise<Readable>;
}

/**
 * Sends content, or the one byte range that the request asks for. A stream that fails or ends
 * early cuts the connection, so that nobody takes a part for the whole; a client that goes away is
 * no error.
 */
export async function sendContent(response: ServerResponse, content: Content): Promise<void> {
  const headers = headersOf(content);
  const { range, 'if-range': condition } = response.req.headers;
  const wanted = condition === undefined ? parseRange(range, content.bytes) : undefined;
  if (wanted === 'unsatisfiable') {
    response.writeHead(416, { ...headers, 'content-range': `bytes */${content.bytes}` }).end();
    return;
  }
  const whole = { start: 0, end: content.bytes - 1 };
  const { start, end } = wanted ?? whole;
  const isHead = response.req.method === 'HEAD';
  const stream = isHead ? undefined : await content.open();
  response.writeHead(wanted ? 206 : 200, {
    ...headers,
    'content-length': end - start + 1,
    ...(wanted && { 'content-range': `bytes ${start}-${end}/${content.bytes}` }),
  });
  if (stream === undefined) {
    response.end();
    return;
  }
  try {
    await pipeline(stream, (pieces) => slice(pieces, start, end), response);
  } catch (thrown) {
    if (!response.destroyed) throw thrown;
  }
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

function headersOf({ contentType, filename }: Content) {
  return {
    ...safeHeaders,
    'content-type': contentType,
    'accept-ranges': 'bytes',
    'content-security-policy': "default-src 'none'; sandbox",
    ...(filename !== undefined && { 'content-disposition': attachment(filename) }),
  };
}

/** RFC 6266: a plain name for all, the exact one for whoever reads RFC 8187. */
function attachment(filename: string): string {
  const plain = filename.replaceAll(/[^\w.+ -]/g, '_');
  const exact = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
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
