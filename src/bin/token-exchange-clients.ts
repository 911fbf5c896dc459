// Clients of the platform for callers of `fovea http`, each with an exchanged token: the caller's
// own token is not passed on (MCP authorization, token passthrough).

import type { Clock } from '../clock.ts';
import { FoveaError } from '../errors.ts';
import type { Client, Upstream } from '../http-client/client.ts';
import { createClient } from '../http-client/create-client.ts';
import { limits } from '../limits.ts';
import type { Caller } from '../mcp/http/authorization.ts';
import type { Proxies } from '../network/proxies.ts';
import type { Secret } from '../secret.ts';
import type { ExchangedToken } from '../sign-in/verify-and-exchange-tokens.ts';

export interface ExchangeOptions {
  /** The platform. */
  readonly url: string;
  /** Token exchange (RFC 8693). */
  readonly exchange: (presented: Secret, signal: AbortSignal) => Promise<ExchangedToken>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly proxies?: Proxies | undefined;
}

export interface CallerClients {
  clientOf(caller: Caller): Promise<Client>;
  close(): Promise<void>;
}

/** A client for each presented token, kept until the token ends: callers never share a client. */
export function exchangingClients(options: ExchangeOptions): CallerClients {
  const { clock, timeoutMs, proxies } = options;
  const entries = new Map<string, { readonly client: Client; readonly endsAt: number }>();
  return {
    clientOf: async ({ presented, token }) => {
      const name = presented.hash();
      const known = entries.get(name);
      if (known) return known.client;
      makeRoom(entries, clock);
      const base = exchangingUpstream(presented, options);
      const upstreams = { base, device: notOffered, local: notOffered };
      const client = createClient({ upstreams, clock, timeoutMs, proxies });
      entries.set(name, { client, endsAt: token.expiresAt });
      return client;
    },
    close: async () => {
      await Promise.all([...entries.values()].map(({ client }) => client.close()));
    },
  };
}

/** A dropped client may still be in use; its idle sockets close by themselves. */
function makeRoom(entries: Map<string, { readonly endsAt: number }>, clock: Clock): void {
  if (entries.size < limits.tokenCacheEntriesMax) return;
  const [oldest = ''] = entries.keys();
  entries.delete(oldest);
  for (const [name, { endsAt }] of entries) if (endsAt <= clock.now()) entries.delete(name);
}

/** The platform with an exchanged token; a new one shortly before it ends, or after a 401. */
export function exchangingUpstream(
  presented: Secret,
  { url, exchange, clock }: ExchangeOptions,
): () => Promise<Upstream> {
  let known: ExchangedToken | undefined;
  let running: Promise<ExchangedToken> | undefined;
  // One exchange for all waiting calls.
  const ask = (): Promise<ExchangedToken> => {
    running ??= exchange(presented, AbortSignal.timeout(limits.oauthRequestMsMax))
      .then((token) => {
        known = token;
        return token;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const isFresh = ({ expiresAt }: ExchangedToken) =>
    expiresAt === undefined || expiresAt - limits.exchangeBeforeMs > clock.now();
  return async () => {
    const { accessToken } = known && isFresh(known) ? known : await ask();
    return {
      url,
      credential: accessToken,
      isAccessToken: true,
      refusedHint: 'The host has to sign in again: the platform refuses the token of its user.',
      renew: async (refused) => {
        const isOther = known && !known.accessToken.equals(refused);
        return (known && isOther ? known : await ask()).accessToken;
      },
    };
  };
}

/** For services without users, which are not offered over HTTP. */
export async function notOffered(): Promise<never> {
  throw new FoveaError('not_implemented', 'This service is not reached over HTTP.');
}
