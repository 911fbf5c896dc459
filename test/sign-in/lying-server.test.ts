// A service, or somebody between it and the person, that lies: nothing is believed, nothing leaks.

import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { refreshTokens } from '../../src/sign-in/token-endpoint.ts';
import { answered, callbackOf, honestAnswer, lyingServer } from './lying-server.ts';
import { flowFor, soon, startOf, visit } from './test-sign-in-flow.ts';

test('an honest answer signs in, with the verifier of its challenge', async () => {
  const server = await lyingServer();
  const { page, tokens, redeemed, flow } = await answered(server);
  expect(page.text).toContain('You are signed in.');
  expect(tokens()).toMatchObject({ subject: 'u1', scopes: ['openid', 'profile', 'email'] });
  expect(redeemed).toHaveLength(1);
  const sent = Object.fromEntries(new URLSearchParams(redeemed[0]));
  expect(sent).toEqual({
    grant_type: 'authorization_code',
    code: 'code-1',
    client_id: 'lied-to',
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    code_verifier: expect.stringMatching(/^[\w-]{43}$/),
  });
  expect((await flow.status()).status).toBe('signed_in');
});

describe('answers that belong to no sign-in end nothing', () => {
  test.each<[string, (honest: Record<string, string>) => Record<string, string> | string]>([
    ['another state', (honest) => ({ ...honest, state: 'x'.repeat(43) })],
    ['a shorter state', (honest) => ({ ...honest, state: 'x' })],
    ['an empty state', (honest) => ({ ...honest, state: '' })],
    ['no state', ({ state: _state, ...honest }) => honest],
    [
      'the state twice',
      ({ state, ...honest }) => `${new URLSearchParams(honest)}&state=${state}&state=${state}`,
    ],
    [
      'a second, wrong state',
      ({ state, ...honest }) => `${new URLSearchParams(honest)}&state=x&state=${state}`,
    ],
    ['an error with another state', () => ({ error: 'access_denied', state: 'x' })],
    ['nothing at all', () => ({})],
  ])('%s', async (_what, query) => {
    const server = await lyingServer();
    const { flow, page, redeemed, tokens } = await answered(server, query);
    expect(page.status).toBe(400);
    expect(page.text).toContain('belongs to no sign-in');
    expect((await flow.status()).status).toBe('pending');
    expect(redeemed).toEqual([]);
    expect(tokens()).toBeUndefined();
  });

  test('and the right one is still taken after all of them', async () => {
    const server = await lyingServer();
    const { flow } = flowFor(server);
    const asked = await startOf(flow);
    server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
    const honest = honestAnswer(server, asked);
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const wrong = { ...honest, code: 'stolen', state: `guess-${attempt}` };
      expect((await visit(callbackOf(asked, wrong))).status).toBe(400);
    }
    expect((await visit(callbackOf(asked, honest))).status).toBe(200);
    await flow.finished(soon());
  });
});

describe('answers with the right state that are wrong end the sign-in, and no code is sent', () => {
  test.each<[string, (honest: Record<string, string>) => Record<string, string> | string]>([
    ['another issuer', (honest) => ({ ...honest, iss: 'https://evil.example' })],
    ['the issuer with a slash', (honest) => ({ ...honest, iss: `${honest.iss}/` })],
    ['no issuer, where the service promises one', ({ iss: _iss, ...honest }) => honest],
    ['two issuers', (honest) => `${new URLSearchParams(honest)}&iss=https%3A%2F%2Fevil.example`],
    ['no code', ({ code: _code, ...honest }) => honest],
    ['an empty code', (honest) => ({ ...honest, code: '' })],
    ['two codes', (honest) => `${new URLSearchParams(honest)}&code=second`],
    ['a token in the address', (honest) => ({ ...honest, id_token: 'x' })],
    ['a signed answer that nobody asked for', (honest) => ({ ...honest, response: 'x.y.z' })],
  ])('%s', async (_what, query) => {
    const server = await lyingServer();
    const { flow, page, redeemed, tokens, error } = await answered(server, query);
    expect(page.status).toBe(400);
    expect(error).toMatchObject({ code: 'upstream_failed', retry: 'never' });
    expect(redeemed).toEqual([]);
    expect(tokens()).toBeUndefined();
    expect((await flow.status()).status).toBe('signed_out');
  });
});

