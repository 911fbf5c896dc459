// `fovea http` whole: people sign in, each works in a workspace of their own, and leaves.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import type { SignsIn } from '../../fixtures/authorization-server.ts';
import { formOf, openFormBrowser } from '../../fixtures/form-browser.ts';
import { listMessage, post } from '../../fixtures/mcp-http-server.ts';
import {
  addApplication,
  addPerson,
  launch,
  makeHome,
  type Running,
  signInAt,
  spawnFovea,
} from './http-process.ts';
import { startProxy } from './proxy.ts';

const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

const linked = z.object({ image: z.object({ urls: z.object({ original: z.string() }) }) });

const scope =
  'openid workspace:read project:read project:create image:read image:create folder:read';

async function connect({ mcp }: Running, token: string) {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { requestInit }));
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { isError = false, structuredContent } = await client.callTool({ name, arguments: args });
    return { isError, data: structuredContent };
  };
  return { client, call };
}

test('two people sign in, and neither sees anything of the other', async () => {
  const home = await makeHome();
  const running = await launch('http', home);
  const application = await addApplication(home);
  const people = [await addPerson(home, 'ada', 'acme'), await addPerson(home, 'bob', 'bolt')];
  const resource = running.mcp;
  const [ada, bob] = await Promise.all(
    people.map(async (person) => {
      const { accessToken } = await signInAt(running.url, application, person, { scope, resource });
      return connect(running, accessToken);
    }),
  );
  expect(await ada?.call('workspace_whoami')).toMatchObject({ data: { workspace: 'acme' } });
  expect(await bob?.call('workspace_whoami')).toMatchObject({ data: { workspace: 'bolt' } });
  const project = { name: 'Secret Plan', type: 'object-detection', annotation: 'cells' };
  expect(await ada?.call('projects_create', project)).toMatchObject({ isError: false });
  expect(JSON.stringify(await ada?.call('workspace_get'))).toContain('Secret Plan');
  expect(JSON.stringify(await bob?.call('workspace_get'))).not.toContain('Secret');
  const got = { project: 'secret-plan' };
  expect(await ada?.call('projects_get', got)).toMatchObject({ isError: false });
  expect(await bob?.call('projects_get', got)).toMatchObject({
    isError: true,
    data: { error: { code: 'not_found' } },
  });
  for (const named of [{ ...got, workspace: 'acme' }, { project: 'acme/secret-plan' }]) {
    const refused = await bob?.call('projects_get', named);
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused)).not.toContain('Secret Plan');
  }
});

test('a script of the management API is told where that is served', async () => {
  const running = await launch('http', await makeHome());
  const answer = await fetch(`${running.url}/?api_key=abc`, { method: 'POST' });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({
    error: {
      message: 'There is no operation at this path.',
      data: { hint: 'MCP is spoken at /mcp; fovea platform serves the management API.' },
    },
  });
});

test('only tokens of this resource open it, and only until they are revoked', async () => {
  const home = await makeHome();
  const running = await launch('http', home);
  const application = await addApplication(home);
  const ada = await addPerson(home, 'ada', 'acme');
  const plain = await signInAt(running.url, application, ada, { scope });
  const refused = await post(running.mcp, plain.accessToken, listMessage);
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toContain('Bearer error="invalid_token", ');
  const parameters = { scope, resource: running.mcp };
  const { accessToken } = await signInAt(running.url, application, ada, parameters);
  expect((await post(running.mcp, accessToken, listMessage)).status).toBe(200);
  const body = new URLSearchParams({ token: accessToken });
  expect((await fetch(`${running.url}/oauth/revoke`, { method: 'POST', body })).status).toBe(200);
  await expect
    .poll(async () => (await post(running.mcp, accessToken, listMessage)).status, {
      timeout: 30_000,
    })
    .toBe(401);
});

