// Fetches an address that was not chosen by us: redirects by hand, public addresses only.

import { Agent, type Dispatcher, request } from 'undici';
import { isPublicHostname, NotPublicError, publicLookup } from '../boundary/addresses.ts';
import { limits } from '../limits.ts';
import { commonHeaders } from './request.ts';

export type Response = Dispatcher.ResponseData;

/** Why an address is not fetched. */
export class RefusedLink extends Error {
  override readonly name = 'RefusedLink';
}

/** The agent for a hop, or a RefusedLink thrown. `from`: where a redirect comes from. */
export type ChooseAgent = (to: URL, from: URL | undefined) => Agent | Promise<Agent>;

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
    const response = await request(to, {
      dispatcher: await choose(to, from),
      signal,
      headers: { ...commonHeaders, accept: '*/*' },
      headersTimeout: idleMs,
      bodyTimeout: idleMs,
    });
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
}

export function openAgents(): Agents {
  return { plain: new Agent(), guarded: new Agent({ connect: { lookup: publicLookup } }) };
}

export async function closeAgents({ plain, guarded }: Agents): Promise<void> {
  await Promise.all([plain.destroy(), guarded.destroy()]);
}

const notPublic = 'its address is not public';

function redirection({ statusCode, headers }: Response): string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  const { location } = headers;
  return Array.isArray(location) ? location[0] : location;
}
