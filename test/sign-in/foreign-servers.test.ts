// The whole flow against authorization servers that nobody here wrote.

import { describe, expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { refreshTokens, revokeTokens } from '../../src/sign-in/token-endpoint.ts';
import { EndedGrant } from '../../src/sign-in/token-refresh.ts';
import {
  type ExampleOptions,
  startExampleProvider,
  startMockServer,
} from '../fixtures/foreign-authorization-servers.ts';
import { flowFor, soon, startOf, visit } from './test-sign-in-flow.ts';

const methods = ['client_secret_post', 'client_secret_basic', 'none'] as const;

async function example(options: ExampleOptions = {}) {
  const server = await startExampleProvider(options);
  onTestFinished(() => server.close());
  return server;
}

async function mock(auth: (typeof methods)[number] = 'none') {
  const server = await startMockServer(auth);
  onTestFinished(() => server.close());
  return server;
}

describe.each(methods)('oidc-provider, %s', (auth) => {
  test('a person signs in, is known, stays signed in, and signs out', async () => {
    const server = await example({ auth });
    const { flow, client, tokens } = flowFor(server);
    const address = await startOf(flow);
    expect((await flow.status()).status).toBe('pending');
    const page = await visit(await server.agree(address.href));
    expect(page.status).toBe(200);
    expect(page.text).toContain('You are signed in.');
    await flow.finished(soon());
    expect(await flow.status()).toMatchObject({
      status: 'signed_in',
      why: 'tokens',
      authorizationUrl: undefined,
      scopes: ['openid', 'profile', 'email'],
    });
    expect(await flow.userinfo()).toMatchObject({ sub: 'ada', name: 'John Doe' });

    const first = tokens();
    if (first === undefined) throw new Error('no tokens');
    expect(first.subject).toBe('ada');
    expect(first.expiresAt).toBeGreaterThan(Date.now() + 3_000_000);
    const second = await refreshTokens(client, first, soon());
    expect(second.accessToken.reveal()).not.toBe(first.accessToken.reveal());
    expect(second.refreshToken?.reveal()).not.toBe(first.refreshToken?.reveal());
    expect(second).toMatchObject({ subject: 'ada', scopes: ['openid', 'profile', 'email'] });

    expect(await revokeTokens(client, second, soon())).toBe(true);
    await expect(refreshTokens(client, second, soon())).rejects.toThrow(EndedGrant);
  });
});

test.each(['client_secret_post', 'client_secret_basic'] as const)(
  'oidc-provider, %s: a secret and an id of characters that need encoding',
  async (auth) => {
    const names = { clientId: 'a-b_c.d:e%20f+g', clientSecret: ':%+ &=;/?"~' };
    const server = await example({ auth, ...names });
    const { flow } = flowFor(server);
    const page = await visit(await server.agree((await startOf(flow)).href));
    expect(page.text).toContain('You are signed in.');
  },
);

test('oidc-provider: a wrong secret is told as such, and nobody is signed in', async () => {
  const server = await example({ auth: 'client_secret_basic' });
  const { flow, tokens } = flowFor({ ...server, clientSecret: new Secret('wrong') });
  const page = await visit(await server.agree((await startOf(flow)).href));
  expect(page.status).toBe(400);
  expect(page.text).toContain('FOVEA_CLIENT_AUTH');
  expect(tokens()).toBeUndefined();
  expect(await flow.status()).toMatchObject({
    status: 'signed_out',
    error: 'The authorization server does not know this client, or refuses its secret.',
  });
});

test('oidc-provider: a person who does not agree is no error of the service', async () => {
  const server = await example();
  const { flow, tokens } = flowFor(server);
  const address = await startOf(flow);
  const back = new URL(address.searchParams.get('redirect_uri') ?? '');
  back.search = new URLSearchParams({
    error: 'access_denied',
    error_description: 'End-User aborted interaction',
    state: address.searchParams.get('state') ?? '',
    iss: server.issuer,
  }).toString();
  const ended = expect(flow.finished(soon())).rejects.toMatchObject({ code: 'forbidden' });
  expect((await visit(back)).text).toContain('The person did not agree to the sign-in.');
  await ended;
  expect(tokens()).toBeUndefined();
});

test('oidc-provider: the authorization request is the one of the specification', async () => {
  const server = await example();
  const { flow } = flowFor(server);
  const { searchParams: asked, origin, pathname } = await startOf(flow);
  expect([origin, pathname]).toEqual([server.issuer, '/auth']);
  expect([...asked.keys()].sort()).toEqual([
    'client_id',
    'code_challenge',
    'code_challenge_method',
    'nonce',
    'redirect_uri',
    'response_type',
    'scope',
    'state',
  ]);
  expect(asked.get('code_challenge_method')).toBe('S256');
  expect(asked.get('code_challenge')).toMatch(/^[\w-]{43}$/);
  expect(asked.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
});

/** The secret of the fixture, as it must be on the wire (RFC 6749 section 2.3.1). */
const secret = 's3cr:t%41+&=/?#"~';
const basic = Buffer.from('mock-client:s3cr%3At%2541%2B%26%3D%2F%3F%23%22%7E').toString('base64');

/** It believes every client, so what it was told is looked at. */
test.each([
  ['client_secret_post', { id: 'mock-client', secret }],
  ['client_secret_basic', { authorization: `Basic ${basic}` }],
  ['none', { id: 'mock-client' }],
] as const)('oauth2-mock-server, %s', async (auth, expected) => {
  const server = await mock(auth);
  const told: object[] = [];
  server.service.on('beforeResponse', (_answer, { headers, body }) => {
    const { client_id: id, client_secret: secret } = body;
    told.push({ authorization: headers.authorization, id, secret });
  });
  const { flow, client, tokens } = flowFor(server);
  const page = await visit(await server.agree((await startOf(flow)).href));
  expect(page.text).toContain('You are signed in.');
  const first = tokens();
  if (first === undefined) throw new Error('no tokens');
  expect(first.subject).toBe('johndoe');
  const second = await refreshTokens(client, first, soon());
  expect(second.accessToken.reveal()).toMatch(/^ey/);
  const nothing = { authorization: undefined, id: undefined, secret: undefined };
  expect(told).toEqual([
    { ...nothing, ...expected },
    { ...nothing, ...expected },
  ]);
  expect(await flow.userinfo()).toMatchObject({ sub: 'johndoe' });
  expect(await flow.signOut()).toEqual({ revoked: true, wasSignedIn: true });
  expect((await flow.status()).status).toBe('signed_out');
});
