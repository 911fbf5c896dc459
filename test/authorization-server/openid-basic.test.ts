// The modules of the OpenID Connect Basic OP plan on the sign-in service, each under its name.
// The suite itself needs Java and a public address: what each module asks is written from its
// published description and from OpenID Connect Core, not copied, and was not run by the suite.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AccountHolder,
  credentials,
  expectStays,
  goAhead,
  openAccountHolder,
} from './account-holder.ts';
import { formOf } from './cookie-browser.ts';
import {
  authorizeUrl,
  type Changes,
  claimsOfIdToken,
  createVerifier,
  type PlatformWithAccounts,
  type Registered,
  redeem,
  refresh,
  startPlatformWithAccounts,
  userinfo,
} from './platform-with-accounts.ts';

let platform: PlatformWithAccounts;
let issuer = '';
let ada: AccountHolder;
let basic: Registered;

beforeAll(async () => {
  platform = await startPlatformWithAccounts();
  issuer = platform.issuer;
  ({ basic } = platform.applications);
  ada = openAccountHolder(platform);
});

afterAll(() => platform.close());

const claims = async (changes: Changes = {}) =>
  claimsOfIdToken(issuer, (await ada.tokensFor(basic, changes)).id_token);

const infoFor = async (scope: string): Promise<unknown> =>
  (await userinfo(issuer, (await ada.tokensFor(basic, { scope })).access_token)).json();

/** Whether a request in Ada's browser, where she is signed in, asks for her password. */
async function asksPassword(changes: Changes): Promise<boolean> {
  await ada.codeFor(basic);
  const visit = await ada.browser.walk(authorizeUrl(issuer, basic, changes));
  return visit.text.includes('name="password"');
}

async function metadata(): Promise<Readonly<Record<string, unknown>>> {
  return Object(await (await fetch(`${issuer}/.well-known/openid-configuration`)).json());
}

/** The whole flow in a browser of its own, and what the id_token and userinfo owe to each other. */
async function server(application: Registered): Promise<void> {
  const start = Math.floor(Date.now() / 1_000);
  const own = openAccountHolder(platform);
  const asked = { nonce: 'a-nonce', state: 'the-state' };
  const final = await own.agree(application, asked);
  expect(Object.fromEntries(final.searchParams)).toEqual({
    code: expect.stringMatching(/^[\w-]{43}$/),
    state: 'the-state',
    iss: issuer,
  });
  const answer = await redeem(issuer, application, final.searchParams.get('code') ?? '');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.body).toEqual({
    access_token: expect.stringMatching(/^[\w-]{43}$/),
    token_type: 'Bearer',
    expires_in: 3_600,
    scope: 'openid',
    refresh_token: expect.stringMatching(/^[\w-]{43}$/),
    id_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  });
  const found = await claimsOfIdToken(issuer, answer.body.id_token);
  expect(found).toMatchObject({
    iss: issuer,
    sub: platform.ada.id,
    aud: application.id,
    nonce: 'a-nonce',
  });
  expect(Number(found.iat)).toBeGreaterThanOrEqual(start);
  expect(Number(found.exp)).toBe(Number(found.iat) + 3_600);
  const info = await userinfo(issuer, answer.body.access_token);
  expect(await info.json()).toEqual({ sub: platform.ada.id });
}

test('oidcc-server', () => server(basic));

test('oidcc-server-client-secret-post', () => server(platform.applications.post));

test('oidcc-response-type-missing', async () => {
  expect(await ada.errorAt(basic, { response_type: undefined })).toBe('invalid_request');
});

describe('oidcc-idtoken-signature', () => {
  test('is RS256 by a key of the JWKS, whose parts are public', async () => {
    expect(await claims()).toMatchObject({ iss: issuer });
    const { keys } = Object(await (await fetch(`${issuer}/.well-known/jwks.json`)).json());
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
      expect(key).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig' });
      expect(Buffer.from(key.n, 'base64url').length).toBeGreaterThanOrEqual(256);
    }
  });

  test('does not fit a token that was changed', async () => {
    const { id_token: token } = await ada.tokensFor(basic);
    const [head = '', body = '', signature = ''] = String(token).split('.');
    const other = Buffer.from(
      Buffer.from(body, 'base64url').toString().replace(platform.ada.id, 'somebody-else'),
    ).toString('base64url');
    const changed = `${head}.${other}.${signature}`;
    await expect(claimsOfIdToken(issuer, changed)).rejects.toThrow('the signature is wrong');
  });
});

