// Which links of a service are followed: https to public addresses, and links to our own services.

import type { Dispatcher } from 'undici';
import type { ClientOptions, Upstreams } from './client.ts';
import {
  type Agents,
  agentForAllowed,
  agentForPublic,
  closeAgents,
  openAgents,
  RefusedLink,
} from './fetch-link.ts';

export interface LinkPolicy {
  /** The connection pool for a link. Throws RefusedLink. `from`: the URL that redirected to it. */
  agentFor(to: URL, from: URL | undefined): Promise<Dispatcher>;
  /** The pool for an address that the settings name. */
  agentForNamed(to: URL): Dispatcher;
  close(): Promise<void>;
}

/** Opens nothing before the first link. */
export function createLinkPolicy({
  upstreams,
  isAllowedLink,
  proxies,
}: LinkPolicyOptions): LinkPolicy {
  let agents: Agents | undefined;
  return {
    agentFor: async (to, from) => {
      agents ??= openAgents(proxies);
      if (isAllowedLink?.(to) || (await isOwn(upstreams, to, from))) {
        return agentForAllowed(to, agents);
      }
      if (to.protocol !== 'https:') throw new RefusedLink('it is not https');
      return agentForPublic(to, agents);
    },
    agentForNamed: (to) => {
      agents ??= openAgents(proxies);
      return agentForAllowed(to, agents);
    },
    close: async () => {
      if (agents) await closeAgents(agents);
    },
  };
}

type LinkPolicyOptions = Pick<ClientOptions, 'upstreams' | 'isAllowedLink' | 'proxies'>;

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
