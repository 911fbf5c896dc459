// The attacks of RFC 9700 section 4 on the requests and forms of the sign-in service, 4.1 to 4.8,
// each under the name of its section. What they do to a client: test/sign-in/rfc9700.test.ts.

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
  challengeOf,
  createVerifier,
  isActive,
  ownVerifier,
  type PlatformWithAccounts,
  type Registered,
  redeem,
  refresh,
  startPlatformWithAccounts,
} from './platform-with-accounts.ts';

let platform: PlatformWithAccounts;
let issuer = '';
let ada: AccountHolder;
let post: Registered;
let other: Registered;

beforeAll(async () => {
  platform = await startPlatformWithAccounts();
  issuer = platform.issuer;
  ({ post, other } = platform.applications);
  ada = openAccountHolder(platform);
});

afterAll(() => platform.close());

describe('4.1 Insufficient Redirection URI Validation', () => {
  test.each<[string, string | readonly string[] | undefined]>([
    ['another host', 'https://evil.example/callback'],
    ['another scheme', 'http://client.example/callback'],
    ['another port', 'https://client.example:8443/callback'],
    ['the default port, spelled out', 'https://client.example:443/callback'],
    ['another path', 'https://client.example/other'],
    ['a path below', 'https://client.example/callback/more'],
    ['the path alone', 'https://client.example/'],
    ['a slash at the end', 'https://client.example/callback/'],
    ['upper case in the path', 'https://client.example/Callback'],
    ['upper case in the host', 'https://CLIENT.example/callback'],
    ['a query added', 'https://client.example/callback?next=https://evil.example'],
    ['an empty query', 'https://client.example/callback?'],
    ['a fragment', 'https://client.example/callback#fragment'],
    ['an empty fragment', 'https://client.example/callback#'],
    ['a user name', 'https://evil.example@client.example/callback'],
    ['the host as user name', 'https://client.example@evil.example/callback'],
    ['a step up', 'https://client.example/x/../callback'],
    ['an encoded step up', 'https://client.example/x/%2e%2e/callback'],
    ['an encoded slash', 'https://client.example%2Fcallback'],
    ['a backslash', 'https://client.example\\@evil.example/callback'],
    ['a subdomain', 'https://evil.client.example/callback'],
    ['a host that ends alike', 'https://evilclient.example/callback'],
    ['a host that begins alike', 'https://client.example.evil.example/callback'],
    ['a dot after the host', 'https://client.example./callback'],
    ['a wildcard', 'https://*.example/callback'],
    ['a twin from another alphabet', 'https://сlient.example/callback'],
    ['a script', 'javascript:alert(1)//https://client.example/callback'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['a tab inside', 'https://client.example/call\tback'],
    ['a line break at the end', 'https://client.example/callback\n'],
    ['a blank before it', ' https://client.example/callback'],
    ['nothing', undefined],
    ['an empty one', ''],
    ['the right one twice', ['https://client.example/callback', 'https://client.example/callback']],
    ['the right one and another', ['https://client.example/callback', 'https://evil.example/']],
    ['that of another application', 'https://other.example/callback'],
  ])('%s', async (_name, redirect_uri) => {
    const visit = await ada.browser.go(authorizeUrl(issuer, post, { redirect_uri }));
    expect(visit.status).toBe(400);
    expect(visit.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expectStays(visit, issuer);
    expect(visit.text).not.toMatch(/<script|href="(?:https:\/\/evil|javascript|data:text)/i);
  });

  test('none of two that are registered', async () => {
    const { several } = platform.applications;
    const visit = await ada.browser.go(authorizeUrl(issuer, several, { redirect_uri: undefined }));
    expect(visit.status).toBe(400);
    expectStays(visit, issuer);
  });

  test.each([
    ['the parameters in another order', 'https://several.example/two?two=2&one=1', 400],
    ['a parameter more', 'https://several.example/two?one=1&two=2&three=3', 400],
    ['a parameter less', 'https://several.example/two?one=1', 400],
    ['exactly the registered query', 'https://several.example/two?one=1&two=2', 303],
  ])('a query: %s', async (_name, redirect_uri, status) => {
    const { several } = platform.applications;
    expect((await ada.browser.go(authorizeUrl(issuer, several, { redirect_uri }))).status).toBe(
      status,
    );
  });

  test.each([
    ['http://127.0.0.1/callback', 303],
    ['http://127.0.0.1:8976/callback', 303],
    ['http://localhost:8976/callback', 400],
    ['http://[::1]:8976/callback', 400],
    ['http://127.0.0.2:8976/callback', 400],
    ['http://127.1:8976/callback', 400],
    ['http://2130706433:8976/callback', 400],
    ['http://0x7f.0.0.1:8976/callback', 400],
    ['https://127.0.0.1:8976/callback', 400],
    ['http://127.0.0.1:8976/other', 400],
    ['http://127.0.0.1:8976/callback?x=1', 400],
    ['http://127.0.0.1:99999/callback', 400],
    ['http://127.0.0.1:8976@evil.example/callback', 400],
    ['http://127.0.0.1.evil.example:8976/callback', 400],
  ])('a desktop application, any port of its loopback address alone: %s', async (uri, status) => {
    const visit = await ada.browser.go(
      authorizeUrl(issuer, platform.applications.desktop, { redirect_uri: uri }),
    );
    expect(visit.status).toBe(status);
    if (status === 400) expectStays(visit, issuer);
  });

  test('the code is redeemed with the redirect URI of its request alone', async () => {
    const { several } = platform.applications;
    const second = 'https://several.example/two?one=1&two=2';
    const code = await ada.codeFor(several, { redirect_uri: second });
    const wrong = await redeem(issuer, several, code, { redirect_uri: several.redirectUri });
    expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_grant']);
    const missing = await ada.codeFor(several, { redirect_uri: second });
    const without = await redeem(issuer, several, missing, { redirect_uri: undefined });
    expect([without.status, without.body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('4.2 Credential Leakage via Referer Headers', () => {
  test('no page tells its address to others, or loads anything', async () => {
    const browser = platform.browser();
    const signIn = await browser.walk(authorizeUrl(issuer, post));
    const wrong = await browser.submit(signIn, { name: credentials.name, password: 'wrong' });
    const onward = await browser.submit(wrong, credentials);
    const consent = await browser.walk(onward.onward ?? issuer);
    const done = await browser.submit(consent, { decision: 'allow' });
    const error = await browser.go(
      authorizeUrl(issuer, post, { redirect_uri: 'https://evil.test' }),
    );
    const settings = await browser.walk('/settings');
    const pages = { signIn, wrong, onward, consent, done, error, settings };
    for (const [name, page] of Object.entries(pages)) {
      expect([name, page.headers.get('referrer-policy')]).toEqual([name, 'same-origin']);
      expect([name, page.headers.get('content-security-policy')]).toEqual([
        name,
        expect.stringMatching(/^default-src 'none';/),
      ]);
      expect(page.headers.get('content-security-policy')).not.toMatch(/script-src|https?:|\*/);
      expect(page.text).not.toMatch(/<(script|iframe|object|embed|base)\b|\son\w+=/i);
      for (const [, address = ''] of page.text.matchAll(/\s(?:src|href)="([^"]*)"/g)) {
        if (address !== 'data:,') expect(new URL(address, issuer).origin).toBe(issuer);
      }
    }
  });

  test('the redirect with the code says so too', async () => {
    await ada.codeFor(post);
    const visit = await ada.browser.go(authorizeUrl(issuer, post));
    expect(visit.onward?.searchParams.get('code')).toHaveLength(43);
    expect(visit.headers.get('referrer-policy')).toMatch(/^(same-origin|no-referrer)$/);
  });
});

describe('4.3 Credential Leakage via Browser History', () => {
  test('a code in the history is worth nothing once it was used, and ends what it gave', async () => {
    const code = await ada.codeFor(post);
    const first = await redeem(issuer, post, code);
    expect(await isActive(issuer, first.body.access_token)).toBe(true);
    const again = await redeem(issuer, post, code);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect(await isActive(issuer, first.body.access_token)).toBe(false);
    const refreshed = await refresh(issuer, post, first.body.refresh_token);
    expect(refreshed.body.error).toBe('invalid_grant');
  });

  test('a code that nobody used ends after a minute', async () => {
    const code = await ada.codeFor(post);
    goAhead(61_000);
    expect((await redeem(issuer, post, code)).body.error).toBe('invalid_grant');
  });

  test('no access token stands in an address', async () => {
    const { access_token: token } = await ada.tokensFor(post, { scope: 'openid workspace:read' });
    const addresses = [
      `/?access_token=${String(token)}`,
      `/?api_key=${String(token)}`,
      `/acme?access_token=${String(token)}`,
      `/oauth/userinfo?access_token=${String(token)}`,
    ];
    for (const address of addresses) {
      const answer = await fetch(issuer + address);
      expect([address, answer.status]).toEqual([address, answer.status === 400 ? 400 : 401]);
    }
    const validated = await fetch(`${issuer}/oauth/validate?access_token=${String(token)}`);
    expect(await validated.json()).toMatchObject({ active: false });
  });

  test('nothing with a code, a token or a form in it is kept by the browser', async () => {
    const browser = platform.browser();
    const first = await browser.go(authorizeUrl(issuer, post));
    const page = await browser.walk(first.onward ?? issuer);
    const token = await redeem(issuer, post, await ada.codeFor(post));
    const left = await ada.browser.go(authorizeUrl(issuer, post));
    for (const { headers } of [first, page, token, left]) {
      expect(headers.get('cache-control')).toContain('no-store');
    }
  });
});

describe('4.4 Mix-Up Attacks', () => {
  test('every answer names its issuer: a code', async () => {
    const final = await ada.agree(post);
    expect(final.searchParams.getAll('iss')).toEqual([issuer]);
  });

  test('every answer names its issuer: an error, a refusal by the person', async () => {
    const visit = await ada.browser.go(authorizeUrl(issuer, post, { scope: 'profile' }));
    expect(visit.onward?.searchParams.getAll('iss')).toEqual([issuer]);
    const browser = platform.browser();
    const page = await browser.walk(authorizeUrl(issuer, post));
    const consent = await browser.walk((await browser.submit(page, credentials)).onward ?? issuer);
    const denied = await browser.submit(consent, { decision: 'deny' });
    const final = await browser.walk(denied.onward ?? issuer);
    expect(final.onward?.searchParams.get('error')).toBe('access_denied');
    expect(final.onward?.searchParams.getAll('iss')).toEqual([issuer]);
    expect(final.onward?.searchParams.get('state')).toBe('a-state');
  });

  test('the metadata promises it, and names the issuer under which it was asked for', async () => {
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const metadata = await (await fetch(`${issuer}/.well-known/${name}`)).json();
      expect(metadata).toMatchObject({
        issuer,
        authorization_response_iss_parameter_supported: true,
      });
    }
  });

  test('metadata asked for under another of its names still names the one issuer', async () => {
    const { port } = new URL(issuer);
    const answer = await fetch(`http://localhost:${port}/.well-known/openid-configuration`);
    const metadata: unknown = await answer.json();
    expect(metadata).toMatchObject({ issuer, token_endpoint: `${issuer}/oauth/token` });
    expect(JSON.stringify(metadata)).not.toContain('localhost');
  });
});

describe('4.5 Authorization Code Injection', () => {
  test('a code is worth nothing with another verifier', async () => {
    const { verifier } = createVerifier();
    const code = await ada.codeFor(post);
    const answer = await redeem(issuer, post, code, { code_verifier: verifier });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
  });

  test('a code of one application is worth nothing to another', async () => {
    const code = await ada.codeFor(post);
    for (const redirect_uri of [post.redirectUri, other.redirectUri]) {
      const answer = await redeem(issuer, other, code, { redirect_uri });
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
    }
  });

  test('a code needs the secret of its application', async () => {
    const code = await ada.codeFor(post);
    const wrong = [{ client_secret: undefined }, { client_secret: '' }, { client_secret: 'x' }];
    for (const changes of [...wrong, { client_secret: other.secret }]) {
      const answer = await redeem(issuer, post, code, changes);
      expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
    }
    expect((await redeem(issuer, post, code)).status).toBe(200);
  });

  test('the nonce comes back in the id_token, so that a client can tell', async () => {
    const { id_token: token } = await ada.tokensFor(post, { nonce: 'a-nonce' });
    const [, claims = ''] = String(token).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      nonce: 'a-nonce',
      aud: post.id,
      iss: issuer,
    });
  });
});

describe('4.6 Access Token Injection', () => {
  test.each(['token', 'id_token', 'id_token token', 'code token', 'code id_token', 'none'])(
    'no token comes through the browser: response_type %s',
    async (response_type) => {
      const visit = await ada.browser.go(authorizeUrl(issuer, post, { response_type, nonce: 'n' }));
      expect(`${visit.onward?.origin}${visit.onward?.pathname}`).toBe(post.redirectUri);
      expect(visit.onward?.href).toContain('error=unsupported_response_type');
      expect(visit.onward?.href).not.toMatch(/access_token|id_token=/);
    },
  );
});

describe('4.7 Cross-Site Request Forgery', () => {
  const reached = async () => {
    const browser = platform.browser();
    const signIn = await browser.walk(authorizeUrl(issuer, post));
    const consent = await browser.walk(
      (await browser.submit(signIn, credentials)).onward ?? issuer,
    );
    expect(consent.text).toContain('name="decision"');
    return { browser, signIn, consent };
  };

  test('the state comes back as it was, whatever is in it', async () => {
    for (const state of ['x', '&code=evil', '"><script>', 'ü€😀', 'a b+c%20', 'x'.repeat(500)]) {
      const final = await ada.agree(post, { state });
      expect(final.searchParams.getAll('state')).toEqual([state]);
      expect(final.searchParams.getAll('code')).toHaveLength(1);
    }
  });

  test('a consent needs the token of its own page', async () => {
    const { browser, consent, signIn } = await reached();
    const tokens = [undefined, '', 'wrong', formOf(signIn).fields.form_token];
    for (const form_token of tokens) {
      const visit = await browser.submit(consent, { decision: 'allow', form_token });
      expect([form_token, visit.status, visit.onward]).toEqual([form_token, 403, undefined]);
    }
  });

  test('a consent needs the browser that began, and the token of its own sign-in', async () => {
    const mine = await reached();
    const theirs = await reached();
    const { form_token } = formOf(theirs.consent).fields;
    const crossed = await mine.browser.submit(mine.consent, { decision: 'allow', form_token });
    expect([crossed.status, crossed.onward]).toEqual([403, undefined]);
    const stranger = await platform.browser().submit(mine.consent, { decision: 'allow' });
    expect([stranger.status, stranger.onward]).toEqual([404, undefined]);
    const foreign = await theirs.browser.submit(mine.consent, { decision: 'allow' });
    expect([foreign.status, foreign.onward]).toEqual([404, undefined]);
  });

  test('the cookies of one sign-in open no other, whatever address they are sent to', async () => {
    const mine = await reached();
    const theirs = await reached();
    const sent = [...theirs.browser.cookies].map(([name, { value }]) => `${name}=${value}`);
    const headers = { cookie: sent.join('; '), origin: issuer };
    const { action, fields } = formOf(mine.consent);
    const page = await fetch(action.href.replace('/consent', ''), { headers });
    expect(page.status).toBe(404);
    const body = new URLSearchParams({ ...fields, decision: 'allow' });
    const posted = await fetch(action, { method: 'POST', headers, body });
    expect(posted.status).toBe(404);
    expect((await mine.browser.submit(mine.consent, { decision: 'allow' })).status).toBe(200);
  });

  test('a consent cannot be sent twice, or by a page of another origin', async () => {
    const { browser, consent } = await reached();
    const { action, fields } = formOf(consent);
    const body = new URLSearchParams({ ...fields, decision: 'allow' });
    for (const origin of ['https://evil.example', 'null', `${issuer}0`]) {
      const forged = await browser.go(action, { method: 'POST', body, headers: { origin } });
      expect([origin, forged.status, forged.onward]).toEqual([origin, 403, undefined]);
    }
    const allowed = await browser.submit(consent, { decision: 'allow' });
    expect(allowed.status).toBe(200);
    const again = await browser.submit(consent, { decision: 'allow' });
    expect(again.onward).toBe(undefined);
    expect(again.status).toBeGreaterThanOrEqual(400);
  });

  test('a consent is for a workspace of that person, or nothing happens', async () => {
    for (const workspace of ['globex', 'nobody', '', undefined]) {
      const { browser, consent } = await reached();
      const visit = await browser.submit(consent, { decision: 'allow', workspace });
      expect([workspace, visit.status, visit.onward]).toEqual([workspace, 400, undefined]);
      const again = await browser.walk(authorizeUrl(issuer, post));
      expect(again.text).toContain('name="decision"');
    }
  });

  test('cookies stay with this service, out of reach of scripts and of other sites', async () => {
    const browser = platform.browser();
    const first = await browser.go(authorizeUrl(issuer, post));
    const page = await browser.walk(first.onward ?? issuer);
    const signedIn = await browser.submit(page, credentials);
    const resumed = await browser.go(signedIn.onward ?? issuer);
    const settings = await platform.browser().walk('/settings');
    const lines = [first, resumed, settings].flatMap(({ headers }) => headers.getSetCookie());
    expect(lines.length).toBeGreaterThanOrEqual(4);
    for (const line of lines) {
      expect(line).toMatch(/;\s*httponly/i);
      expect(line).toMatch(/;\s*samesite=(lax|strict)/i);
      expect(line).not.toMatch(/;\s*domain=/i);
    }
  });

  test('a session that somebody planted is not the one that is signed in', async () => {
    const browser = platform.browser();
    const page = await browser.walk(authorizeUrl(issuer, post));
    const before = [...browser.cookies.values()].map(({ value }) => value);
    await browser.walk((await browser.submit(page, credentials)).onward ?? issuer);
    const sessions = [...browser.cookies].filter(([name]) => name.includes('session'));
    expect(sessions.length).toBeGreaterThan(0);
    for (const [, { value }] of sessions) expect(before).not.toContain(value);
  });

  test('consent is no matter of a link', async () => {
    const { browser, consent } = await reached();
    const { action, fields } = formOf(consent);
    const query = new URLSearchParams({ ...fields, decision: 'allow' });
    const visit = await browser.go(`${action.href}?${query}`);
    expect(visit.status).toBe(405);
  });

  test('nobody is signed in by a form from elsewhere', async () => {
    const browser = platform.browser();
    const page = await browser.walk(authorizeUrl(issuer, post));
    for (const form_token of [undefined, 'wrong']) {
      const visit = await browser.submit(page, { ...credentials, form_token });
      expect([visit.status, visit.onward]).toEqual([403, undefined]);
    }
    expect((await browser.walk(authorizeUrl(issuer, post))).text).toContain('name="password"');
  });
});

describe('4.8 PKCE Downgrade Attack', () => {
  const { challenge } = createVerifier();

  test.each<[string, Changes]>([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['a method without a challenge', { code_challenge: undefined }],
    ['an empty challenge', { code_challenge: '' }],
    ['no method, which means plain', { code_challenge_method: undefined }],
    ['the method plain', { code_challenge_method: 'plain' }],
    ['the method s256', { code_challenge_method: 's256' }],
    ['a challenge of 42 characters', { code_challenge: challenge.slice(1) }],
    ['a challenge of 129 characters', { code_challenge: 'x'.repeat(129) }],
    ['a challenge that is padded', { code_challenge: `${challenge}=` }],
  ])('%s', async (_name, changes) => {
    for (const application of Object.values(platform.applications)) {
      expect(await ada.errorAt(application, changes)).toBe('invalid_request');
    }
  });

  test('two challenges', async () => {
    const twice = { code_challenge: [challengeOf(ownVerifier), challenge] };
    const visit = await ada.browser.go(authorizeUrl(issuer, post, twice));
    expect(visit.onward?.searchParams.get('code') ?? null).toBe(null);
  });

  test.each<[string, string | undefined]>([
    ['no verifier', undefined],
    ['an empty verifier', ''],
    ['the challenge as verifier', challengeOf(ownVerifier)],
    ['a verifier of 42 characters', 'v'.repeat(42)],
    ['a verifier of 129 characters', 'v'.repeat(129)],
  ])('%s', async (_name, code_verifier) => {
    const code = await ada.codeFor(post);
    const answer = await redeem(issuer, post, code, { code_verifier });
    expect(answer.status).toBe(400);
    expect(answer.body).not.toHaveProperty('access_token');
  });

  test('the metadata offers S256 alone', async () => {
    const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    expect(metadata).toMatchObject({ code_challenge_methods_supported: ['S256'] });
  });
});
