// Where an authorization server's endpoints are: found, fallen back on, or refused.

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { lyingServer } from './lying-server.ts';
import { flowFor, startOf } from './test-sign-in-flow.ts';

const openId = '/.well-known/openid-configuration';
const oauth = '/.well-known/oauth-authorization-server';

test('OpenID Connect metadata is asked for first, once, and not before a sign-in', async () => {
  const server = await lyingServer();
  const { flow } = flowFor(server);
  await flow.status();
  expect(server.received).toEqual([]);
  await startOf(flow);
  await flow.close();
  await startOf(flow);
  expect(server.received.map(({ line }) => line)).toEqual([`GET ${openId}`]);
});

test('then that of RFC 8414', async () => {
  const server = await lyingServer();
  server.lies[openId] = undefined;
  server.lies[oauth] = () => server.metadata;
  expect((await startOf(flowFor(server).flow)).pathname).toBe('/authorize');
  expect(server.received.map(({ line }) => line)).toEqual([`GET ${openId}`, `GET ${oauth}`]);
});

test('then the addresses of the specification, where there is none', async () => {
  const server = await lyingServer();
  server.lies[openId] = () => '<html>an application of one page</html>';
  const asked = await startOf(flowFor(server).flow);
  expect(`${asked.origin}${asked.pathname}`).toBe(`${server.issuer}/oauth/authorize`);
  expect(asked.searchParams.get('nonce')).toMatch(/^[\w-]{43}$/);
});

test('an issuer with a path is asked for at all three places', async () => {
  const server = await lyingServer();
  const issuer = `${server.issuer}/tenant`;
  server.lies[openId] = undefined;
  server.lies[`${openId}/tenant`] = () => ({ ...server.metadata, issuer });
  await startOf(flowFor({ ...server, issuer }).flow);
  expect(server.received.map(({ line }) => line)).toEqual([
    `GET /tenant${openId}`,
    `GET ${oauth}/tenant`,
    `GET ${openId}/tenant`,
  ]);
});

describe('no falling back', () => {
  test.each([
    ['a server error', { status: 500, answer: {} }],
    ['a refusal', { status: 403, answer: {} }],
    ['a redirect', { status: 302, answer: '', headers: { location: 'https://evil.example/' } }],
    ['a list', []],
    [
      'a text in JSON',
      { status: 200, answer: '"x"', headers: { 'content-type': 'application/json' } },
    ],
    ['2 MB', { filler: 'x'.repeat(2_000_000) }],
  ])('on %s', async (_what, answer) => {
    const server = await lyingServer();
    server.lies[openId] = () => answer;
    await expect(flowFor(server).flow.start()).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(server.received).toHaveLength(1);
  });

  test('where nothing listens', async () => {
    const server = await lyingServer();
    await server.close();
    await expect(flowFor(server).flow.start()).rejects.toMatchObject({
      code: 'unreachable',
      hint: expect.stringContaining('FOVEA_AUTH_URL'),
      message: 'The authorization server cannot be reached (ECONNREFUSED).',
    });
  });

  test('and a failure is forgotten: the next sign-in asks again', async () => {
    const server = await lyingServer();
    server.lies[openId] = () => ({ status: 503, answer: 'down' });
    const { flow } = flowFor(server);
    await expect(flow.start()).rejects.toMatchObject({ code: 'upstream_failed' });
    server.lies[openId] = () => server.metadata;
    expect((await startOf(flow)).pathname).toBe('/authorize');
  });
});