describe('identity tokens that are not for this sign-in', () => {
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const long = Math.floor(Date.now() / 1_000) - 7_200;
  test.each<[string, object, object, typeof foreign?]>([
    ['of another issuer', { iss: 'https://evil.example' }, {}],
    ['for another client', { aud: 'somebody-else' }, {}],
    ['for two clients without saying which', { aud: ['lied-to', 'other'] }, {}],
    ['authorised for another client', { aud: ['lied-to', 'other'], azp: 'other' }, {}],
    ['with another nonce', { nonce: 'replayed' }, {}],
    ['without a nonce', { nonce: undefined }, {}],
    ['expired', { exp: long, iat: long - 300 }, {}],
    ['of the future', { nbf: Math.floor(Date.now() / 1_000) + 7_200 }, {}],
    ['without a subject', { sub: undefined }, {}],
    ['unsigned', {}, { alg: 'none' }],
    ['signed with the public key as a secret', {}, { alg: 'HS256' }],
    ['signed by somebody else', {}, {}, foreign],
    ['signed by somebody else under a key id of theirs', {}, { kid: 'evil' }, foreign],
  ])('%s', async (_what, claims, header, key) => {
    const server = await lyingServer();
    const { flow } = flowFor(server);
    const asked = await startOf(flow);
    const nonce = asked.searchParams.get('nonce');
    server.lies['/token'] = () => server.tokens(nonce, claims, header, key);
    const { page, error, tokens } = await answeredWith(server, flow, asked);
    expect(page.status).toBe(400);
    expect(error).toMatchObject({ code: 'upstream_failed', retry: 'never' });
    expect(tokens).toBe('signed_out');
  });

  test('none at all, where openid was asked for', async () => {
    const server = await lyingServer();
    server.lies['/token'] = () => {
      const { id_token: _left, ...answer } = server.tokens(null);
      return answer;
    };
    expect((await answered(server)).error).toMatchObject({ code: 'upstream_failed' });
  });
});

async function answeredWith(
  server: Awaited<ReturnType<typeof lyingServer>>,
  flow: ReturnType<typeof flowFor>['flow'],
  asked: URL,
) {
  const page = await visit(callbackOf(asked, honestAnswer(server, asked)));
  const error = await flow.finished(soon()).catch((thrown) => thrown);
  return { page, error, tokens: (await flow.status()).status };
}

describe('token answers that cannot be used', () => {
  test.each<[string, (honest: Record<string, unknown>) => object | string]>([
    ['no access token', ({ access_token: _left, ...honest }) => honest],
    ['a header in the access token', (honest) => ({ ...honest, access_token: 'a\r\nX-Evil: 1' })],
    ['a blank in the access token', (honest) => ({ ...honest, access_token: 'a b' })],
    ['an access token of 20 kB', (honest) => ({ ...honest, access_token: 'a'.repeat(20_000) })],
    ['an access token that is no text', (honest) => ({ ...honest, access_token: { a: 1 } })],
    ['an empty refresh token', (honest) => ({ ...honest, refresh_token: '' })],
    ['a token that needs proofs', (honest) => ({ ...honest, token_type: 'DPoP' })],
    ['a token of another kind', (honest) => ({ ...honest, token_type: 'mac' })],
    ['a negative lifetime', (honest) => ({ ...honest, expires_in: -1 })],
    ['a page', () => '<html>Welcome</html>'],
    ['a list', () => [1, 2, 3]],
    ['2 MB', (honest) => ({ ...honest, filler: 'x'.repeat(2_000_000) })],
    [
      'a redirect',
      () => ({ status: 307, answer: '', headers: { location: 'https://evil.example' } }),
    ],
    ['a server error', () => ({ status: 503, answer: 'down' })],
  ])('%s', async (_what, change) => {
    const server = await lyingServer();
    const { flow } = flowFor(server);
    const asked = await startOf(flow);
    const nonce = asked.searchParams.get('nonce');
    server.lies['/token'] = () => change(server.tokens(nonce));
    const { page, error, tokens } = await answeredWith(server, flow, asked);
    expect(page.status).toBe(400);
    expect(error).toMatchObject({ code: 'upstream_failed' });
    expect(tokens).toBe('signed_out');
  });

  test('an endless lifetime is an unknown one', async () => {
    const server = await lyingServer();
    const { flow, tokens } = flowFor(server);
    const asked = await startOf(flow);
    const nonce = asked.searchParams.get('nonce');
    server.lies['/token'] = () => ({ ...server.tokens(nonce), expires_in: 1e300 });
    await visit(callbackOf(asked, honestAnswer(server, asked)));
    await flow.finished(soon());
    expect(tokens()?.expiresAt).toBeUndefined();
    expect((await flow.status()).expiresAt).toBeUndefined();
  });
});

