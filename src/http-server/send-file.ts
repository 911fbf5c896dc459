// A file as an answer: streamed, with byte ranges, never interpreted by a browser.

import { open } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { FoveaError } from '../errors.ts';
import { safeHeaders } from './responses.ts';

export interface FileAnswer {
  readonly contentType: string;
  /** How long the file must be: a shorter one is damaged and is not sent. */
  readonly bytes?: number;
  /** Given: the caller is to save the file under this name. */
  readonly filename?: string;
}

/**
 * Sends a file, or the one byte range that the request asks for. Throws `not_found` when there is
 * no such file and `internal` when it has another length; a client that goes away is no error.
 */
export async function sendFile(
  response: ServerResponse,
  path: string,
  answer: FileAnswer,
): Promise<void> {
  const file = await openFile(path);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new FoveaError('not_found', 'There is no such file.');
    const { size } = found;
    if (answer.bytes !== undefined && answer.bytes !== size) {
      throw new FoveaError('internal', 'The stored file is damaged.');
    }
    const headers = headersOf(answer);
    const { range, 'if-range': condition } = response.req.headers;
    const wanted = condition === undefined ? parseRange(range, size) : undefined;
    if (wanted === 'unsatisfiable') {
      response.writeHead(416, { ...headers, 'content-range': `bytes */${size}` }).end();
      return;
    }
    const { start, end } = wanted ?? { start: 0, end: size - 1 };
    response.writeHead(wanted ? 206 : 200, {
      ...headers,
      'content-length': end - start + 1,
      ...(wanted && { 'content-range': `bytes ${start}-${end}/${size}` }),
    });
    if (size === 0) response.end();
    else await pipeline(file.createReadStream({ start, end, autoClose: false }), response);
  } catch (thrown) {
    if (!response.destroyed) throw thrown;
  } finally {
    await file.close();
  }
}

async function openFile(path: string) {
  try {
    return await open(path);
  } catch (cause) {
    throw new FoveaError('not_found', 'There is no such file.', { cause });
  }
}

function headersOf({ contentType, filename }: FileAnswer) {
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