test('oidcc-idtoken-unsigned: does not apply, since RS256 is the only algorithm', async () => {
  expect(await metadata()).toMatchObject({ id_token_signing_alg_values_supported: ['RS256'] });
});

test('oidcc-userinfo-get', async () => {
  const { access_token: token } = await ada.tokensFor(basic);
  const answer = await userinfo(issuer, token);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(await answer.json()).toEqual({ sub: platform.ada.id });
  const without = await fetch(`${issuer}/oauth/userinfo`);
  expect(without.status).toBe(401);
  expect(without.headers.get('www-authenticate')).toMatch(/^Bearer/);
  const wrong = await userinfo(issuer, 'wrong');
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
});

test.each(['oidcc-userinfo-post-header', 'oidcc-userinfo-post-body'])(
  '%s: does not apply, since the specification has GET alone',
  async (name) => {
    const { access_token: token } = await ada.tokensFor(basic);
    const isHeader = name.endsWith('header');
    const answer = await fetch(`${issuer}/oauth/userinfo`, {
      method: 'POST',
      ...(isHeader && { headers: { authorization: `Bearer ${String(token)}` } }),
      ...(!isHeader && { body: new URLSearchParams({ access_token: String(token) }) }),
    });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD');
  },
);

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
  expect(await claims()).not.toHaveProperty('nonce');
});

test('oidcc-scope-profile', async () => {
  expect(await infoFor('openid profile')).toEqual({ sub: platform.ada.id, name: 'Ada Lovelace' });
  expect(await claims({ scope: 'openid profile' })).not.toHaveProperty('name');
});

test('oidcc-scope-email', async () => {
  expect(await infoFor('openid email')).toEqual({
    sub: platform.ada.id,
    email: 'ada@example.com',
    email_verified: false,
  });
  expect(await claims({ scope: 'openid email' })).not.toHaveProperty('email');
});

test.each(['address', 'phone'])(
  'oidcc-scope-%s: does not apply, since there is no such scope: refused, not ignored',
  async (scope) => {
    expect(await ada.errorAt(basic, { scope: `openid ${scope}` })).toBe('invalid_scope');
    expect((await metadata()).scopes_supported).not.toContain(scope);
  },
);

test('oidcc-scope-all', async () => {
  const { scopes_supported: all = [] } = await metadata();
  const scope = Object.values(Object(all)).join(' ');
  expect(scope.split(' ')).toHaveLength(48);
  expect((await ada.tokensFor(basic, { scope })).scope).toBe(scope);
  expect(await infoFor(scope)).toEqual({
    sub: platform.ada.id,
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    email_verified: false,
  });
});

test('oidcc-ensure-other-scope-order-succeeds', async () => {
  expect(await infoFor('email openid')).toMatchObject({ email: 'ada@example.com' });
  expect(await infoFor('profile email openid')).toMatchObject({ name: 'Ada Lovelace' });
});

test.each(['page', 'popup', 'touch', 'wap'])('oidcc-display-%s', async (display) => {
  const browser = platform.browser();
  const page = await browser.walk(authorizeUrl(issuer, basic, { display }));
  expect(page.text).toContain('name="password"');
  expect(await claims({ display })).toMatchObject({ sub: platform.ada.id });
});

test('oidcc-prompt-login', async () => {
  const before = await claims({ max_age: '10000' });
  expect(await asksPassword({ prompt: 'login' })).toBe(true);
  goAhead(2_000);
  const after = await claims({ prompt: 'login', max_age: '10000' });
  expect(after.sub).toBe(before.sub);
  expect(Number(after.auth_time)).toBeGreaterThan(Number(before.auth_time));
});

test('oidcc-prompt-none-not-logged-in', async () => {
  const browser = platform.browser();
  const visit = await browser.go(authorizeUrl(issuer, basic, { prompt: 'none' }));
  expect(visit.onward?.origin).toBe('https://basic.example');
  expect(visit.onward?.searchParams.get('error')).toBe('login_required');
  expect(visit.onward?.searchParams.get('state')).toBe('a-state');
});