describe('another issuer', () => {
  test.each([
    ['another host', () => 'https://evil.example'],
    ['another path', (issuer: string) => `${issuer}/other`],
    ['none', () => undefined],
    ['no text', () => 7],
    ['no address', () => 'me'],
  ])('%s', async (_what, named) => {
    const server = await lyingServer();
    server.lies[openId] = () => ({ ...server.metadata, issuer: named(server.issuer) });
    const { flow } = flowFor(server);
    const error: unknown = await flow.start().catch((thrown) => thrown);
    expect(error).toMatchObject({
      code: 'upstream_failed',
      retry: 'never',
      message: 'The authorization server says that it is another one.',
      hint: expect.not.stringContaining('evil'),
    });
    expect((await flow.status()).status).toBe('signed_out');
  });

  test('localhost and 127.0.0.1 are two: the one to set is named', async () => {
    const server = await lyingServer();
    const issuer = server.issuer.replace('127.0.0.1', 'localhost');
    server.lies[openId] = () => ({ ...server.metadata, issuer });
    await expect(flowFor(server).flow.start()).rejects.toMatchObject({
      hint: `Set FOVEA_AUTH_URL to ${issuer}: 127.0.0.1 and localhost are two names.`,
    });
  });
});

describe('endpoints that must not be sent anything', () => {
  const endpoints = [
    'authorization_endpoint',
    'token_endpoint',
    'revocation_endpoint',
    'userinfo_endpoint',
    'jwks_uri',
  ];
  const bad: readonly [string, unknown][] = [
    ['plain http to another machine', 'http://evil.example/oauth'],
    ['javascript:', 'javascript:alert(1)//https://x'],
    ['file:', 'file:///etc/passwd'],
    ['a scheme of its own', 'vscode://evil/run'],
    ['data:', 'data:text/html,<script>1</script>'],
    ['100 kB', `https://auth.example/${'a'.repeat(100_000)}`],
    ['a user and a password', 'https://you:secret@evil.example/oauth'],
    ['a fragment', 'https://auth.example/oauth#x'],
    ['no address', '/oauth/authorize'],
    ['an option of a command', '--version'],
    ['no text', { toString: 'x' }],
    ['an empty text', ''],
  ];
  test.each(endpoints.flatMap((name) => bad.map(([what, value]) => ({ name, what, value }))))(
    '$name: $what',
    async ({ name, value }) => {
      const server = await lyingServer();
      server.lies[openId] = () => ({ ...server.metadata, [name]: value });
      const { flow, opened } = flowFor(server);
      await expect(flow.start()).rejects.toMatchObject({
        code: 'upstream_failed',
        retry: 'never',
        message: expect.stringContaining(`The authorization server's ${name} `),
      });
      expect(server.received).toHaveLength(1);
      expect(opened).toEqual([]);
      expect((await flow.status()).status).toBe('signed_out');
    },
  );

  test.each(['authorization_endpoint', 'token_endpoint'])('%s must be there', async (name) => {
    const server = await lyingServer();
    server.lies[openId] = () => ({ ...server.metadata, [name]: undefined });
    await expect(flowFor(server).flow.start()).rejects.toMatchObject({ code: 'upstream_failed' });
  });
});

test('a service that says it knows no S256 is sent no code', async () => {
  const server = await lyingServer();
  const methods = { code_challenge_methods_supported: ['plain'] };
  server.lies[openId] = () => ({ ...server.metadata, ...methods });
  await expect(flowFor(server).flow.start()).rejects.toMatchObject({
    message: 'The authorization server does not know PKCE (S256).',
  });
});

test("the endpoint's own parameters stay, and never replace ours", async () => {
  const server = await lyingServer();
  const query = 'tenant=7&redirect_uri=https%3A%2F%2Fevil.example&state=known&client_id=evil';
  server.lies[openId] = () => ({
    ...server.metadata,
    authorization_endpoint: `${server.issuer}/authorize?${query}`,
  });
  const { searchParams: asked } = await startOf(flowFor(server).flow);
  expect(asked.getAll('tenant')).toEqual(['7']);
  expect(asked.getAll('client_id')).toEqual(['lied-to']);
  expect(asked.getAll('state')).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  expect(asked.getAll('redirect_uri')).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:/)]);
});

test('a service that never answers is given up after 15 seconds', async () => {
  const server = await lyingServer();
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  server.lies[openId] = () => {
    resolve();
    return new Promise(() => undefined);
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const ended = expect(flowFor(server).flow.start()).rejects.toMatchObject({ code: 'timed_out' });
  await asked;
  vi.advanceTimersByTime(15_000);
  await ended;
});
