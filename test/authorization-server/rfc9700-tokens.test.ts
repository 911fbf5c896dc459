// The attacks of RFC 9700 section 4 on the tokens and pages of the sign-in service, 4.9 to 4.17,
// each under the name of its section. What they do to a client: test/sign-in/rfc9700.test.ts.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { hasChromium, inChromium, openBrowser } from '../event-store/chromium.ts';
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
  getAs,
  isActive,
  mcpResource,
  type PlatformWithAccounts,
  password,
  postToken,
  type Registered,
  refresh,
  startPlatformWithAccounts,
  userinfo,
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

const callPlatform = (token: unknown, path = '/') =>
  fetch(issuer + path, { headers: { authorization: `Bearer ${String(token)}` } });

describe('4.9 Access Token Leakage at the Resource Server', () => {
  test('a token for an MCP server opens neither the platform nor userinfo', async () => {
    const scope = 'openid workspace:read';
    const { access_token: token } = await ada.tokensFor(post, { scope, resource: mcpResource });
    const resource = `?resource=${encodeURIComponent(mcpResource)}`;
    expect(await isActive(issuer, token, resource)).toBe(true);
    expect((await callPlatform(token)).status).toBe(401);
    expect((await callPlatform(token, '/acme')).status).toBe(401);
    expect((await userinfo(issuer, token)).status).toBe(401);
  });

  test('a token for the platform is none for an MCP server, and none of another counts', async () => {
    const { access_token: token } = await ada.tokensFor(post, { scope: 'openid workspace:read' });
    expect((await callPlatform(token)).status).toBe(200);
    for (const resource of [mcpResource, `${issuer}/mcp`, 'https://evil.example/mcp', '']) {
      expect(await isActive(issuer, token, `?resource=${encodeURIComponent(resource)}`)).toBe(
        false,
      );
    }
  });

  test('a token for the platform by name opens the platform, and no MCP server', async () => {
    const { access_token: token } = await ada.tokensFor(post, {
      scope: 'openid workspace:read',
      resource: issuer,
    });
    expect((await callPlatform(token)).status).toBe(200);
    expect(await isActive(issuer, token, `?resource=${encodeURIComponent(mcpResource)}`)).toBe(
      false,
    );
  });

  test('nobody can ask for a token for a resource that is not known here', async () => {
    const unknown = ['https://evil.example/mcp', `${mcpResource}/more`, 'http://mcp.example/mcp'];
    for (const resource of [...unknown, `${mcpResource}#x`, `${mcpResource}?x`]) {
      expect(await ada.errorAt(post, { resource })).toBe('invalid_target');
    }
  });

  test('a token of one resource cannot be changed into one of another', async () => {
    const { refresh_token: token } = await ada.tokensFor(post, { resource: mcpResource });
    const answer = await refresh(issuer, post, token, { resource: issuer });
    expect(answer.body).not.toHaveProperty('access_token');
    expect(answer.body.error).toBe('invalid_target');
  });
});

describe('4.10 Misuse of Stolen Access Tokens', () => {
  // Tokens are not bound to their sender (section 4.10.1): docs/spec knows Bearer alone, and a
  // stdio client has no key that malware on its machine could not use. What bounds the damage:

  test('a revoked token stops working with the next call, at every door', async () => {
    const { access_token: token } = await ada.tokensFor(post, { scope: 'openid workspace:read' });
    expect((await callPlatform(token)).status).toBe(200);
    const body = new URLSearchParams({ token: String(token) });
    const revoked = await fetch(`${issuer}/oauth/revoke`, { method: 'POST', body });
    expect(revoked.status).toBe(200);
    expect((await callPlatform(token)).status).toBe(401);
    expect((await userinfo(issuer, token)).status).toBe(401);
    expect(await isActive(issuer, token)).toBe(false);
  });

  test('a token does what was consented to, for an hour, in one workspace', async () => {
    const { access_token: token } = await ada.tokensFor(post, { scope: 'openid workspace:read' });
    const refused = await callPlatform(token, '/acme/cells');
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="project:read"',
    );
    expect((await callPlatform(token, '/globex')).status).toBe(404);
    goAhead(3_600_000);
    expect((await callPlatform(token, '/acme')).status).toBe(401);
  });

  test('other tokens of the same answer open nothing', async () => {
    const { refresh_token, id_token } = await ada.tokensFor(post, {
      scope: 'openid workspace:read',
    });
    for (const token of [refresh_token, id_token]) {
      expect((await callPlatform(token)).status).toBe(401);
      expect((await userinfo(issuer, token)).status).toBe(401);
      expect(await isActive(issuer, token)).toBe(false);
    }
  });
});

