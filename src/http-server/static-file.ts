// Files of the release that are sent to browsers, each under its own path.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { FoveaError } from '../errors.ts';
import type { Route } from './handlers.ts';

export interface StaticFile {
  /** Under which it is asked for, for example `/page/main.js`. */
  readonly path: string;
  /**
   * Where it is; undefined: this build does not have it. One that ends in `.br` is compressed, and
   * sent so where the caller takes it.
   */
  readonly file: URL | undefined;
  /** The Content-Security-Policy of a page. */
  readonly policy: string;
  /** True: sent without a credential. */
  readonly open?: boolean;
}

/**
 * Sends the file, or 304 where the caller has it already. It is read each time: it may be large,
 * and is rarely asked for. Throws `not_found`, which says that the build lacks it.
 */
export function staticFileRoute<Principal>({
  path,
  file,
  policy,
  open = false,
}: StaticFile): Route<Principal> {
  return {
    method: 'GET',
    path,
    open,
    handle: async (request, response) => {
      const kept = await contentOf(file);
      const isCompressed = file?.pathname.endsWith('.br') === true;
      const isSentSo = isCompressed && takesBrotli(request);
      const content = isCompressed && !isSentSo ? await decompress(kept) : kept;
      const etag = `"${createHash('sha256').update(content).digest('base64url')}"`;
      const headers = {
        ...pageHeaders,
        'content-security-policy': policy,
        'content-type': contentTypeOf(file),
        etag,
        ...(isCompressed && { vary: 'accept-encoding' }),
        ...(isSentSo && { 'content-encoding': 'br' }),
      };
      if (request.headers['if-none-match'] === etag) {
        response.writeHead(304, headers).end();
        return;
      }
      response.writeHead(200, { ...headers, 'content-length': content.length });
      response.end(request.method === 'HEAD' ? undefined : content);
    },
  };
}

function contentTypeOf(file: URL | undefined): string {
  const name = (file?.pathname ?? '').replace(/\.br$/, '');
  return contentTypes[extname(name)] ?? 'application/octet-stream';
}

function takesBrotli({ headers }: IncomingMessage): boolean {
  return /(^|,)\s*br\s*(,|$)/.test(String(headers['accept-encoding'] ?? ''));
}

const decompress = promisify(brotliDecompress);

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Kept by the browser, and asked for again each time: a new release shows at once. */
const pageHeaders = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

async function contentOf(file: URL | undefined): Promise<Buffer> {
  try {
    if (file !== undefined) return await readFile(file);
  } catch {
    // Answered as a file that the build does not have.
  }
  throw new FoveaError('not_found', 'This build of the service lacks the files of this page.', {
    hint: 'The API works without them; GET /openapi.json describes it.',
  });
}
