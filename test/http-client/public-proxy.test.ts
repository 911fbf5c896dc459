// Images and videos that a user points at, through a proxy: plain http too, and nowhere private.

import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { downloadPublic, fetchPublic } from '../../src/http-client/public-fetch.ts';
import { closedPort } from '../fixtures/scripted-http-server.ts';
import {
  type Handler,
  proxiesOf,
  startProxy,
  startSecure,
  trustCompany,
} from './proxied-service.ts';
import { errorOf } from './test-operations.ts';

beforeAll(trustCompany);

/** An http service on a port of this machine. */
async function startPlain(handler: Handler): Promise<number> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function fetching(url: string, variables: Record<string, string>) {
  const { signal } = new AbortController();
  const proxies = proxiesOf(variables);
  return fetchPublic(url, { bytesMax: 1_000, signal, timeoutMs: 3_000, proxies });
}

test('plain http is carried on by the proxy, without CONNECT', async () => {
  const seen: unknown[] = [];
  const target = await startPlain(({ url, headers }, response) => {
    seen.push(url, headers.host, headers['proxy-authorization']);
    response.end('image');
  });
  const proxy = await startProxy(target, { login: 'ada:pass' });
  const variables = { http_proxy: `http://ada:pass@127.0.0.1:${proxy.port}` };
  const { bytes } = await fetching('http://pictures.fovea.example:8080/a.png?size=1', variables);
  expect(Buffer.from(bytes).toString()).toBe('image');
  expect(proxy.seen).toEqual(['GET http://pictures.fovea.example:8080/a.png?size=1']);
  expect(seen).toEqual(['/a.png?size=1', 'pictures.fovea.example:8080', undefined]);
});

test('plain http through a proxy that speaks TLS', async () => {
  const target = await startPlain((_request, response) => response.end('image'));
  const proxy = await startProxy(target, { isSecure: true });
  const variables = { HTTP_PROXY: `https://127.0.0.1:${proxy.port}` };
  const { bytes } = await fetching('http://pictures.example/a.png', variables);
  expect(Buffer.from(bytes).toString()).toBe('image');
});

test('a video over https comes through a tunnel', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const proxy = await startProxy(
    await startSecure((_request, response) => response.end('a video')),
  );
  const proxies = proxiesOf({ HTTPS_PROXY: `127.0.0.1:${proxy.port}` });
  const path = join(folder, 'a.mp4');
  const { signal } = new AbortController();
  const options = { bytesMax: 1_000, signal, idleMs: 3_000, proxies };
  await downloadPublic('https://films.fovea.example/a.mp4', path, options);
  expect(await readFile(path, 'utf8')).toBe('a video');
  expect(proxy.seen).toEqual(['CONNECT films.fovea.example:443']);
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'http://192.168.1.1/',
  'http://[::ffff:10.0.0.1]/a.png',
  'http://intranet/a.png',
  'http://nas.lan/a.png',
  'http://localhost/a.png',
  'http://a.localhost/a.png',
])('%s is not asked of a proxy, nor by a redirect', async (url) => {
  const target = await startPlain((_request, response) =>
    response.writeHead(302, { location: url }).end(),
  );
  const proxy = await startProxy(target);
  const variables = { http_proxy: `http://127.0.0.1:${proxy.port}` };
  for (const from of [url, 'http://pictures.fovea.example/a.png']) {
    const error = await errorOf(fetching(from, variables));
    expect(error.message).toBe('image: could not fetch image URL: its address is not public');
  }
  expect(proxy.seen).toEqual(['GET http://pictures.fovea.example/a.png']);
});

test('what NO_PROXY names is still guarded', async () => {
  const proxy = await startProxy(0);
  const variables = { http_proxy: `http://127.0.0.1:${proxy.port}`, no_proxy: '*' };
  const error = await errorOf(fetching('http://10.0.0.7/a.png', variables));
  expect(error.message).toBe('image: could not fetch image URL: its address is not public');
  expect(proxy.seen).toEqual([]);
});

test('a proxy that refuses, or is not there, is named', async () => {
  const proxy = await startProxy(0, { login: 'ada:pass' });
  const at = (port: number) => ({ http_proxy: `http://ada:wrong@127.0.0.1:${port}` });
  const url = 'http://pictures.fovea.example/a.png';
  const refused = await errorOf(fetching(url, at(proxy.port)));
  expect(refused).toMatchObject({
    code: 'upstream_failed',
    message: `could not fetch image URL: the proxy 127.0.0.1:${proxy.port} (http_proxy) refused the user name and password: it answered 407`,
  });
  const port = await closedPort();
  expect((await errorOf(fetching(url, at(port)))).message).toBe(
    `could not fetch image URL: the proxy 127.0.0.1:${port} (http_proxy) could not be reached (ECONNREFUSED)`,
  );
});