describe('oidcc-prompt-none-logged-in', () => {
  test('gives a code without a page', async () => {
    const before = await claims({ max_age: '10000' });
    const visit = await ada.browser.go(
      authorizeUrl(issuer, basic, { prompt: 'none', max_age: '10000' }),
    );
    expect(visit.onward?.origin).toBe('https://basic.example');
    const answer = await redeem(issuer, basic, visit.onward?.searchParams.get('code') ?? '');
    const after = await claimsOfIdToken(issuer, answer.body.id_token);
    expect([after.sub, after.auth_time]).toEqual([before.sub, before.auth_time]);
  });

  test('but never for more than was consented to, or to a program that cannot be told apart', async () => {
    await ada.codeFor(basic);
    const more = { prompt: 'none', scope: 'openid project:update' };
    expect(await ada.errorAt(basic, more)).toMatch(/^(consent|interaction)_required$/);
    const { desktop } = platform.applications;
    await ada.codeFor(desktop);
    expect(await ada.errorAt(desktop, { prompt: 'none' })).toMatch(/_required$/);
  });
});

test('oidcc-max-age-1', async () => {
  goAhead(60_000);
  expect(await asksPassword({ max_age: '1' })).toBe(true);
  const found = await claims({ max_age: '1' });
  expect(Number(found.auth_time)).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1_000) - 1);
});

test('oidcc-max-age-10000', async () => {
  const first = await claims({ max_age: '10000' });
  goAhead(9_000_000);
  expect(await asksPassword({ max_age: '10000' })).toBe(false);
  const second = await claims({ max_age: '10000' });
  expect(second.auth_time).toBe(first.auth_time);
  expect(typeof second.auth_time).toBe('number');
});

test('oidcc-ensure-request-with-unknown-parameter-succeeds', async () => {
  expect(await claims({ extra: 'foobar' })).toMatchObject({ sub: platform.ada.id });
});

test('oidcc-id-token-hint', async () => {
  const { id_token: hint } = await ada.tokensFor(basic);
  const final = await ada.agree(basic, { prompt: 'none', id_token_hint: String(hint) });
  expect(final.searchParams.get('error')).toBe(null);
  const answer = await redeem(issuer, basic, final.searchParams.get('code') ?? '');
  expect(await claimsOfIdToken(issuer, answer.body.id_token)).toMatchObject({
    sub: platform.ada.id,
  });
  const wrong = { prompt: 'none', id_token_hint: `${String(hint).slice(0, -8)}AAAAAAAA` };
  expect(await ada.errorAt(basic, wrong)).toBe('invalid_request');
});

test('oidcc-login-hint', async () => {
  const browser = platform.browser();
  const hinted = authorizeUrl(issuer, basic, { login_hint: 'grace@example.com' });
  const page = await browser.walk(hinted);
  expect(formOf(page).fields.name).toBe('grace@example.com');
  const final = await browser.agree(hinted, credentials);
  expect(final.searchParams.get('code')).toHaveLength(43);
});

test.each([
  ['oidcc-ui-locales', { ui_locales: 'fr de' }],
  ['oidcc-claims-locales', { claims_locales: 'fr de' }],
  ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
])('%s', async (_name, changes) => {
  expect(await claims(changes)).toMatchObject({ sub: platform.ada.id });
});

test.each([
  ['oidcc-codereuse', 0],
  ['oidcc-codereuse-30seconds', 30_000],
])('%s', async (_name, later) => {
  const code = await ada.codeFor(basic);
  const first = await redeem(issuer, basic, code);
  expect((await userinfo(issuer, first.body.access_token)).status).toBe(200);
  if (later > 0) goAhead(later);
  const second = await redeem(issuer, basic, code);
  expect([second.status, second.body.error]).toEqual([400, 'invalid_grant']);
  expect((await userinfo(issuer, first.body.access_token)).status).toBe(401);
});

