// Fetches an address that was not chosen by us: redirects by hand, public addresses only.

import { Agent, type Dispatcher, request } from 'undici';
import { untilAborted } from '../abort.ts';
import {
  isPublicHostname,
  mayBePublicElsewhere,
  NotPublicError,
  publicLookup,
} from '../boundary/addresses.ts';
import type { Proxies } from '../boundary/proxies.ts';
import { limits } from '../limits.ts';
import { createProxied, type Proxied } from './proxied.ts';
import { commonHeaders } from './request.ts';

export type Response = Dispatcher.ResponseData;

/** Why an address is not fetched. */
export class RefusedLink extends Error {
  override readonly name = 'RefusedLink';
}

/** The agent for a hop, or a RefusedLink thrown. `from`: where a redirect comes from. */
export type ChooseAgent = (to: URL, from: URL | undefined) => Dispatcher | Promise<Dispatcher>;

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** The longest silence of the host, in milliseconds. */
  readonly idleMs: number;
}

/**
 * Fetches a link and whatever it redirects to, at most `limits.redirectsMax` times. Throws a
 * RefusedLink for an address that may not be fetched; errors of the connection are thrown as they
 * come. The body of the response is for the caller to read or to destroy.
 */
export async function fetchLink(
  link: URL,
  choose: ChooseAgent,
  { signal, idleMs }: FetchOptions,
): Promise<Response> {
  let from: URL | undefined;
  let to = link;
  for (let hop = 0; hop <= limits.redirectsMax; hop++) {
    const asking = request(to, {
      dispatcher: await choose(to, from),
      signal,
      headers: { ...commonHeaders, accept: '*/*' },
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    });
    // By itself, a request that waits for a connection would not end before that is there.
    const response = await untilAborted(asking, signal);
    const location = redirection(response);
    if (location === undefined) return response;
    discard(response);
    from = to;
    to = parsedLink(location, to);
  }
  throw new RefusedLink(`it redirects more than ${limits.redirectsMax} times`);
}

/** A link as a URL. Throws a RefusedLink for one that is none, or that carries a password. */
export function parsedLink(link: string, base?: URL): URL {
  const url = URL.parse(link, base?.href);
  if (!url) throw new RefusedLink('it is not a URL');
  if (url.username || url.password) throw new RefusedLink('it contains a user name');
  return url;
}

/** Refuses what cannot be public, as far as the address itself tells it. */
export function requirePublic({ hostname }: URL): void {
  if (!isPublicHostname(hostname)) throw new RefusedLink(notPublic);
}

/** What a connection that the guard of an agent refused was refused for, if it was that. */
export function asRefused(error: unknown): RefusedLink | undefined {
  if (error instanceof RefusedLink) return error;
  return error instanceof NotPublicError ? new RefusedLink(notPublic) : undefined;
}

/** Closes the socket of a response whose body nobody wants. */
export function discard({ body }: Response): void {
  body.on('error', () => undefined).destroy();
}

/** One pool of connections for hosts that are allowed, one that reaches public addresses only. */
export interface Agents {
  readonly plain: Agent;
  readonly guarded: Agent;
  readonly proxied: Proxied;
}

export function openAgents(proxies?: Proxies | undefined): Agents {
  return {
    plain: new Agent(),
    guarded: new Agent({ connect: { lookup: publicLookup } }),
    proxied: createProxied(proxies),
  };
}

export async function closeAgents({ plain, guarded, proxied }: Agents): Promise<void> {
  await Promise.all([plain.destroy(), guarded.destroy(), proxied.close()]);
}

/** The pool for an address that need not be public. */
export function reachAllowed(to: URL, { plain, proxied }: Agents): Dispatcher {
  return proxied.find(to) ?? plain;
}

/**
 * The pool for an address that must be public, or a RefusedLink thrown. A proxy looks names up by
 * itself: what is private as seen from here is not asked for (decisions/proxy.md).
 */
export async function reachPublic(to: URL, { guarded, proxied }: Agents): Promise<Dispatcher> {
  requirePublic(to);
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
