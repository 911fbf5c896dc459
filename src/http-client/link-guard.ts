// Which links of a service are followed: https to public addresses, and those to our own services.

import type { Dispatcher } from 'undici';
import type { ClientOptions, Upstreams } from './client.ts';
import {
  type Agents,
  closeAgents,
  openAgents,
  RefusedLink,
  reachAllowed,
  reachPublic,
} from './link.ts';

export interface LinkGuard {
  /** The pool of connections for a link, or a RefusedLink thrown; `from`: what redirected to it. */
  choose(to: URL, from: URL | undefined): Promise<Dispatcher>;
  close(): Promise<void>;
}

/** Opens nothing before the first link. */
export function createLinkGuard({
  upstreams,
  isAllowedLink,
  proxies,
}: LinkGuardOptions): LinkGuard {
  let agents: Agents | undefined;
  return {
    choose: async (to, from) => {
      agents ??= openAgents(proxies);
      if (isAllowedLink?.(to) || (await isOwn(upstreams, to, from))) {
        return reachAllowed(to, agents);
      }
      if (to.protocol !== 'https:') throw new RefusedLink('it is not https');
      return reachPublic(to, agents);
    },
    close: async () => {
      if (agents) await closeAgents(agents);
    },
  };
}

type LinkGuardOptions = Pick<ClientOptions, 'upstreams' | 'isAllowedLink' | 'proxies'>;

/**
 * Whether a link leads to one of our own services, as the embedded platform's links do. A redirect
 * from elsewhere does not count: no other host may send us there.
 */
async function isOwn(upstreams: Upstreams, to: URL, from: URL | undefined): Promise<boolean> {
  if (from && from.origin !== to.origin) return false;
  const isAt = async (find: Upstreams['base']) => {
    const upstream = await find().catch(() => undefined);
    return upstream !== undefined && new URL(upstream.url).origin === to.origin;
  };
  if (await isAt(upstreams.base)) return true;
  // Asking for the Event Store may start one, so it is asked for only where its links look so.
  return to.protocol === 'http:' && (await isAt(upstreams.device));
}