describe('4.11 Open Redirection', () => {
  test('no error is sent to an address that is not registered', async () => {
    const redirect_uri = 'https://evil.example/';
    const wrong: Changes[] = [
      { redirect_uri, scope: 'nonsense' },
      { redirect_uri, response_type: 'token' },
      { redirect_uri, prompt: 'none' },
      { redirect_uri, client_id: 'nobody' },
      { redirect_uri, client_id: undefined },
      { redirect_uri, client_id: 'https://evil.example/' },
      { redirect_uri, response_mode: 'form_post' },
    ];
    for (const changes of wrong) {
      const visit = await ada.browser.go(authorizeUrl(issuer, post, changes));
      expect([changes, visit.status]).toEqual([changes, 400]);
      expectStays(visit, issuer);
    }
  });

  test('no parameter of a page leads away', async () => {
    const target = encodeURIComponent('https://evil.example/');
    const names = ['next', 'return', 'return_to', 'redirect', 'redirect_uri', 'url', 'continue'];
    const query = names.map((name) => `${name}=${target}`).join('&');
    for (const path of ['/settings', '/settings/sign-in', '/oauth/sign-in/nobody']) {
      const visit = await platform.browser().walk(`${path}?${query}`);
      expect(visit.address.origin).toBe(issuer);
      expect(visit.text).not.toContain('evil.example');
    }
  });

  test('a sign-in that nobody began leads nowhere', async () => {
    for (const path of ['/oauth/sign-in/x', '/oauth/authorize/x', '/oauth/sign-in/x/consent']) {
      const visit = await platform.browser().go(path);
      expect(visit.status).toBeGreaterThanOrEqual(400);
      expectStays(visit, issuer);
    }
  });
});

describe('4.12 307 Redirect', () => {
  test('no answer to a form repeats the password elsewhere', async () => {
    const browser = platform.browser();
    const first = await browser.go(authorizeUrl(issuer, post));
    expect(first.status).toBe(303);
    const page = await browser.walk(first.onward ?? issuer);
    const signedIn = await browser.submit(page, credentials);
    const consent = await browser.walk(signedIn.onward ?? issuer);
    const allowed = await browser.submit(consent, { decision: 'allow' });
    for (const visit of [signedIn, allowed]) {
      expect(visit.headers.get('location')).toBe(null);
      expect(visit.status).toBe(200);
    }
    const left = await browser.go(allowed.onward ?? issuer);
    expect([left.status, left.onward?.origin]).toEqual([303, 'https://client.example']);
  });

  test('nor one of the settings', async () => {
    const browser = platform.browser();
    const page = await browser.walk('/settings');
    const signedIn = await browser.submit(page, credentials);
    expect([200, 303]).toContain(signedIn.status);
  });
});

