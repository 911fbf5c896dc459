// What the tests of proxies share: a service behind TLS that only a proxy can find.

import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished } from 'vitest';
import { readSettings } from '../../src/config.ts';
import type { Client, ClientOptions } from '../../src/http-client/client.ts';
import type { Proxies } from '../../src/network/proxies.ts';
import {
  type ForwardProxy,
  type ForwardProxyOptions,
  startForwardProxy,
} from '../fixtures/forward-proxy.ts';
import { companyCertificate, companyKey } from '../fixtures/proxy-certificate.ts';
import { clientOf } from './test-operations.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** In this process as NODE_EXTRA_CA_CERTS does it at the start of one. */
export function trustCompany(): void {
  setDefaultCACertificates([...getCACertificates(), companyCertificate]);
}

/** An https service on a port of this machine. */
export async function startSecure(handler: Handler): Promise<number> {
  const server = createServer({ key: companyKey, cert: companyCertificate }, handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

export async function startProxy(
  target: number,
  options: ForwardProxyOptions = {},
): Promise<ForwardProxy> {
  const proxy = await startForwardProxy(target, options);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** As the settings give them. */
export function proxiesOf(variables: Record<string, string>): Proxies | undefined {
  return readSettings(variables).proxies;
}

/** Where the service is, for whoever asks the proxy. */
export const serviceUrl = 'https://api.fovea.example';

/** A client of the service, through that proxy. */
export function clientThrough(
  { port }: ForwardProxy,
  options: Partial<ClientOptions> = {},
  login = '',
): Client {
  const proxies = proxiesOf({ HTTPS_PROXY: `http://${login}127.0.0.1:${port}` });
  const client = clientOf(serviceUrl, { proxies, ...options });
  onTestFinished(() => client.close());
  return client;
}
