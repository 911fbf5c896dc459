// The attacks of RFC 9700 section 4 on a client, each under the name of its section. What they do
// to the service: test/authorization-server/rfc9700.test.ts. Tokens at resource servers (4.9) and
// refresh tokens (4.14): session.test.ts and the races.

import { describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { refreshTokens, revokeTokens } from '../../src/sign-in/token-endpoint.ts';
import { validateToken } from '../../src/sign-in/token-validation.ts';
import { startTestAuthorizationServer } from '../fixtures/authorization-server.ts';
import { challengeOf } from '../fixtures/scripted-authorization-server.ts';
import { callbackOf, honestAnswer, lyingServer } from './lying-server.ts';
import { flowFor, soon, startOf, visit } from './test-sign-in-flow.ts';

test('4.1 Insufficient Redirection URI Validation: one exact address of 127.0.0.1', async () => {
  const server = await lyingServer();
  const { flow } = flowFor(server);
  const asked = await startOf(flow);
  const redirect = new URL(asked.searchParams.get('redirect_uri') ?? '');
  expect(redirect.href).toBe(`http://127.0.0.1:${redirect.port}/callback`);
  server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
  const honest = callbackOf(asked, honestAnswer(server, asked));
  for (const path of ['/callback/', '/callback/..', '/x/callback', '/%63allback', '/callback%2f']) {
    const status = (await visit(new URL(`${path}${honest.search}`, redirect))).status;
    expect([path, status]).toEqual([path, 404]);
  }
  expect((await flow.status()).status).toBe('pending');
  expect((await visit(honest)).status).toBe(200);
});

test('4.2 Credential Leakage via Referer Headers: the page says nothing, and loads nothing', async () => {
  const server = await lyingServer();
  const { flow } = flowFor(server);
  const asked = await startOf(flow);
  server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
  const { headers, text } = await visit(callbackOf(asked, honestAnswer(server, asked)));
  expect(headers.get('referrer-policy')).toBe('no-referrer');
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(text).not.toMatch(/\b(src|href|action|url\()/);
});

test('4.3 Credential Leakage via Browser History: no token in an address; a code works once', async () => {
  const server = await lyingServer();
  const { flow, client, tokens } = flowFor(server);
  const asked = await startOf(flow);
  server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
  server.lies['/userinfo'] = () => ({ sub: 'u1' });
  const last = callbackOf(asked, honestAnswer(server, asked));
  await visit(last);
  await flow.finished(soon());
  const kept = tokens();
  if (kept === undefined) throw new Error('no tokens');
  await flow.userinfo();
  await refreshTokens(client, kept, soon()).catch(() => undefined);
  await revokeTokens(client, kept, soon());
  await visit(last).catch(() => undefined);
  const lines = server.received.map(({ line }) => line).join('\n');
  expect(lines).toContain('POST /revoke');
  expect(lines).not.toMatch(/access-1|refresh-1|code-1/);
  const codes = server.received.filter(({ body }) => body.includes('code-1'));
  expect(codes).toHaveLength(1);
});

describe('4.4 Mix-Up Attacks', () => {
  test('a code of the honest service never reaches the one that the person was lured to', async () => {
    const [honest, attacker] = [await lyingServer(), await lyingServer()];
    const { flow } = flowFor(attacker);
    const asked = await startOf(flow);
    // The attacker sends the browser on to the honest service, under the honest client id.
    const state = asked.searchParams.get('state') ?? '';
    const mixed = callbackOf(asked, { code: 'honest-code', state, iss: honest.issuer });
    expect((await visit(mixed)).status).toBe(400);
    await expect(flow.finished(soon())).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(attacker.received.map(({ body }) => body).join()).not.toContain('honest-code');
  });

  test('nor by metadata that names endpoints of the honest service', async () => {
    const [honest, attacker] = [await lyingServer(), await lyingServer()];
    attacker.lies['/.well-known/openid-configuration'] = () => honest.metadata;
    const { flow } = flowFor(attacker);
    await expect(flow.start()).rejects.toMatchObject({ code: 'upstream_failed' });
  });
});

test("4.5 Authorization Code Injection: a stolen code does not fit this sign-in's verifier", async () => {
  const service = await startTestAuthorizationServer();
  onTestFinished(() => service.close());
  const { id, auth } = service.applications.public;
  const facts = { issuer: service.url, clientId: id, clientAuth: auth, clientSecret: undefined };
  const options = { listens: false, redirectPort: 8976, scopes: ['openid'] };
  const victim = flowFor(facts, options);
  const stolen = await service.agree(await startOf(victim.flow));
  const attacker = flowFor(facts, options);
  const asked = await startOf(attacker.flow);
  const injected = new URL(stolen);
  injected.searchParams.set('state', asked.searchParams.get('state') ?? '');
  await expect(attacker.flow.finishWith(injected.href)).rejects.toMatchObject({
    code: 'unauthenticated',
    message: 'The authorization server no longer accepts the code.',
  });
  expect(attacker.tokens()).toBeUndefined();
});

test('4.6 Access Token Injection: none is taken from an address', async () => {
  const server = await lyingServer();
  const { flow, tokens } = flowFor(server);
  const asked = await startOf(flow);
  expect(asked.searchParams.get('response_type')).toBe('code');
  const { code: _code, ...honest } = honestAnswer(server, asked);
  const injected = { ...honest, access_token: 'stolen', token_type: 'Bearer', expires_in: '3600' };
  expect((await visit(callbackOf(asked, injected))).status).toBe(400);
  expect(tokens()).toBeUndefined();
});

test('4.7 Cross-Site Request Forgery: 256 bits of state, used once, never guessed', async () => {
  const server = await lyingServer();
  const { flow } = flowFor(server);
  const states = new Set<string>();
  for (let round = 0; round < 5; round += 1) {
    states.add((await startOf(flow)).searchParams.get('state') ?? '');
    await flow.close();
  }
  expect(states.size).toBe(5);
  for (const state of states) expect(Buffer.from(state, 'base64url')).toHaveLength(32);
});

test('4.8 PKCE Downgrade Attack: S256 always, also where the metadata says nothing of it', async () => {
  const server = await lyingServer();
  const { code_challenge_methods_supported: _left, ...silent } = server.metadata;
  server.lies['/.well-known/openid-configuration'] = () => silent;
  const { flow } = flowFor(server);
  const asked = await startOf(flow);
  server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
  await visit(callbackOf(asked, honestAnswer(server, asked)));
  await flow.finished(soon());
  const sent = server.received.find(({ line }) => line === 'POST /token');
  const verifier = new URLSearchParams(sent?.body).get('code_verifier') ?? '';
  expect(asked.searchParams.get('code_challenge_method')).toBe('S256');
  expect(asked.searchParams.get('code_challenge')).toBe(challengeOf(verifier));
});

test('4.11 Open Redirection: the callback sends nobody anywhere', async () => {
  const server = await lyingServer();
  const { flow } = flowFor(server);
  const asked = await startOf(flow);
  const state = asked.searchParams.get('state') ?? '';
  const evil = 'https://evil.example/';
  const lures = { next: evil, redirect_uri: evil, url: evil, error: 'x', error_uri: evil };
  for (const query of [
    { ...lures, state: 'wrong' },
    { ...lures, state, iss: server.issuer },
  ]) {
    const { status, headers, text } = await visit(callbackOf(asked, query));
    expect(status).toBe(400);
    expect(headers.get('location')).toBeNull();
    expect(headers.get('refresh')).toBeNull();
    expect(text).not.toContain('evil.example');
  }
});

describe('4.12 307 Redirect: credentials stay where they were sent', () => {
  test.each([301, 302, 303, 307, 308])('%i', async (status) => {
    const [server, canary] = [await lyingServer(), await lyingServer()];
    const to = { status, answer: '', headers: { location: `${canary.issuer}/stolen` } };
    const facts = { ...server, clientAuth: 'client_secret_basic' } as const;
    const secret = { clientSecret: new Secret('canary-secret') };
    const { flow, client, tokens } = flowFor({ ...facts, ...secret });
    const asked = await startOf(flow);
    server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
    await visit(callbackOf(asked, honestAnswer(server, asked)));
    const kept = tokens();
    if (kept === undefined) throw new Error('no tokens');
    for (const path of ['/token', '/userinfo', '/revoke', '/oauth/validate']) {
      server.lies[path] = () => to;
    }
    await expect(refreshTokens(client, kept, soon())).rejects.toMatchObject({
      code: 'upstream_failed',
    });
    await expect(flow.userinfo()).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(await validateToken(client, kept.accessToken)).toBeUndefined();
    expect(await revokeTokens(client, kept, soon())).toBe(false);
    expect(canary.received).toEqual([]);
  });
});

test('4.16 Clickjacking: no page of the callback is shown in a frame', async () => {
  const server = await lyingServer();
  const asked = await startOf(flowFor(server).flow);
  const { headers } = await visit(callbackOf(asked, { state: 'wrong' }));
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(headers.get('x-frame-options')).toBe('DENY');
});