test('a host that a person disconnects is told to sign in, and signs in anew', async () => {
  const home = await makeHome();
  const running = await launch('http', home);
  const application = await addApplication(home);
  const ada = await addPerson(home, 'ada', 'acme');
  const parameters = { scope, resource: running.mcp };
  const { accessToken } = await signInAt(running.url, application, ada, parameters);
  const { call } = await connect(running, accessToken);
  expect(await call('workspace_whoami')).toMatchObject({ data: { workspace: 'acme' } });
  await disconnectAll(running.url, ada);
  const refused = await vi.waitFor(
    async () => {
      const answer = await post(running.mcp, accessToken, listMessage);
      expect(answer.status).toBe(401);
      return answer;
    },
    { timeout: 30_000, interval: 500 },
  );
  expect(refused.headers.get('www-authenticate')).toMatch(
    /^Bearer error="invalid_token", scope=".*", resource_metadata="http/,
  );
  await expect(call('workspace_whoami')).rejects.toThrow('no longer valid');
  const anew = await signInAt(running.url, application, ada, parameters);
  const again = await connect(running, anew.accessToken);
  expect(await again.call('workspace_whoami')).toMatchObject({ data: { workspace: 'acme' } });
});

/** On the page of connected applications, where one is there. */
async function disconnectAll(url: string, { name, password }: SignsIn): Promise<void> {
  const browser = openFormBrowser();
  const at = `${url}/settings/sign-in`;
  const { fields } = formOf(await browser.get(at));
  await browser.post(at, { ...fields, name, password });
  const page = await browser.get(`${url}/settings/connections`);
  const [, form = ''] = page.text.split('<div class="actions">');
  const shown = formOf({ ...page, text: form });
  const answer = await browser.post(url + shown.action, shown.fields);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('its access has')]);
}

test('it prints one line, names itself in its metadata, and ends with 0', async () => {
  const offered = { FOVEA_TOOLSETS: 'folders,versions', FOVEA_READ_ONLY: '1' };
  const running = await launch('http', await makeHome(), offered);
  const address = `${running.url}/.well-known/oauth-protected-resource/mcp`;
  const metadata: unknown = await (await fetch(address)).json();
  expect(metadata).toEqual({
    resource: running.mcp,
    authorization_servers: [running.url],
    bearer_methods_supported: ['header'],
    resource_name: 'Fovea',
    scopes_supported: ['openid', 'project:read', 'version:read', 'folder:read'],
  });
  expect(running.child.kill('SIGTERM')).toBe(true);
  expect(await running.ended).toEqual([0, null]);
  expect(await running.out).toBe(`${running.url}\n`);
  expect(await running.log).toMatch(
    /^\S+ warn http: A new, empty platform was made\. folder=\S+\n$/,
  );
});

test.each([
  {
    why: 'an address of the network without a proxy',
    argv: ['--host', '192.0.2.1'],
    environment: {},
    words: 'tokens would travel in plain text',
  },
  {
    why: 'a public address with a path',
    argv: [],
    environment: { FOVEA_PUBLIC_URL: 'https://example.com/fovea' },
    words: 'FOVEA_PUBLIC_URL',
  },
  {
    why: 'a toolset that does not exist',
    argv: [],
    environment: { FOVEA_TOOLSETS: 'projetcs' },
    words: 'did you mean "projects"?',
  },
  {
    why: 'a hosted platform without a way to it',
    argv: [],
    environment: { FOVEA_BASE_URL: 'http://127.0.0.1:9' },
    words: 'fovea application add --resource',
  },
])('it does not start with $why', async ({ argv, environment, words }) => {
  const { ended, out, log } = spawnFovea(
    ['http', '--port', '0', ...argv],
    await makeHome(),
    environment,
  );
  expect(await ended).toEqual([2, null]);
  expect(await out).toBe('');
  expect(await log).toContain(words);
});

test('on all addresses of the machine it warns of plain text', async () => {
  const argv = ['http', '--port', '0', '--host', '0.0.0.0'];
  const { child, log } = spawnFovea(argv, await makeHome());
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  expect(await log).toContain('send passwords and tokens in plain text');
});