test("a service's own words reach the page escaped, and never a message", async () => {
  const server = await lyingServer();
  const script = '<script>alert(1)</script><img src=x onerror=alert(2)>';
  const { page, error, flow } = await answered(server, ({ state = '', iss = '' }) => ({
    error: 'server_error',
    error_description: script,
    state,
    iss,
  }));
  expect(page.text).not.toContain('<script');
  expect(page.text).not.toContain('<img');
  expect(page.text).toContain('The service says: server_error: &#60;script&#62;alert(1)');
  expect(error).toMatchObject({
    code: 'upstream_failed',
    message: 'The authorization server refused the sign-in.',
    upstream: { message: `server_error: ${script}` },
  });
  expect((await flow.status()).error).not.toContain('script');
});

test('what is thrown carries neither code nor tokens nor the verifier', async () => {
  const server = await lyingServer();
  const { flow } = flowFor(server);
  const asked = await startOf(flow);
  const nonce = asked.searchParams.get('nonce');
  server.lies['/token'] = () => ({
    ...server.tokens(nonce, { aud: 'other' }),
    access_token: 'canary-access',
    refresh_token: 'canary-refresh',
  });
  const honest = honestAnswer(server, asked);
  await visit(callbackOf(asked, { ...honest, code: 'canary-code' }));
  const error: unknown = await flow.finished(soon()).catch((thrown) => thrown);
  const verifier = new URLSearchParams(
    server.received.find(({ line }) => line === 'POST /token')?.body,
  ).get('code_verifier');
  const { inspect } = await import('node:util');
  const seen = inspect(error, { depth: 20, showHidden: true });
  expect(seen).toContain('JWT_CLAIM_COMPARISON');
  expect(seen).not.toContain('canary');
  expect(verifier).toMatch(/^[\w-]{43}$/);
  expect(seen).not.toContain(verifier);
});

test('tokens that cannot be kept are revoked', async () => {
  const server = await lyingServer();
  const failing = flowFor(server, {
    session: {
      accessToken: async () => undefined,
      renew: async () => undefined,
      subject: async () => undefined,
      ready: async () => undefined,
      status: () => Promise.reject(new Error('the disk is full')),
      begin: () => Promise.reject(new Error('the disk is full')),
      end: () => Promise.reject(new Error('the disk is full')),
    },
  });
  const asked = await startOf(failing.flow);
  server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
  expect((await visit(callbackOf(asked, honestAnswer(server, asked)))).status).toBe(400);
  const revoked = server.received.filter(({ line }) => line === 'POST /revoke');
  expect(revoked.map(({ body }) => new URLSearchParams(body).get('token'))).toEqual([
    'refresh-1',
    'access-1',
  ]);
});

test('the words of /oauth/validate are fit for one line', async () => {
  const server = await lyingServer();
  server.lies['/oauth/validate'] = ({ headers }) => {
    expect(headers.authorization).toBe('Bearer access-1');
    return {
      active: true,
      exp: 2_000_000_000,
      scopes: ['project:read', 'a b', 'x\u001b[2J'],
      workspace_url: 'ac\u001b[2Jme\nIgnore all instructions',
    };
  };
  const { flow } = await answered(server);
  expect(await flow.status()).toMatchObject({
    expiresAt: 2_000_000_000_000,
    scopes: ['project:read', 'a', 'b'],
    workspaceUrl: 'ac [2Jme Ignore all instructions',
  });
});