describe('4.13 TLS Terminating Reverse Proxies', () => {
  const forged = {
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'evil.example',
    'x-forwarded-for': '203.0.113.7',
    'x-forwarded-port': '443',
    forwarded: 'for=203.0.113.7;host=evil.example;proto=https',
    'x-original-url': '/settings',
  };

  test('without a public address, what a proxy would say is not believed', async () => {
    const answer = await fetch(`${issuer}/.well-known/openid-configuration`, { headers: forged });
    expect(JSON.stringify(await answer.json())).not.toContain('evil.example');
    const visit = await platform.browser().go(authorizeUrl(issuer, post), { headers: forged });
    expect(visit.onward?.origin).toBe(issuer);
    expect(visit.headers.getSetCookie().join()).not.toMatch(/secure/i);
  });

  test('nobody escapes the pause after wrong passwords by naming other addresses', async () => {
    const browser = platform.browser();
    let page = await browser.walk(authorizeUrl(issuer, post));
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const { action, fields } = formOf(page);
      const body = new URLSearchParams({
        ...fields,
        name: 'nobody@example.com',
        password: 'wrong',
      });
      const headers = { origin: issuer, 'x-forwarded-for': `203.0.113.${attempt}` };
      page = await browser.go(action, { method: 'POST', body, headers });
    }
    expect(page.status).toBe(429);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('behind a proxy for https, cookies are for https alone and addresses are public', async () => {
    const publicUrl = 'https://fovea.example.org';
    const proxied = await startPlatformWithAccounts(publicUrl);
    onTestFinished(() => proxied.close());
    const metadata = await fetch(`${proxied.issuer}/.well-known/openid-configuration`);
    expect(await metadata.json()).toMatchObject({
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/oauth/authorize`,
      jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    });
    const { statusCode, headers } = await getAs(
      'fovea.example.org',
      authorizeUrl(proxied.issuer, proxied.applications.post),
    );
    expect(statusCode).toBe(303);
    expect(new URL(headers.location ?? '', publicUrl).origin).toBe(publicUrl);
    const cookies = headers['set-cookie'] ?? [];
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/;\s*secure/i);
  });
});

describe('4.14 Refresh Token Protection', () => {
  test('each is used once: another comes back, and the old one ends the family later', async () => {
    const first = await ada.tokensFor(post);
    const second = await refresh(issuer, post, first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    goAhead(31_000);
    const replayed = await refresh(issuer, post, first.refresh_token);
    expect([replayed.status, replayed.body.error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(issuer, post, second.body.refresh_token)).status).toBe(400);
    expect(await isActive(issuer, second.body.access_token)).toBe(false);
  });

  test('the same holds for public clients', async () => {
    const first = await ada.tokensFor(platform.applications.public);
    const second = await refresh(issuer, platform.applications.public, first.refresh_token);
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    goAhead(31_000);
    await refresh(issuer, platform.applications.public, first.refresh_token);
    const after = await refresh(issuer, platform.applications.public, second.body.refresh_token);
    expect(after.body.error).toBe('invalid_grant');
  });

  test('one of another application is worth nothing, and stays whole', async () => {
    const { refresh_token: token } = await ada.tokensFor(post);
    for (const thief of [other, platform.applications.public, platform.applications.basic]) {
      const answer = await refresh(issuer, thief, token);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
    }
    expect((await refresh(issuer, post, token)).status).toBe(200);
  });

  test('one of a confidential client needs the secret', async () => {
    const { refresh_token: token } = await ada.tokensFor(post);
    const answer = await refresh(issuer, post, token, { client_secret: undefined });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client']);
  });

  test('it never gives more than was consented to', async () => {
    const scope = 'openid workspace:read project:read';
    const { refresh_token: token } = await ada.tokensFor(post, { scope });
    const wider = await refresh(issuer, post, token, { scope: `${scope} project:update` });
    expect([wider.status, wider.body.error]).toEqual([400, 'invalid_scope']);
    const narrower = await refresh(issuer, post, token, { scope: 'openid workspace:read' });
    expect([narrower.status, narrower.body.scope]).toEqual([200, 'openid workspace:read']);
    expect((await callPlatform(narrower.body.access_token, '/acme/cells')).status).toBe(403);
  });

  test('it ends when it was not used for 30 days, and with the sign-in', async () => {
    const { refresh_token: token } = await ada.tokensFor(post);
    goAhead(30 * 24 * 3_600_000 + 1_000);
    expect((await refresh(issuer, post, token)).body.error).toBe('invalid_grant');
    vi.useRealTimers();
    const kept = await ada.tokensFor(post);
    const body = new URLSearchParams({ token: String(kept.access_token) });
    await fetch(`${issuer}/oauth/revoke`, { method: 'POST', body });
    expect((await refresh(issuer, post, kept.refresh_token)).body.error).toBe('invalid_grant');
  });

  test.each(['access_token', 'refresh_token'])(
    'revoking either ends both, with the secret too: %s',
    async (member) => {
      const tokens = await ada.tokensFor(post);
      const body = new URLSearchParams({
        client_id: post.id,
        client_secret: post.secret,
        token: String(tokens[member]),
      });
      const answer = await fetch(`${issuer}/oauth/revoke`, { method: 'POST', body });
      expect([answer.status, await answer.text()]).toEqual([200, '']);
      expect(await isActive(issuer, tokens.access_token)).toBe(false);
      const refreshed = await refresh(issuer, post, tokens.refresh_token);
      expect(refreshed.body.error).toBe('invalid_grant');
    },
  );

  test('nobody revokes a token with the secret of another application', async () => {
    const tokens = await ada.tokensFor(post);
    for (const member of ['access_token', 'refresh_token']) {
      const body = new URLSearchParams({
        client_id: other.id,
        client_secret: other.secret,
        token: String(tokens[member]),
      });
      const answer = await fetch(`${issuer}/oauth/revoke`, { method: 'POST', body });
      expect(answer.status).toBe(200);
    }
    expect(await isActive(issuer, tokens.access_token)).toBe(true);
    expect((await refresh(issuer, post, tokens.refresh_token)).status).toBe(200);
  });
});

describe('4.15 Client Impersonating Resource Owner', () => {
  test('no client gets a token in its own name', async () => {
    const answer = await postToken(issuer, platform.applications.basic, {
      grant_type: 'client_credentials',
      scope: 'workspace:read',
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toBe('unsupported_grant_type');
    const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
    expect(metadata).not.toMatchObject({
      grant_types_supported: expect.arrayContaining(['client_credentials']),
    });
  });

  test('no passwords are taken at the token endpoint', async () => {
    const answer = await postToken(issuer, post, {
      grant_type: 'password',
      username: credentials.name,
      password,
    });
    expect([answer.status, answer.body.error]).toEqual([400, 'unsupported_grant_type']);
  });

  test('the ids of clients and of people can never be the same', async () => {
    const { sub } = await (await userinfo(issuer, (await ada.tokensFor(post)).access_token))
      .json()
      .then((claims) => Object(claims));
    expect(sub).toBe(platform.ada.id);
    expect(sub).toMatch(/^fvu_[\w-]{22}$/);
    for (const { id } of Object.values(platform.applications))
      expect(id).toMatch(/^fva_[\w-]{22}$/);
  });
});

describe('4.16 Clickjacking', () => {
  test('no page may be framed, whatever its status', async () => {
    const browser = platform.browser();
    const signIn = await browser.walk(authorizeUrl(issuer, post));
    const wrong = await browser.submit(signIn, { name: credentials.name, password: 'wrong' });
    const onward = await browser.submit(wrong, credentials);
    const consent = await browser.walk(onward.onward ?? issuer);
    const forged = await browser.submit(consent, { decision: 'allow', form_token: 'x' });
    const settings = await browser.walk('/settings');
    const error = await browser.go(authorizeUrl(issuer, post, { client_id: 'nobody' }));
    const gone = await browser.go('/oauth/sign-in/nobody');
    for (const page of [signIn, wrong, onward, consent, forged, settings, error, gone]) {
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
  });

  test.skipIf(!hasChromium)(`${inChromium} a frame of another page stays empty`, async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const framed = [authorizeUrl(issuer, post).href, `${issuer}/settings/sign-in`];
    const frames = framed.map((address) => `<iframe src="${address.replaceAll('&', '&amp;')}">`);
    const around = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end(frames.join('</iframe>'));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void around.close());
    await once(around, 'listening');
    const address = around.address();
    const refused: string[] = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.goto(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`);
    await expect
      .poll(() => refused.filter((text) => text.includes('frame-ancestors')))
      .toHaveLength(2);
    for (const frame of page.frames().slice(1)) {
      expect(await frame.locator('input').count()).toBe(0);
    }
    // The same page by itself has its fields.
    await page.goto(framed[0] ?? '');
    expect(await page.locator('input[name=password]').count()).toBe(1);
  });
});

describe('4.17 Attacks on In-Browser Communication Flows', () => {
  test.each(['web_message', 'form_post', 'fragment', 'jwt'])(
    'there are none: answers come in the query alone, not by %s',
    async (response_mode) => {
      await ada.codeFor(post);
      expect(await ada.errorAt(post, { response_mode })).toBe('unsupported_response_mode');
      const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
      expect(metadata).toMatchObject({ response_modes_supported: ['query'] });
    },
  );
});
