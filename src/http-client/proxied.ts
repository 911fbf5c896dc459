// The pools of connections that lead through proxies: one for each proxy and scheme.

import { Agent, type Dispatcher } from 'undici';
import { type HttpProxy, type Proxies, proxyFor } from '../boundary/proxies.ts';
import { forwardThrough } from './forward.ts';
import { tunnelsThrough } from './tunnel.ts';

export interface Proxied {
  /** The pool for an address; undefined: it is reached directly. */
  find(to: URL): Dispatcher | undefined;
  close(): Promise<void>;
}

/** Opens nothing before the first address. */
export function createProxied(proxies: Proxies | undefined): Proxied {
  const pools = new Map<string, Pool>();
  return {
    find: (to) => {
      const proxy = proxyFor(to, proxies);
      if (proxy === undefined) return undefined;
      const known = pools.get(to.protocol);
      if (known !== undefined) return known.dispatcher;
      const pool = to.protocol === 'https:' ? tunnelPool(proxy) : forwardThrough(proxy);
      pools.set(to.protocol, pool);
      return pool.dispatcher;
    },
    close: async () => {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      pools.clear();
    },
  };
}

interface Pool {
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

function tunnelPool(proxy: HttpProxy): Pool {
  const tunnels = tunnelsThrough(proxy);
  const agent = new Agent({ connect: tunnels.connect });
  return {
    dispatcher: agent,
    close: async () => {
      tunnels.close();
      await agent.destroy();
    },
  };
}