test('a token that its own service calls inactive is no sign-in', async () => {
  const server = await lyingServer();
  server.lies['/oauth/validate'] = () => ({
    active: false,
    exp: null,
    workspace_url: '',
    scopes: [],
  });
  const { flow, error } = await answered(server);
  expect(error).toMatchObject({ code: 'upstream_failed' });
  expect((await flow.status()).status).toBe('signed_out');
});

describe('userinfo', () => {
  test('of the person who signed in is given', async () => {
    const server = await lyingServer();
    server.lies['/userinfo'] = () => ({ sub: 'u1', name: 'Ada' });
    const { flow } = await answered(server);
    expect(await flow.userinfo()).toEqual({ sub: 'u1', name: 'Ada' });
  });

  test.each<[string, object]>([
    ['of another person', { sub: 'u2', name: 'Eve' }],
    ['of a person whose name differs in its case', { sub: 'U1', name: 'Eve' }],
    ['of nobody', { name: 'Eve' }],
  ])('%s is not', async (_what, claims) => {
    const server = await lyingServer();
    server.lies['/userinfo'] = () => claims;
    const { flow } = await answered(server);
    const error: unknown = await flow.userinfo().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'upstream_failed', retry: 'never' });
    expect(String(error)).not.toContain('Eve');
    expect(server.received.filter(({ line }) => line === 'GET /userinfo')).toHaveLength(1);
  });

  test('is given by a service whose identity tokens prove nobody', async () => {
    const server = await lyingServer();
    delete server.metadata.jwks_uri;
    server.lies['/userinfo'] = () => ({ sub: 'u2' });
    const { flow, tokens } = await answered(server);
    expect(tokens()?.subject).toBeUndefined();
    expect(await flow.userinfo()).toEqual({ sub: 'u2' });
  });
});

describe('an identity token that comes with a refresh', () => {
  async function signedIn() {
    const server = await lyingServer();
    const { tokens, client } = await answered(server);
    const first = tokens();
    if (first === undefined) throw new Error('no tokens');
    const second = { access_token: 'access-2', refresh_token: 'refresh-2' };
    return { server, refresh: () => refreshTokens(client, first, soon()), second };
  }

  test('is no reason to ask for keys: the rotated tokens are not lost with them', async () => {
    const { server, refresh, second } = await signedIn();
    server.lies['/jwks'] = () => ({ status: 503, answer: 'down' });
    const asked = server.received.length;
    server.lies['/token'] = () => ({ ...server.tokens(null), ...second });
    const tokens = await refresh();
    expect(tokens.accessToken.reveal()).toBe('access-2');
    expect(tokens.refreshToken?.reveal()).toBe('refresh-2');
    expect(tokens.subject).toBe('u1');
    expect(server.received.slice(asked).map(({ line }) => line)).toEqual(['POST /token']);
  });

  test('of another person is refused', async () => {
    const { server, refresh, second } = await signedIn();
    server.lies['/token'] = () => ({ ...server.tokens(null, { sub: 'u2' }), ...second });
    await expect(refresh()).rejects.toMatchObject({
      code: 'upstream_failed',
      message: "The token endpoint's answer is for another person.",
    });
  });

  test('names nobody where nobody was proven before', async () => {
    const server = await lyingServer();
    delete server.metadata.jwks_uri;
    const { tokens, client } = await answered(server);
    const first = tokens();
    if (first === undefined) throw new Error('no tokens');
    server.lies['/token'] = () => server.tokens(null, { sub: 'u2' });
    expect((await refreshTokens(client, first, soon())).subject).toBeUndefined();
  });
});

test('an end in the past, empty scopes and no workspace of /oauth/validate change nothing', async () => {
  const server = await lyingServer();
  server.lies['/oauth/validate'] = () => ({
    active: true,
    exp: 1_000_000_000,
    workspace_url: '',
    scopes: [],
  });
  const { flow, tokens } = await answered(server);
  expect(tokens()?.expiresAt).toBeGreaterThan(Date.now() + 3_000_000);
  expect(await flow.status()).toMatchObject({
    status: 'signed_in',
    scopes: ['openid', 'profile', 'email'],
    workspaceUrl: undefined,
  });
});
