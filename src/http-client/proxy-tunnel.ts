// Connects to https URLs through a proxy: CONNECT (RFC 9110 section 9.3.6), then TLS.

import { request as secureRequest } from 'node:https';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { limits } from '../limits.ts';
import { http } from '../network/http-module.ts';
import type { HttpProxy } from '../network/proxies.ts';
import { ProxyError } from '../network/proxy-error.ts';
import { proxyHeaders } from './forward-proxy.ts';

export interface Tunnels {
  /** For an Agent: a connection of its own to each https address. */
  readonly connect: buildConnector.connector;
  /** Aborts the connections that are being made. */
  close(): void;
}

/**
 * Connections fail with a `ProxyError` before anything is sent. undici's own ProxyAgent tells the
 * status in text only, waits for minutes, and retries a proxy that hangs up without end.
 */
export function openTunnels(proxy: HttpProxy): Tunnels {
  const ending = new AbortController();
  const secure = buildConnector({});
  return {
    connect: (options, callback) => {
      const target = `${options.hostname}:${options.port || '443'}`;
      askForTunnel(proxy, target, ending.signal).then(
        (httpSocket) => secure({ ...options, httpSocket }, callback),
        (thrown) => callback(thrown, null),
      );
    },
    close: () => ending.abort(),
  };
}

function askForTunnel(proxy: HttpProxy, target: string, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const { protocol, hostname, port } = new URL(proxy.origin);
  const isSecure = protocol === 'https:';
  const asking = (isSecure ? secureRequest : http.request)({
    method: 'CONNECT',
    hostname: hostname.replace(/^\[|\]$/g, ''),
    port: port || (isSecure ? 443 : 80),
    path: target,
    headers: { host: target, ...proxyHeaders(proxy) },
    agent: false,
    signal,
  });
  const silentMs = limits.proxyConnectMsMax;
  const late = () => asking.destroy(new ProxyError(proxy, target, { silentMs }));
  const timer = setTimeout(late, silentMs);
  asking.on('connect', ({ statusCode: status = 0 }, socket: Socket, head) => {
    clearTimeout(timer);
    socket.on('error', () => undefined);
    if (status >= 200 && status <= 299) {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    } else {
      socket.destroy();
      reject(new ProxyError(proxy, target, { status }));
    }
  });
  asking.on('error', (thrown: NodeJS.ErrnoException) => {
    clearTimeout(timer);
    if (thrown instanceof ProxyError || signal.aborted) reject(thrown);
    else reject(new ProxyError(proxy, target, { reason: thrown.code ?? '' }));
  });
  asking.end();
  return promise;
}
