// The callback on 127.0.0.1: what it takes, what it refuses, and what its pages may do.

import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { callbackOf, honestAnswer, lyingServer } from './lying-server.ts';
import { flowFor, soon, startOf, visit } from './test-sign-in-flow.ts';

async function waiting() {
  const server = await lyingServer();
  const fixture = flowFor(server);
  const asked = await startOf(fixture.flow);
  server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
  const honest = callbackOf(asked, honestAnswer(server, asked));
  return { server, ...fixture, asked, honest };
}

/** A request as it is, the Host header and the target included. */
async function raw(port: string, lines: readonly string[]): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.end(`${lines.join('\r\n')}\r\n\r\n`);
  return text(socket);
}

test('nothing listens, nobody is asked and nothing opens before start', async () => {
  const server = await lyingServer();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const redirectPort = typeof address === 'object' && address !== null ? address.port : 0;
  const { flow, opened } = flowFor(server, { redirectPort });
  expect((await flow.status()).status).toBe('signed_out');
  expect(server.received).toEqual([]);
  await expect(flow.start()).rejects.toMatchObject({
    code: 'conflict',
    message: `Port ${redirectPort} of this machine cannot be used (EADDRINUSE).`,
    hint: expect.stringMatching(/FOVEA_REDIRECT_PORT.*fovea sign-in --paste/),
  });
  expect(opened).toEqual([]);
  expect((await flow.status()).status).toBe('signed_out');
});

test.each([
  ['a foreign name', ['Host: evil.example']],
  ['a name that is rebound to this machine', ['Host: 127.0.0.1.evil.example']],
  ['another port', ['Host: 127.0.0.1:1']],
  ['two of them', ['Host: 127.0.0.1:PORT', 'Host: evil.example']],
  ['a page of another origin', ['Host: 127.0.0.1:PORT', 'Origin: https://evil.example']],
  ['a page without an origin', ['Host: 127.0.0.1:PORT', 'Origin: null']],
])('%s is refused, and ends nothing', async (_what, headers) => {
  const { flow, honest, server } = await waiting();
  const lines = headers.map((line) => line.replace('PORT', honest.port));
  const target = `GET ${honest.pathname}${honest.search} HTTP/1.1`;
  const answer = await raw(honest.port, [target, ...lines, 'Connection: close']);
  expect(answer).toMatch(/^HTTP\/1\.1 (403|400) /);
  expect((await flow.status()).status).toBe('pending');
  expect(server.received.filter(({ line }) => line.includes('token'))).toEqual([]);
  expect((await visit(honest)).status).toBe(200);
});

test.each([
  ['GET', '/', 404],
  ['GET', '/favicon.ico', 404],
  ['GET', '/callback/', 404],
  ['GET', '/CALLBACK', 404],
  ['GET', '//evil.example/callback', 404],
  ['GET', 'http://evil.example/callback', 404],
  ['POST', '/callback', 405],
  ['OPTIONS', '/callback', 405],
  ['HEAD', '/callback', 405],
])('%s %s gives %i', async (method, path, status) => {
  const { flow, honest } = await waiting();
  const host = `Host: 127.0.0.1:${honest.port}`;
  const target = `${method} ${path}${honest.search} HTTP/1.1`;
  const answer = await raw(honest.port, [target, host, 'Connection: close']);
  expect(answer).toContain(`HTTP/1.1 ${status} `);
  expect((await flow.status()).status).toBe('pending');
});

test('it answers on 127.0.0.1 alone', async () => {
  const { honest } = await waiting();
  const elsewhere = connect({ port: Number(honest.port), host: '127.0.0.2' });
  const outcome = await new Promise((resolve) => {
    elsewhere.once('connect', () => resolve('connected'));
    elsewhere.once('error', () => resolve('refused'));
  });
  elsewhere.destroy();
  expect(outcome).toBe('refused');
});

