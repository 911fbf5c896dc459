// `fetch` for URLs of the settings: through a proxy if one is configured for them.

import { lazyStart } from '../lazy-start.ts';
import { type Proxies, proxyFor } from '../network/proxies.ts';

interface Fetched {
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly body?: URLSearchParams;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

type Fetch = (url: string, init: Fetched) => Promise<Response>;

/** Loads undici only if a proxy is used. Rejects as `fetch`, with a `ProxyError` as cause. */
export function createProxyFetch(proxies: Proxies | undefined): Fetch {
  const opened = lazyStart(async () => {
    // Not from undici: it is CommonJS, of which the bundle of the release gives no names here.
    const { createProxyPools, send } = await import('./proxy-pools.ts');
    return { send, proxied: createProxyPools(proxies) };
  });
  return async (url, init) => {
    if (proxyFor(new URL(url), proxies) === undefined) return fetch(url, init);
    const { send, proxied } = await opened.get();
    const dispatcher = proxied.find(new URL(url));
    const answer = await send(url, { ...init, ...(dispatcher && { dispatcher }) });
    const { status, headers, body } = answer;
    return new Response(bodyless.includes(status) ? null : body, { status, headers: [...headers] });
  };
}

/** Statuses whose Response may have no body. */
const bodyless = [204, 205, 304];
