// Calls, downloads and uploads through a proxy: what arrives, what the proxy sees, how they fail.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { closedPort } from '../fixtures/scripted-http-server.ts';
import {
  clientThrough,
  type Handler,
  proxiesOf,
  startProxy,
  startSecure,
  trustCompany,
} from './proxied-service.ts';
import { addThing, apiKey, errorOf, inThing, readThing, uploadThing } from './test-operations.ts';

beforeAll(trustCompany);

const answer: Handler = (_request, response) => {
  response.setHeader('content-type', 'application/json').end('{"name":"cells"}');
};

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'fovea-proxy-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

describe('a call', () => {
  test('goes through a tunnel, and its key past the proxy', async () => {
    const keys: unknown[] = [];
    const target = await startSecure((request, response) => {
      keys.push(request.headers.authorization, request.headers['proxy-authorization']);
      answer(request, response);
    });
    const proxy = await startProxy(target, { login: 'ada:s#cret/1' });
    const client = clientThrough(proxy, {}, 'ada:s%23cret%2F1@');
    expect((await client.call(readThing, inThing)).body).toEqual({ name: 'cells' });
    for (let times = 0; times < 5; times++) await client.call(readThing, inThing);
    expect(keys).toHaveLength(12);
    expect(new Set(keys)).toEqual(new Set([`Bearer ${apiKey}`, undefined]));
    expect(new Set(proxy.seen)).toEqual(new Set(['CONNECT api.fovea.example:443']));
    expect(new Set(proxy.logins)).toEqual(new Set(['Basic YWRhOnMjY3JldC8x']));
    // Tunnels are used again.
    expect(proxy.seen.length).toBeLessThan(4);
  });

  test('reaches this machine and the hosts of NO_PROXY without it', async () => {
    const target = await startSecure(answer);
    const proxy = await startProxy(target);
    const url = `http://127.0.0.1:${proxy.port}`;
    const proxies = proxiesOf({ https_proxy: url, no_proxy: 'fovea.example' });
    const at = async (host: string) => ({
      url: `https://${host}:${target}`,
      credential: undefined,
    });
    const upstreams = { base: () => at('localhost'), device: () => at('127.0.0.1') };
    const own = clientThrough(proxy, { proxies, upstreams });
    const { readEvent } = await import('./test-operations.ts');
    expect((await own.call(readEvent, {})).body).toEqual({ name: 'cells' });
    const outside = clientThrough(proxy, { proxies });
    expect((await errorOf(outside.call(readThing, inThing))).message).toContain('ENOTFOUND');
    expect(proxy.seen).toEqual([]);
  });

  test('goes through a proxy that speaks TLS itself', async () => {
    const proxy = await startProxy(await startSecure(answer), { isSecure: true });
    const proxies = proxiesOf({ HTTPS_PROXY: `https://localhost:${proxy.port}` });
    const client = clientThrough(proxy, { proxies });
    expect((await client.call(readThing, inThing)).body).toEqual({ name: 'cells' });
    expect(proxy.seen).toEqual(['CONNECT api.fovea.example:443']);
  });

  test('of a file arrives whole', async () => {
    const sizes: number[] = [];
    const target = await startSecure(async (request, response) => {
      sizes.push((await buffer(request)).length);
      answer(request, response);
    });
    const client = clientThrough(await startProxy(target));
    const content = new Uint8Array(3_000_000);
    await client.call(uploadThing, { project: 'cells', file: { name: 'a.jpg', content } });
    expect(sizes).toHaveLength(1);
    expect(sizes[0]).toBeGreaterThan(3_000_000);
  });

  test('is repeated as without a proxy: a read after a cut, a write not', async () => {
    let asked = 0;
    const target = await startSecure((request, response) => {
      asked++;
      if (asked === 1 || request.method === 'POST') request.socket.destroy();
      else answer(request, response);
    });
    const client = clientThrough(await startProxy(target));
    expect((await client.call(readThing, inThing)).body).toEqual({ name: 'cells' });
    expect(asked).toBe(2);
    const write = client.call(addThing, { workspace: 'acme', name: 'b' });
    expect(await errorOf(write)).toMatchObject({ code: 'upstream_failed', wasSent: true });
    expect(asked).toBe(3);
  });

  test('ends with its deadline, also while a proxy says nothing', async () => {
    const stalled = await startProxy(await startSecure(() => undefined));
    const slow = clientThrough(stalled, { timeoutMs: 300 });
    expect(await errorOf(slow.call(readThing, inThing))).toMatchObject({
      code: 'timed_out',
      wasSent: true,
    });
    await stalled.allClosed();
    const silent = await startProxy(0, { behaviour: 'silent' });
    const client = clientThrough(silent, { timeoutMs: 300 });
    const write = client.call(addThing, { workspace: 'acme', name: 'b' });
    expect(await errorOf(write)).toMatchObject({ code: 'unreachable', wasSent: false });
    expect(silent.seen).toEqual(['CONNECT api.fovea.example:443']);
    await client.close();
    await silent.allClosed();
  });

  test('that is given up closes the tunnel', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const proxy = await startProxy(await startSecure(() => resolve()));
    const cancel = new AbortController();
    const call = clientThrough(proxy).call(readThing, inThing, { signal: cancel.signal });
    await arrived;
    cancel.abort();
    expect(await errorOf(call)).toMatchObject({ code: 'cancelled' });
    await proxy.allClosed();
  });
});