test('headers keep pages from loading, framing, caching and telling anybody', async () => {
  const { honest, asked } = await waiting();
  const pages = [
    await visit(callbackOf(asked, { state: 'wrong' })),
    await visit(new URL('/elsewhere', honest)),
    await visit(honest),
  ];
  expect(pages.map(({ status }) => status)).toEqual([400, 404, 200]);
  for (const { headers, text } of pages) {
    const nonce = /<style nonce="([^"]+)">/.exec(text)?.[1];
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'none'; ` +
        "frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('location')).toBeNull();
    expect(text).not.toMatch(/<script|<img|<link|<a |http-equiv|code-1/);
  }
});

test('a code is redeemed once, however often its address is opened', async () => {
  const { flow, honest, server } = await waiting();
  const pages = await Promise.allSettled([visit(honest), visit(honest), visit(honest)]);
  await flow.finished(soon());
  const statuses = pages.map((page) => (page.status === 'fulfilled' ? page.value.status : 0));
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(server.received.filter(({ line }) => line === 'POST /token')).toHaveLength(1);
});

test('the port is free again after the end, and a new sign-in has a new state', async () => {
  const { flow, honest, asked } = await waiting();
  expect((await visit(honest)).status).toBe(200);
  await flow.finished(soon());
  await flow.close();
  await expect(visit(honest)).rejects.toThrow('fetch failed');
  await flow.signOut();
  const again = await startOf(flow);
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(again.searchParams.get(name)).not.toBe(asked.searchParams.get(name));
  }
});

test('two who start at once share one sign-in', async () => {
  const server = await lyingServer();
  const { flow } = flowFor(server);
  const [first, second] = await Promise.all([flow.start(), flow.start()]);
  const third = await flow.start();
  if (first.status !== 'pending') throw new Error('no sign-in');
  const { authorizationUrl } = first;
  expect(first.isNew).toBe(true);
  expect(second).toEqual({ status: 'pending', authorizationUrl, isNew: false });
  expect(third).toEqual({ status: 'pending', authorizationUrl, isNew: false });
  expect(await flow.status()).toMatchObject({ status: 'pending', authorizationUrl });
});

test('whoever is signed in needs no second sign-in', async () => {
  const { flow, honest } = await waiting();
  await visit(honest);
  await flow.finished(soon());
  expect(await flow.start()).toEqual({
    status: 'signed_in',
    workspaceUrl: undefined,
    why: 'tokens',
  });
});

test('a sign-in that is cancelled leaves nothing', async () => {
  const { flow, honest } = await waiting();
  const ended = expect(flow.finished(soon())).rejects.toMatchObject({ code: 'cancelled' });
  await flow.close();
  await ended;
  expect(await flow.status()).toMatchObject({ status: 'signed_out', error: undefined });
  await expect(visit(honest)).rejects.toThrow('fetch failed');
});

test('after ten minutes nobody waits any more', async () => {
  const server = await lyingServer();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { flow } = flowFor(server);
  await startOf(flow);
  const ended = expect(flow.finished(new AbortController().signal)).rejects.toMatchObject({
    code: 'timed_out',
    message: 'Nobody signed in within 10 minutes.',
  });
  vi.advanceTimersByTime(599_000);
  expect((await flow.status()).status).toBe('pending');
  vi.advanceTimersByTime(1_000);
  await ended;
  expect(await flow.status()).toMatchObject({
    status: 'signed_out',
    error: 'Nobody signed in within 10 minutes.',
  });
});

test('who waits may stop waiting; the sign-in goes on', async () => {
  const { flow, honest } = await waiting();
  const controller = new AbortController();
  const waited = flow.finished(controller.signal);
  controller.abort();
  await expect(waited).rejects.toMatchObject({ code: 'cancelled' });
  expect((await visit(honest)).status).toBe(200);
  expect((await flow.status()).status).toBe('signed_in');
});

test('a sign-in in another process of the same person ends the waiting here', async () => {
  const server = await lyingServer();
  let isIn = false;
  const shared = flowFor(server, {
    session: {
      renew: async () => undefined,
      begin: async () => undefined,
      subject: async () => undefined,
      ready: async () => undefined,
      accessToken: async () => (isIn ? new Secret('token-of-the-other') : undefined),
      status: async () => ({
        status: isIn ? 'signed_in' : 'signed_out',
        expiresAt: undefined,
        scopes: [],
        workspaceUrl: 'acme',
        store: 'memory',
        profile: 'default',
        error: undefined,
      }),
      end: async () => ({ revoked: true, wasSignedIn: true }),
    },
  });
  const asked = await startOf(shared.flow);
  isIn = true;
  expect((await shared.flow.status()).status).toBe('signed_in');
  expect(await shared.flow.start()).toEqual({
    status: 'signed_in',
    workspaceUrl: 'acme',
    why: 'tokens',
  });
  await shared.flow.close();
  await expect(visit(callbackOf(asked, honestAnswer(server, asked)))).rejects.toThrow('fetch');
});

test('a sign-out while tokens come in leaves none, here and at the service', async () => {
  const { flow, honest, server, asked, tokens } = await waiting();
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
  server.lies['/oauth/validate'] = async () => {
    arrive();
    await held;
    return undefined;
  };
  server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
  const page = visit(honest);
  await reached;
  const out = flow.signOut();
  go();
  expect((await page).text).toContain('The sign-in was cancelled.');
  expect(await out).toEqual({ revoked: false, wasSignedIn: false });
  expect(tokens()).toBeUndefined();
  const revoked = server.received.filter(({ line }) => line === 'POST /revoke');
  expect(revoked).toHaveLength(2);
});
