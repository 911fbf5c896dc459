// Connection pools through proxies: one for each scheme.

import { Agent, type Dispatcher, fetch } from 'undici';
import { type HttpProxy, type Proxies, proxyFor } from '../network/proxies.ts';
import { openForwardProxy } from './forward-proxy.ts';
import { openTunnels } from './proxy-tunnel.ts';

/** `fetch` that takes one of these pools. */
export const send: typeof fetch = (input, init) => fetch(input, init);

export interface ProxyPools {
  /** The pool for an address; undefined: it is reached directly. */
  find(to: URL): Dispatcher | undefined;
  close(): Promise<void>;
}

/** Opens nothing before the first address. */
export function createProxyPools(proxies: Proxies | undefined): ProxyPools {
  const pools = new Map<string, Pool>();
  return {
    find: (to) => {
      const proxy = proxyFor(to, proxies);
      if (proxy === undefined) return undefined;
      const known = pools.get(to.protocol);
      if (known !== undefined) return known.dispatcher;
      const pool = to.protocol === 'https:' ? tunnelPool(proxy) : openForwardProxy(proxy);
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
  const tunnels = openTunnels(proxy);
  const agent = new Agent({ connect: tunnels.connect });
  return {
    dispatcher: agent,
    close: async () => {
      tunnels.close();
      await agent.destroy();
    },
  };
}
