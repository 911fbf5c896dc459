// Fetches URLs from services and users: follows redirects one by one, to permitted hosts only.

import { Agent, type Dispatcher, request } from 'undici';
import { untilAborted } from '../abort.ts';
import { limits } from '../limits.ts';
import type { Proxies } from '../network/proxies.ts';
import {
  isPublicHostname,
  mayBePublicElsewhere,
  NotPublicError,
  publicLookup,
} from '../network/public-addresses.ts';
import { createProxyPools, type ProxyPools } from './proxy-pools.ts';
import { commonHeaders } from './request.ts';

export type Response = Dispatcher.ResponseData;

/** Why a URL is not fetched: ends a sentence. */
export class RefusedLink extends Error {
  override readonly name = 'RefusedLink';
}

/** The agent for a hop. Throws RefusedLink. `from`: the URL that redirected to it. */
export type ChooseAgent = (to: URL, from: URL | undefined) => Dispatcher | Promise<Dispatcher>;

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** The longest silence of the host, in milliseconds. */
  readonly idleMs: number;
  /** Sent to the host of the link alone: a redirect elsewhere goes without. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Fetches a link and whatever it redirects to, at most `limits.redirectsMax` times. Throws a
 * RefusedLink for an address that may not be fetched; errors of the connection are thrown as they
 * come. The body of the response is for the caller to read or to destroy.
 */
export async function fetchLink(
  link: URL,
  choose: ChooseAgent,
  { signal, idleMs, headers }: FetchOptions,
): Promise<Response> {
  let from: URL | undefined;
  let to = link;
  for (let hop = 0; hop <= limits.redirectsMax; hop++) {
    const asking = request(to, {
      dispatcher: await choose(to, from),
      signal,
      headers: { ...commonHeaders, ...(to.origin === link.origin && headers), accept: '*/*' },
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    });
    // undici does not abort a request that still waits for a connection.
    const response = await untilAborted(asking, signal);
    const location = redirection(response);
    if (location === undefined) return response;
    discard(response);
    from = to;
    to = parseLink(location, to);
  }
  throw new RefusedLink(`it redirects more than ${limits.redirectsMax} times`);
}

/** Throws RefusedLink for an invalid URL or one with credentials. */
export function parseLink(link: string, base?: URL): URL {
  const url = URL.parse(link, base?.href);
  if (!url) throw new RefusedLink('it is not a URL');
  if (url.username || url.password) throw new RefusedLink('it contains a user name');
  return url;
}

/** Throws RefusedLink for a host name that cannot be public. */
export function requirePublicHost({ hostname }: URL): void {
  if (!isPublicHostname(hostname)) throw new RefusedLink(notPublic);
}

/** The RefusedLink behind an error of a connection, if there is one. */
export function asRefusedLink(error: unknown): RefusedLink | undefined {
  if (error instanceof RefusedLink) return error;
  return error instanceof NotPublicError ? new RefusedLink(notPublic) : undefined;
}

/** Closes the socket of a response whose body is not read. */
export function discard({ body }: Response): void {
  body.on('error', () => undefined).destroy();
}

/** Connection pools: `plain` reaches any address, `guarded` public ones only. */
export interface Agents {
  readonly plain: Agent;
  readonly guarded: Agent;
  readonly proxied: ProxyPools;
}

export function openAgents(proxies?: Proxies | undefined): Agents {
  return {
    plain: new Agent(),
    guarded: new Agent({ connect: { lookup: publicLookup } }),
    proxied: createProxyPools(proxies),
  };
}

export async function closeAgents({ plain, guarded, proxied }: Agents): Promise<void> {
  await Promise.all([plain.destroy(), guarded.destroy(), proxied.close()]);
}

/** The pool for an address that is allowed although it may be private. */
export function agentForAllowed(to: URL, { plain, proxied }: Agents): Dispatcher {
  return proxied.find(to) ?? plain;
}

/**
 * The pool for an address that must be public. Throws RefusedLink. A proxy resolves names by
 * itself, so names that are private as seen from here are refused before (decisions/proxy.md).
 */
export async function agentForPublic(to: URL, { guarded, proxied }: Agents): Promise<Dispatcher> {
  requirePublicHost(to);
  const through = proxied.find(to);
  if (through === undefined) return guarded;
  if (!(await mayBePublicElsewhere(to.hostname))) throw new RefusedLink(notPublic);
  return through;
}

const notPublic = 'its address is not public';

function redirection({ statusCode, headers }: Response): string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  const { location } = headers;
  return Array.isArray(location) ? location[0] : location;
}
