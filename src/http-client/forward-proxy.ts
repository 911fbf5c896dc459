// Forwards requests to http URLs through a proxy (absolute-form, RFC 9112 section 3.2.2).

import { Agent, buildConnector, type Dispatcher } from 'undici';
import type { HttpProxy } from '../network/proxies.ts';
import { ProxyError } from '../network/proxy-error.ts';

/** The credential for the proxy. */
export function proxyHeaders({ authorization }: HttpProxy): Record<string, string> {
  return authorization === undefined ? {} : { 'proxy-authorization': authorization.reveal() };
}

/** No CONNECT: usual proxies allow it for port 443 alone. Fails with a `ProxyError`. */
export function openForwardProxy(proxy: HttpProxy): {
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
} {
  const connect = buildConnector({});
  // The name in the certificate is that of the proxy, whatever host the request is for.
  const agent = new Agent({
    connect: (options, callback) => connect({ ...options, servername: '' }, callback),
  });
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    const { host, origin } = new URL(String(options.origin));
    const headers = { ...single(options.headers), host, ...proxyHeaders(proxy) };
    const forwarded = { ...options, origin: proxy.origin, path: origin + options.path, headers };
    return dispatch(forwarded, new Forwarding(handler, proxy, host));
  });
  return { dispatcher, close: () => agent.destroy() };
}

/** Headers as our own requests have them. */
function single(headers: Dispatcher.DispatchOptions['headers']) {
  if (!headers) return {};
  if (Symbol.iterator in headers) throw new TypeError('The headers must be members.');
  return headers;
}

/** Tells failures of the proxy from failures of the service. */
class Forwarding implements Dispatcher.DispatchHandler {
  readonly #inner: Dispatcher.DispatchHandler;
  readonly #proxy: HttpProxy;
  readonly #target: string;
  #isConnected = false;

  constructor(inner: Dispatcher.DispatchHandler, proxy: HttpProxy, target: string) {
    this.#inner = inner;
    this.#proxy = proxy;
    this.#target = target;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#isConnected = true;
    this.#inner.onRequestStart?.(controller, context);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    ...[status, headers, words]: [number, Headers, string?]
  ): void {
    if (status !== 407) this.#inner.onResponseStart?.(controller, status, headers, words);
    else controller.abort(new ProxyError(this.#proxy, this.#target, { status }));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#inner.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: Headers): void {
    this.#inner.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, thrown: Error): void {
    const isOfProxy = !this.#isConnected && !(thrown instanceof ProxyError);
    const reason = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
    const error = isOfProxy ? new ProxyError(this.#proxy, this.#target, { reason }) : thrown;
    this.#inner.onResponseError?.(controller, error);
  }
}

type Headers = Dispatcher.ResponseData['headers'];
