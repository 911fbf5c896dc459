// Fetches files from URLs that users give, without reaching into private networks.

import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Dispatcher } from 'undici';
import { FoveaError } from '../errors.ts';
import type { Proxies } from '../network/proxies.ts';
import { asProxyError } from '../network/proxy-error.ts';
import { createAtomicFile } from './atomic-file.ts';
import {
  type Agents,
  agentForAllowed,
  agentForPublic,
  asRefusedLink,
  closeAgents,
  discard,
  fetchLink,
  openAgents,
  parseLink,
  RefusedLink,
  type Response,
} from './fetch-link.ts';

export interface PublicFetchOptions {
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Permits a `host:port` (the port always given) whose address need not be public. */
  readonly isAllowedHost?: (host: string) => boolean;
  readonly proxies?: Proxies | undefined;
}

export interface PublicFile {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
}

/**
 * The file behind an http or https URL. Throws `invalid_input` with the path `image` for a URL
 * that is wrong, leads to a private address or is answered with 4xx; `too_large`; `upstream_failed`
 * where the host fails or cannot be reached; and `cancelled`.
 */
export async function fetchPublic(url: string, options: PublicFetchOptions): Promise<PublicFile> {
  const { signal, timeoutMs } = options;
  const timeUp = AbortSignal.timeout(timeoutMs);
  const agents = openAgents(options.proxies);
  try {
    const choose = (to: URL) => publicAgent(to, agents, options.isAllowedHost);
    const fetching = { signal: AbortSignal.any([signal, timeUp]), idleMs: timeoutMs };
    const response = await fetchLink(parseLink(url), choose, fetching);
    return await readImage(response, options.bytesMax);
  } catch (error) {
    if (error instanceof FoveaError) throw error;
    if (signal.aborted) throw new FoveaError('cancelled', 'The call was cancelled.');
    const refused = asRefusedLink(error);
    if (refused) throw notFetched('invalid_input', refused.message);
    const failed = asProxyError(error)?.message ?? 'the connection failed';
    const reason = timeUp.aborted ? `no answer within ${timeoutMs} ms` : failed;
    throw notFetched('upstream_failed', reason, error);
  } finally {
    await closeAgents(agents);
  }
}

/** The agent for an address of others, or a RefusedLink thrown. */
async function publicAgent(
  to: URL,
  agents: Agents,
  isAllowedHost?: (host: string) => boolean,
): Promise<Dispatcher> {
  if (to.protocol !== 'http:' && to.protocol !== 'https:') {
    throw new RefusedLink('it is neither http nor https');
  }
  const port = to.port || (to.protocol === 'https:' ? '443' : '80');
  if (isAllowedHost?.(`${to.hostname}:${port}`)) return agentForAllowed(to, agents);
  return agentForPublic(to, agents);
}

async function readImage(response: Response, bytesMax: number): Promise<PublicFile> {
  const { statusCode, headers, body } = response;
  if (statusCode !== 200) {
    discard(response);
    const code = statusCode >= 500 ? 'upstream_failed' : 'invalid_input';
    throw notFetched(code, `its host answered with status ${statusCode}`);
  }
  const chunks: Buffer[] = [];
  let size = Number(headers['content-length']) > bytesMax ? bytesMax + 1 : 0;
  if (size === 0) {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > bytesMax) break;
      chunks.push(chunk);
    }
  }
  if (size > bytesMax) {
    discard(response);
    throw notFetched('too_large', `it has more than ${bytesMax} bytes`);
  }
  const type = headers['content-type'];
  return { bytes: Buffer.concat(chunks), contentType: Array.isArray(type) ? type[0] : type };
}

function notFetched(
  code: 'invalid_input' | 'too_large' | 'upstream_failed',
  reason: string,
  cause?: unknown,
): FoveaError {
  const message = `could not fetch image URL: ${reason}`;
  if (code === 'upstream_failed') return new FoveaError(code, message, { retry: 'safe', cause });
  return new FoveaError(code, `image: ${message}`, { problems: [{ path: 'image', message }] });
}

export interface PublicDownloadOptions {
  readonly bytesMax: number;
  readonly signal: AbortSignal;
  /** The longest silence of the host. */
  readonly idleMs: number;
  /** Permits a `host:port` (the port always given) whose address need not be public. */
  readonly isAllowedHost?: (host: string) => boolean;
  readonly proxies?: Proxies | undefined;
  /** Told of each piece before it is written; an error that it throws ends the download. */
  readonly wrote?: (bytes: number) => Promise<void>;
}

/**
 * The file behind an http or https URL, into a new file at `path`: whole, or not at all. Throws
 * `invalid_input` for a URL that is wrong, leads to a private address or is answered with 4xx,
 * `too_large`, `upstream_failed` where the host fails or cannot be reached, and `cancelled`.
 */
export async function downloadPublic(
  url: string,
  path: string,
  { bytesMax, signal, idleMs, isAllowedHost, proxies, wrote }: PublicDownloadOptions,
): Promise<void> {
  const agents = openAgents(proxies);
  // The folder is one of ours, and may be reached through links.
  const file = await createAtomicFile(join(await realpath(dirname(path)), basename(path)));
  try {
    const choose = (to: URL) => publicAgent(to, agents, isAllowedHost);
    const response = await fetchLink(parseLink(url), choose, { signal, idleMs });
    const { statusCode, headers, body } = response;
    try {
      if (statusCode !== 200) throw refusedStatus(statusCode);
      if (Number(headers['content-length']) > bytesMax) throw downloadTooLarge(bytesMax);
      let bytes = 0;
      for await (const piece of body) {
        bytes += piece.length;
        if (bytes > bytesMax) throw downloadTooLarge(bytesMax);
        await wrote?.(piece.length);
        await file.write(piece);
      }
      await file.commit();
    } finally {
      discard(response);
    }
  } catch (thrown) {
    throw failureOf(thrown, signal);
  } finally {
    await file.discard();
    await closeAgents(agents);
  }
}

function refusedStatus(status: number): FoveaError {
  return notDownloaded(
    status >= 500 ? 'upstream_failed' : 'invalid_input',
    `its host answered with status ${status}`,
  );
}

function downloadTooLarge(bytesMax: number): FoveaError {
  return notDownloaded('too_large', `it has more than ${bytesMax} bytes`);
}

function failureOf(thrown: unknown, signal: AbortSignal): unknown {
  if (thrown instanceof FoveaError) return thrown;
  if (signal.aborted) return new FoveaError('cancelled', 'The call was cancelled.');
  const refused = asRefusedLink(thrown);
  if (refused) return notDownloaded('invalid_input', refused.message);
  const reason = asProxyError(thrown)?.message ?? 'the connection failed';
  return notDownloaded('upstream_failed', reason, thrown);
}

function notDownloaded(
  code: 'invalid_input' | 'too_large' | 'upstream_failed',
  reason: string,
  cause?: unknown,
): FoveaError {
  return new FoveaError(code, `The URL could not be fetched: ${reason}.`, { cause });
}