test('behind a proxy: people sign in and call at the public address', async () => {
  const home = await makeHome();
  const proxy = await startProxy(undefined, { keepsHost: true });
  const running = await launch('http', home, { FOVEA_PUBLIC_URL: proxy.url });
  expect(running.url).not.toBe(proxy.url);
  proxy.lead(running.url);
  const resource = `${proxy.url}/mcp`;
  const ada = await addPerson(home, 'ada', 'acme');
  const parameters = { scope, resource };
  const { accessToken } = await signInAt(proxy.url, await addApplication(home), ada, parameters);
  const { call } = await connect({ ...running, mcp: resource }, accessToken);
  expect(await call('workspace_whoami')).toMatchObject({ data: { workspace: 'acme' } });
  const refused = await post(running.mcp, undefined, listMessage);
  expect(refused.headers.get('www-authenticate')).toContain(
    `resource_metadata="${proxy.url}/.well-known/oauth-protected-resource/mcp"`,
  );
});

test('behind a proxy: links to images lead to the public address, and only good ones', async () => {
  const home = await makeHome();
  const platform = await launch('platform', home, { FOVEA_API_KEY: 'k', FOVEA_WORKSPACE: 'acme' });
  const headers = { authorization: 'Bearer k' };
  const project = { name: 'Cells', type: 'object-detection', annotation: 'cells' };
  await fetch(`${platform.url}/acme/projects`, {
    method: 'POST',
    body: JSON.stringify(project),
    headers: { ...headers, 'content-type': 'application/json' },
  });
  const pixel = Buffer.from(onePixel, 'base64');
  const body = new FormData();
  body.append('file', new Blob([pixel], { type: 'image/png' }), 'pixel.png');
  const url = `${platform.url}/dataset/cells/upload`;
  const added: unknown = await (await fetch(url, { method: 'POST', body, headers })).json();
  const imageId = z.object({ id: z.string() }).parse(added).id;
  const proxy = await startProxy(undefined, { keepsHost: true });
  const environment = { FOVEA_PUBLIC_URL: proxy.url, FOVEA_WORKSPACE: 'acme' };
  const running = await launch('http', home, environment);
  proxy.lead(running.url);
  const ada = await addPerson(home, 'ada', 'acme');
  const parameters = { scope, resource: `${proxy.url}/mcp` };
  const { accessToken } = await signInAt(proxy.url, await addApplication(home), ada, parameters);
  const { call } = await connect({ ...running, mcp: `${proxy.url}/mcp` }, accessToken);
  const { data } = await call('images_get', { project: 'cells', imageId });
  const link = new URL(linked.parse(data).image.urls.original);
  expect(link.origin).toBe(proxy.url);
  const image = await fetch(link);
  expect(image.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await image.arrayBuffer())).toEqual(pixel);
  expect((await fetch(`${link.href}0`)).status).toBe(403);
  expect((await fetch(`${link.origin}/blobs/..%2fhealth${link.search}`)).status).toBe(403);
});

test('it does not start before a service that cannot tell for whom a token is', async () => {
  const other = createServer((_request, response) => response.writeHead(404).end());
  const listening = Promise.withResolvers<void>();
  other.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  onTestFinished(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { ended, log } = spawnFovea(['http', '--port', '0'], await makeHome(), {
    FOVEA_BASE_URL: `http://127.0.0.1:${port}`,
    FOVEA_API_KEY: 'a-key',
  });
  expect(await ended).toEqual([2, null]);
  expect(await log).toContain('cannot tell for which server a token is');
});

test('open streams keep no process from its end', async () => {
  const home = await makeHome();
  const running = await launch('http', home);
  const ada = await addPerson(home, 'ada', 'acme');
  const parameters = { scope, resource: running.mcp };
  const { accessToken } = await signInAt(running.url, await addApplication(home), ada, parameters);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { _meta: meta, notifications: {} };
  const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params };
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'subscriptions/listen',
  };
  const stream = await post(running.mcp, accessToken, body, headers);
  expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  running.child.kill('SIGTERM');
  expect(await running.ended).toEqual([0, null]);
  await stream.body?.cancel().catch(() => undefined);
});