test.each<[string, Changes]>([
  ['oidcc-ensure-registered-redirect-uri', { redirect_uri: 'https://basic.example/another' }],
  ['oidcc-ensure-redirect-uri-in-authorization-request', { redirect_uri: undefined }],
  ['oidcc-redirect-uri-query-added', { redirect_uri: 'https://basic.example/callback?foo=bar' }],
])('%s', async (_name, changes) => {
  const visit = await ada.browser.go(authorizeUrl(issuer, basic, changes));
  expect(visit.status).toBe(400);
  expectStays(visit, issuer);
});

test('oidcc-redirect-uri-query-mismatch', async () => {
  const { several } = platform.applications;
  const redirect_uri = 'https://several.example/two?one=1&two=3';
  const visit = await ada.browser.go(authorizeUrl(issuer, several, { redirect_uri }));
  expect(visit.status).toBe(400);
  expectStays(visit, issuer);
});

test('oidcc-ensure-post-request-succeeds: does not apply, the specification has GET alone', async () => {
  const { href, searchParams } = authorizeUrl(issuer, basic);
  const [path = ''] = href.split('?');
  const visit = await ada.browser.go(path, { method: 'POST', body: searchParams });
  expect([visit.status, visit.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

describe('request objects are refused as unsupported', () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const unsigned = (body: object) => `${part({ alg: 'none' })}.${part(body)}.`;

  test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
    const request = unsigned({ scope: 'openid email', nonce: 'inside' });
    expect(await ada.errorAt(basic, { request })).toBe('request_not_supported');
    // OpenID Connect Discovery section 3: left out, it means false.
    expect(await metadata()).not.toMatchObject({ request_parameter_supported: true });
    expect(await metadata()).toMatchObject({ request_uri_parameter_supported: false });
  });

  test('oidcc-ensure-request-object-with-redirect-uri', async () => {
    const request = unsigned({ redirect_uri: 'https://evil.example/callback' });
    expect(await ada.errorAt(basic, { request })).toBe('request_not_supported');
    const visit = await ada.browser.go(
      authorizeUrl(issuer, basic, { request, redirect_uri: undefined }),
    );
    expect(visit.status).toBe(400);
    expectStays(visit, issuer);
  });

  test('by reference: nothing is fetched', async () => {
    const request_uri = 'https://evil.example/request.jwt';
    expect(await ada.errorAt(basic, { request_uri })).toBe('request_uri_not_supported');
  });
});

test('oidcc-claims-essential: does not apply, the parameter is not supported', async () => {
  expect(await metadata()).toMatchObject({ claims_parameter_supported: false });
  const wanted = JSON.stringify({ userinfo: { name: { essential: true } } });
  const { access_token: token } = await ada.tokensFor(basic, { claims: wanted });
  expect(await (await userinfo(issuer, token)).json()).toEqual({ sub: platform.ada.id });
});

test('oidcc-refresh-token', async () => {
  const asked = { nonce: 'a-nonce', max_age: '10000' };
  const first = await ada.tokensFor(basic, asked);
  const before = await claimsOfIdToken(issuer, first.id_token);
  goAhead(5_000);
  const second = await refresh(issuer, basic, first.refresh_token);
  expect(second.status).toBe(200);
  expect(second.body.access_token).not.toBe(first.access_token);
  expect(second.body.refresh_token).not.toBe(first.refresh_token);
  const after = await claimsOfIdToken(issuer, second.body.id_token);
  expect(after).toMatchObject({
    iss: before.iss,
    sub: before.sub,
    aud: before.aud,
    auth_time: before.auth_time,
  });
  expect(Number(after.iat)).toBeGreaterThanOrEqual(Number(before.iat) + 5);
  expect((await userinfo(issuer, second.body.access_token)).status).toBe(200);
  const third = await refresh(issuer, basic, second.body.refresh_token);
  expect(third.status).toBe(200);
});

test('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
  for (const verifier of [createVerifier().verifier, '~'.repeat(128), `a.-_~${'0'.repeat(38)}`]) {
    const { challenge } = createVerifier(verifier);
    const code = await ada.codeFor(basic, { code_challenge: challenge });
    const answer = await redeem(issuer, basic, code, { code_verifier: verifier });
    expect([verifier.length, answer.status]).toEqual([verifier.length, 200]);
  }
});
