// How long everything lives, to the second, by a clock that stands still between two steps.

import { expect, onTestFinished, test, vi } from 'vitest';
import {
  authorizationUrl,
  postForm,
  refresh,
  signedIn,
  signIn,
  startTestAuthorizationServer,
  type TestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { openFormBrowser } from '../fixtures/form-browser.ts';

/** 2026-01-01T00:00:00Z, in milliseconds. */
const startMs = 1_767_225_600_000;
const hour = 3_600;
const day = 24 * hour;

async function start() {
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const service = await startTestAuthorizationServer({ inSources: true });
  onTestFinished(service.close);
  return service;
}

/** Sets the clock to so many seconds, and milliseconds, after the start. */
function at(seconds: number, milliseconds = 0): void {
  vi.setSystemTime(startMs + seconds * 1_000 + milliseconds);
}

const isActive = async (service: TestAuthorizationServer, token: string) =>
  (await validate(service, token)).body.active;

test.each([
  ['post', hour],
  ['public', hour],
  ['mcp', day],
] as const)('an access token of the client %s lives %d seconds', async (name, seconds) => {
  const service = await start();
  const { accessToken, answer } = await signIn(service, service.applications[name]);
  expect(answer.body.expires_in).toBe(seconds);
  const { body } = await validate(service, accessToken);
  expect(body.exp).toBe(startMs / 1_000 + seconds);
  at(seconds - 1, 999);
  expect(await isActive(service, accessToken)).toBe(true);
  at(seconds);
  expect((await validate(service, accessToken)).body).toEqual({
    active: false,
    exp: null,
    workspace_url: '',
    scopes: [],
  });
  const headers = { authorization: `Bearer ${accessToken}` };
  expect((await fetch(`${service.url}/oauth/userinfo`, { headers })).status).toBe(401);
});

test("Fovea's own client is an MCP client: its tokens live for 24 hours", async () => {
  const service = await start();
  const fovea = {
    id: 'fovea',
    secret: undefined,
    auth: 'none',
    redirectUri: 'http://127.0.0.1:51234/callback',
  } as const;
  const { answer } = await signIn(service, fovea, { scope: 'openid project:read' });
  expect(answer.body.expires_in).toBe(day);
  expect(answer.body.refresh_token).toMatch(/^[\w-]{43}$/);
});

test('a code lives for 60 seconds', async () => {
  const service = await start();
  const application = service.applications.public;
  const redeemAt = async (seconds: number, milliseconds: number) => {
    at(0);
    const { url, verifier } = authorizationUrl(service, application);
    const final = await service.agree(url);
    at(seconds, milliseconds);
    return postForm(`${service.url}/oauth/token`, application, {
      grant_type: 'authorization_code',
      code: final.searchParams.get('code') ?? '',
      redirect_uri: application.redirectUri,
      code_verifier: verifier,
    });
  };
  expect((await redeemAt(59, 999)).status).toBe(200);
  expect((await redeemAt(60, 0)).body.error).toBe('invalid_grant');
});

test('a refresh token lives for 30 days from each rotation', async () => {
  const service = await start();
  const application = service.applications.public;
  const first = await signIn(service, application);
  at(30 * day - 1, 999);
  const second = signedIn(await refresh(service, application, first.refreshToken));
  at(60 * day - 2);
  const third = signedIn(await refresh(service, application, second.refreshToken));
  at(90 * day - 2);
  const late = await refresh(service, application, third.refreshToken);
  expect(late.status).toBe(400);
  expect(late.body.error).toBe('invalid_grant');
});

test('a sign-in ends after a year, however often it was refreshed', async () => {
  const service = await start();
  const application = service.applications.mcp;
  let { refreshToken } = await signIn(service, application);
  for (let days = 25; days < 365; days += 25) {
    at(days * day);
    ({ refreshToken } = signedIn(await refresh(service, application, refreshToken)));
  }
  at(365 * day - 1);
  const last = signedIn(await refresh(service, application, refreshToken));
  expect(await isActive(service, last.accessToken)).toBe(true);
  at(365 * day);
  expect(await isActive(service, last.accessToken)).toBe(false);
  const answer = await refresh(service, application, last.refreshToken);
  expect(answer.body.error).toBe('invalid_grant');
});

test('an id_token lives for an hour', async () => {
  const service = await start();
  const { idToken } = await signIn(service, service.applications.public, { nonce: 'n' });
  const [, claims = ''] = idToken.split('.');
  const body: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString());
  expect(body).toMatchObject({
    iss: service.url,
    sub: service.accountId,
    aud: service.applications.public.id,
    nonce: 'n',
    iat: startMs / 1_000,
    exp: startMs / 1_000 + hour,
  });
});

test('a person has 10 minutes to sign in', async () => {
  const service = await start();
  const { url } = authorizationUrl(service, service.applications.public);
  const browser = openFormBrowser();
  const { next } = await browser.get(url);
  at(10 * 60 - 1);
  expect((await browser.get(next ?? '')).status).toBe(200);
  at(10 * 60);
  const late = await browser.get(next ?? '');
  expect(late.status).toBe(404);
  expect(late.text).toContain('This sign-in has ended');
});

test('a browser is not asked for the password again for 14 days', async () => {
  const service = await start();
  const browser = openFormBrowser();
  const web = await service.register({ name: 'Web', redirectUris: ['https://web.example/back'] });
  await signIn(service, web, {}, browser);
  at(14 * day - 1);
  const silent = authorizationUrl(service, web, { prompt: 'none' });
  expect((await browser.get(silent.url)).next?.searchParams.get('code')).toMatch(/^[\w-]{43}$/);
  at(29 * day);
  const late = authorizationUrl(service, web, { prompt: 'none' });
  expect((await browser.get(late.url)).next?.searchParams.get('error')).toBe('login_required');
});
