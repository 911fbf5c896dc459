// Which links of a service are followed: https to public addresses, and those to our own services.

import type { Agent } from 'undici';
import type { ClientOptions, Upstreams } from './client.ts';
import { type Agents, closeAgents, openAgents, RefusedLink, requirePublic } from './link.ts';

export interface LinkGuard {
  /** The pool of connections for a link, or a RefusedLink thrown; `from`: what redirected to it. */
  choose(to: URL, from: URL | undefined): Promise<Agent>;
  close(): Promise<void>;
}

/** Opens nothing before the first link. */
export function createLinkGuard({ upstreams, isAllowedLink }: LinkGuardOptions): LinkGuard {
  let agents: Agents | undefined;
  return {
    choose: async (to, from) => {
      agents ??= openAgents();
      const { plain, guarded } = agents;
      if (isAllowedLink?.(to) || (await isOwn(upstreams, to, from))) return plain;
      if (to.protocol !== 'https:') throw new RefusedLink('it is not https');
      requirePublic(to);
      return guarded;
    },
    close: async () => {
      if (agents) await closeAgents(agents);
    },
  };
}

type LinkGuardOptions = Pick<ClientOptions, 'upstreams' | 'isAllowedLink'>;

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
