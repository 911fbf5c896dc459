// Fetches an image from an address that a user gave, without reaching into private networks.

import type { Dispatcher } from 'undici';
import type { Proxies } from '../boundary/proxies.ts';
import { asProxyError } from '../boundary/proxy-error.ts';
import { FoveaError } from '../errors.ts';
import {
  type Agents,
  asRefused,
  closeAgents,
  discard,
  fetchLink,
  openAgents,
  parsedLink,
  RefusedLink,
  type Response,
  reachAllowed,
  reachPublic,
} from './link.ts';

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
    const choose = (to: URL) => choosePublic(to, agents, options.isAllowedHost);
    const fetching = { signal: AbortSignal.any([signal, timeUp]), idleMs: timeoutMs };
    const response = await fetchLink(parsedLink(url), choose, fetching);
    return await readImage(response, options.bytesMax);
  } catch (error) {
    if (error instanceof FoveaError) throw error;
    if (signal.aborted) throw new FoveaError('cancelled', 'The call was cancelled.');
    const refused = asRefused(error);
    if (refused) throw notFetched('invalid_input', refused.message);
    const failed = asProxyError(error)?.message ?? 'the connection failed';
    const reason = timeUp.aborted ? `no answer within ${timeoutMs} ms` : failed;
    throw notFetched('upstream_failed', reason, error);
  } finally {
    await closeAgents(agents);
  }
}

/** The agent for an address of others, or a RefusedLink thrown. */
export async function choosePublic(
  to: URL,
  agents: Agents,
  isAllowedHost?: (host: string) => boolean,
): Promise<Dispatcher> {
  if (to.protocol !== 'http:' && to.protocol !== 'https:') {
    throw new RefusedLink('it is neither http nor https');
  }
  const port = to.port || (to.protocol === 'https:' ? '443' : '80');
  if (isAllowedHost?.(`${to.hostname}:${port}`)) return reachAllowed(to, agents);
  return reachPublic(to, agents);
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