describe('a proxy that fails', () => {
  test.each([
    [407, '', 'asks for a user name and a password: it answered 407', 'never', 1] as const,
    [
      ...([407, 'ada:wrong-secret@'] as const),
      ...(['refused the user name and password: it answered 407', 'never', 1] as const),
    ] as const,
    [
      403,
      '',
      'did not let the connection to api.fovea.example:443 through: it answered 403',
      'never',
      1,
    ],
    [502, '', 'could not reach api.fovea.example:443: it answered 502', 'safe', 4],
    [504, '', 'could not reach api.fovea.example:443: it answered 504', 'safe', 4],
  ] as const)(
    'with %i %s is named, with its setting',
    async (status, login, said, retry, times) => {
      const options = status === 407 ? { login: 'ada:right' } : { status };
      const proxy = await startProxy(0, options);
      const call = clientThrough(proxy, {}, login).call(addThing, { workspace: 'acme', name: 'b' });
      const error = await errorOf(call);
      expect(error).toMatchObject({ code: 'unreachable', wasSent: false, retry });
      expect(error.message).toBe(
        `things_create was not sent: the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY) ${said}.`,
      );
      expect(error.hint).toMatch(/HTTPS_PROXY|NO_PROXY/);
      expect(proxy.seen).toHaveLength(times);
      const all = inspect(error, { depth: 20, showHidden: true });
      expect(all).not.toMatch(/wrong-secret|YWRh|words of others/);
    },
  );

  test.each(['hangs up', 'is not there'] as const)(
    'because it %s is not asked for ever',
    async (how) => {
      const proxy = await startProxy(0, { behaviour: 'hangs up' });
      const port = how === 'hangs up' ? proxy.port : await closedPort();
      const proxies = proxiesOf({ https_proxy: `127.0.0.1:${port}` });
      let taken = 0;
      const count = async (): Promise<void> => {
        await proxy.connected();
        taken++;
        return count();
      };
      void count();
      const error = await errorOf(clientThrough(proxy, { proxies }).call(readThing, inThing));
      const code = how === 'hangs up' ? 'ECONNRESET' : 'ECONNREFUSED';
      expect(error.message).toBe(
        `things_get was not sent: the proxy 127.0.0.1:${port} (https_proxy) could not be reached (${code}).`,
      );
      expect(error).toMatchObject({ code: 'unreachable', retry: 'safe' });
      expect(taken).toBe(how === 'hangs up' ? 4 : 0);
    },
  );
});

describe('links of others', () => {
  test('are downloaded and uploaded to through the proxy, without a credential', async () => {
    const seen: unknown[] = [];
    const target = await startSecure(async (request, response) => {
      const body = await buffer(request);
      seen.push(request.method, request.headers.authorization, body.toString());
      response.end(request.method === 'GET' ? 'zip bytes' : '');
    });
    const proxy = await startProxy(target);
    const client = clientThrough(proxy);
    const path = join(await folder(), 'export.zip');
    const link = 'https://files.fovea.example/export.zip?signature=1';
    expect(await client.download(link, path)).toMatchObject({ bytes: 9 });
    expect(await readFile(path, 'utf8')).toBe('zip bytes');
    const pieces = async function* () {
      yield Buffer.from('one');
      yield Buffer.from('three');
    };
    const type = { contentType: 'application/zip' };
    await client.upload(link, { bytes: 8, open: pieces }, type);
    expect(seen).toEqual(['GET', undefined, '', 'PUT', undefined, 'onethree']);
    expect(proxy.seen).toEqual([
      'CONNECT files.fovea.example:443',
      'CONNECT files.fovea.example:443',
    ]);
  });

  test.each([
    'https://169.254.169.254/latest',
    'https://10.0.0.7/a.zip',
    'https://[fd00::1]/a.zip',
    'https://2130706433/a.zip',
    'https://intranet/a.zip',
    'https://wiki.corp/a.zip',
    'https://wiki.internal./a.zip',
    'https://metadata.google.internal/a.zip',
    'https://printer.local/a.zip',
  ])('%s is not asked of a proxy', async (link) => {
    const proxy = await startProxy(0);
    const call = clientThrough(proxy).download(link, join(await folder(), 'a.zip'));
    expect(await errorOf(call)).toMatchObject({
      code: 'invalid_input',
      message: 'link: cannot be fetched: its address is not public',
    });
    expect(proxy.seen).toEqual([]);
  });

  test('say which proxy kept them back', async () => {
    const proxy = await startProxy(0, { status: 403 });
    const client = clientThrough(proxy);
    const link = 'https://files.fovea.example/a.zip';
    const through = `the proxy 127.0.0.1:${proxy.port} (HTTPS_PROXY) did not let the connection to files.fovea.example:443 through: it answered 403.`;
    const down = client.download(link, join(await folder(), 'a.zip'));
    expect(await errorOf(down)).toMatchObject({
      code: 'unreachable',
      retry: 'never',
      message: `The download failed: ${through}`,
    });
    const empty = { bytes: 0, open: async function* () {} };
    const up = client.upload(link, empty, { contentType: 'application/zip' });
    expect(await errorOf(up)).toMatchObject({
      code: 'unreachable',
      retry: 'never',
      message: `The upload failed: ${through}`,
    });
  });

  test('that are given up while a proxy says nothing end at once', async () => {
    const proxy = await startProxy(0, { behaviour: 'silent' });
    const client = clientThrough(proxy);
    const cancel = new AbortController();
    const path = join(await folder(), 'a.zip');
    const { signal } = cancel;
    const call = client.download('https://files.fovea.example/a.zip', path, { signal });
    await proxy.connected();
    cancel.abort();
    expect(await errorOf(call)).toMatchObject({ code: 'cancelled' });
    await client.close();
    await proxy.allClosed();
  });
});
