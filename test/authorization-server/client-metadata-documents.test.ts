// Clients that a document describes: where it may lie, what it may say, and what it is worth.

import { once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  authorizationUrl,
  refresh,
  signIn,
  startTestAuthorizationServer,
  type TestApplication,
  validate,
} from '../fixtures/authorization-server.ts';
import { openFormBrowser } from '../fixtures/form-browser.ts';
import { localhostCertificate, localhostKey } from '../fixtures/localhost-certificate.ts';

const trusted = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...trusted, localhostCertificate]));
afterAll(() => setDefaultCACertificates(trusted));

interface Host {
  /** `localhost:PORT`. */
  readonly host: string;
  /** The address of its document. */
  readonly id: string;
  readonly requests: string[];
}

/** A host whose every path has the same answer; the document's own id fits unless it is given. */
async function startHost(
  document: Readonly<Record<string, unknown>> | string,
  answer: { readonly status?: number; readonly location?: string } = {},
): Promise<Host> {
  const requests: string[] = [];
  const server = createServer({ key: localhostKey, cert: localhostCertificate });
  const port = await listen(server);
  const host = `localhost:${port}`;
  const id = `https://${host}/client.json`;
  server.on('request', (request, response) => {
    requests.push(request.url ?? '');
    const { status = 200, location } = answer;
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(location !== undefined && { location }),
    });
    response.end(
      typeof document === 'string' ? document : JSON.stringify({ client_id: id, ...document }),
    );
  });
  return { host, id, requests };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return portOf(server.address());
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address ? address.port : 0;
}

async function start(...allowed: readonly string[]) {
  const isAllowedHost = (host: string) => allowed.includes(host);
  const service = await startTestAuthorizationServer({ isAllowedHost });
  onTestFinished(service.close);
  return service;
}

const described = {
  client_name: 'An MCP client',
  redirect_uris: ['http://127.0.0.1:33418/callback'],
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
} as const;

function clientOf(id: string): TestApplication {
  return { id, secret: undefined, auth: 'none', redirectUri: described.redirect_uris[0] };
}

test('a client that a document describes signs in, for 24 hours, and refreshes', async () => {
  const host = await startHost(described);
  const service = await start(host.host);
  const client = clientOf(host.id);
  const { answer, accessToken, refreshToken } = await signIn(service, client, {
    scope: 'openid image:read',
  });
  expect(answer.body).toMatchObject({ expires_in: 86_400, scope: 'openid image:read' });
  expect((await validate(service, accessToken)).body.active).toBe(true);
  expect((await refresh(service, client, refreshToken)).status).toBe(200);
  expect(new Set(host.requests)).toEqual(new Set(['/client.json']));
});

test('the page says where the document lies, and that only this is certain', async () => {
  const host = await startHost(described);
  const service = await start(host.host);
  const browser = openFormBrowser();
  const { url } = authorizationUrl(service, clientOf(host.id));
  const { next } = await browser.get(url);
  const page = await browser.get(next ?? '');
  expect(page.text).toContain('An MCP client');
});

test.each([
  ['names another id', { client_id: 'https://localhost/other.json' }],
  ['has a secret', { client_secret: 'x' }],
  ['wants a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
  ['sends codes to a public host over http', { redirect_uris: ['http://a.example/callback'] }],
  ['sends codes to script', { redirect_uris: ['javascript:alert(1)'] }],
  ['sends codes to a program by its own scheme', { redirect_uris: ['com.example:/callback'] }],
  ['has a fragment in its address', { redirect_uris: ['https://a.example/#x'] }],
  ['has no redirect URI', { redirect_uris: [] }],
  ['wants tokens at once', { response_types: ['token'], grant_types: ['implicit'] }],
])('a document that %s is refused', async (_what, wrong) => {
  const host = await startHost({ ...described, ...wrong });
  const service = await start(host.host);
  const [redirectUri = described.redirect_uris[0]] =
    'redirect_uris' in wrong ? wrong.redirect_uris : [];
  const client = { ...clientOf(host.id), redirectUri };
  const page = await openFormBrowser().get(authorizationUrl(service, client).url);
  expect(page.status).toBe(400);
  expect(page.next).toBeUndefined();
});

test('a document cannot give itself what registration gives: exchange, or a longer life', async () => {
  const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
  const host = await startHost({
    ...described,
    grant_types: [...described.grant_types, exchange],
    fovea_mcp: true,
    resource: 'https://mcp.example/mcp',
  });
  const service = await start(host.host);
  const client = clientOf(host.id);
  const { accessToken } = await signIn(service, client);
  const response = await fetch(`${service.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: exchange,
      client_id: host.id,
      subject_token: accessToken,
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    }),
  });
  expect(response.status).toBe(400);
});

test.each([
  ['is no JSON', 'not json', {}],
  ['is a list', '[]', {}],
  ['is not there', '{}', { status: 404 }],
  ['is above 5 KiB', `{"client_name":"${'x'.repeat(6_000)}"}`, {}],
])('a document that %s is refused', async (_what, document, answer) => {
  const host = await startHost(document, answer);
  const service = await start(host.host);
  const page = await openFormBrowser().get(authorizationUrl(service, clientOf(host.id)).url);
  expect(page.status).toBe(400);
  expect(page.next).toBeUndefined();
});

test('no redirect of a document is followed', async () => {
  const inner = await startHost(described);
  const outer = await startHost('{}', { status: 302, location: inner.id });
  const service = await start(outer.host, inner.host);
  const page = await openFormBrowser().get(authorizationUrl(service, clientOf(outer.id)).url);
  expect(page.status).toBe(400);
  expect(new Set(outer.requests)).toEqual(new Set(['/client.json']));
  expect(inner.requests).toEqual([]);
});

test('no address that is not public is asked, by whatever name', async () => {
  const host = await startHost(described);
  const { port } = new URL(host.id);
  const plain = createPlainServer((request, response) => {
    host.requests.push(`plain ${request.url}`);
    response.end();
  });
  plain.listen(0, '127.0.0.1');
  await once(plain, 'listening');
  onTestFinished(() => {
    plain.close();
  });
  const service = await start();
  for (const id of [
    host.id,
    `https://127.0.0.1:${port}/client.json`,
    `https://2130706433:${port}/client.json`,
    `https://0x7f.1:${port}/client.json`,
    `https://[::1]:${port}/client.json`,
    `https://[::ffff:127.0.0.1]:${port}/client.json`,
    `https://0.0.0.0:${port}/client.json`,
    `https://169.254.169.254/latest/meta-data`,
    `https://10.0.0.1/client.json`,
    `https://localhost.:${port}/client.json`,
    `http://127.0.0.1:${portOf(plain.address())}/client.json`,
    `https://user@localhost:${port}/client.json`,
    `https://localhost:${port}/a/../client.json`,
    `https://localhost:${port}/client.json#x`,
  ]) {
    const page = await openFormBrowser().get(authorizationUrl(service, clientOf(id)).url);
    expect(page.status, id).toBe(400);
    expect(page.next).toBeUndefined();
  }
  expect(host.requests).toEqual([]);
});
