// Fetches a file from an address that a user gave, without reaching into private networks.

import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Proxies } from '../boundary/proxies.ts';
import { asProxyError } from '../boundary/proxy-error.ts';
import { FoveaError } from '../errors.ts';
import { asRefused, closeAgents, discard, fetchLink, openAgents, parsedLink } from './link.ts';
import { openNewFile } from './new-file.ts';
import { choosePublic } from './public-fetch.ts';

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
  const file = await openNewFile(join(await realpath(dirname(path)), basename(path)));
  try {
    const choose = (to: URL) => choosePublic(to, agents, isAllowedHost);
    const response = await fetchLink(parsedLink(url), choose, { signal, idleMs });
    const { statusCode, headers, body } = response;
    try {
      if (statusCode !== 200) throw refusedStatus(statusCode);
      if (Number(headers['content-length']) > bytesMax) throw tooLarge(bytesMax);
      let bytes = 0;
      for await (const piece of body) {
        bytes += piece.length;
        if (bytes > bytesMax) throw tooLarge(bytesMax);
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
  return notFetched(
    status >= 500 ? 'upstream_failed' : 'invalid_input',
    `its host answered with status ${status}`,
  );
}

function tooLarge(bytesMax: number): FoveaError {
  return notFetched('too_large', `it has more than ${bytesMax} bytes`);
}

function failureOf(thrown: unknown, signal: AbortSignal): unknown {
  if (thrown instanceof FoveaError) return thrown;
  if (signal.aborted) return new FoveaError('cancelled', 'The call was cancelled.');
  const refused = asRefused(thrown);
  if (refused) return notFetched('invalid_input', refused.message);
  const reason = asProxyError(thrown)?.message ?? 'the connection failed';
  return notFetched('upstream_failed', reason, thrown);
}

function notFetched(
  code: 'invalid_input' | 'too_large' | 'upstream_failed',
  reason: string,
  cause?: unknown,
): FoveaError {
  return new FoveaError(code, `The URL could not be fetched: ${reason}.`, { cause });
}
