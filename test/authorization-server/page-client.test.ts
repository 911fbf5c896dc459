// The platform's page as a client of the sign-in service: what it gets, and what nobody gets by its
// name.

import { beforeAll, describe, expect, test } from 'vitest';
import { scopes } from '../../src/contract/scopes.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { goAhead, openAccountHolder } from './account-holder.ts';
import type { Visit } from './cookie-browser.ts';
import {
  authorizeUrl,
  type Changes,
  isActive,
  type PlatformWithAccounts,
  pageClient,
  pageCodeOf,
  pageRequest,
  password,
  redeem,
  startPlatformWithAccounts,
} from './platform-with-accounts.ts';

let platform: PlatformWithAccounts;

beforeAll(async () => {
  platform = await startPlatformWithAccounts();
  return () => platform.close();
});

const email = 'ada@example.com';

async function tokenOf(name = email): Promise<string> {
  const { issuer } = platform;
  const answer = await redeem(issuer, pageClient(issuer), await pageCodeOf(platform, name));
  expect(answer.status).toBe(200);
  return String(answer.body.access_token);
}

const call = (path: string, token: string, headers = {}) =>
  fetch(platform.issuer + path, { headers: { authorization: `Bearer ${token}`, ...headers } });

describe('the page of this platform', () => {
  test('is told the service, its client and the scopes, without a credential', async () => {
    const answer = await fetch(`${platform.issuer}/page/account-sign-in`);
    expect(await answer.json()).toEqual({
      service: { issuer: platform.issuer, clientId: 'fovea-page', scope: scopes.join(' ') },
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const alone = await startTestPlatform({ inSources: true });
    const none = await fetch(`${alone.url}/page/account-sign-in`);
    expect([none.status, await none.json()]).toEqual([200, { service: null }]);
    await alone.close();
  });

  test('gets a token for a day, and no refresh token', async () => {
    const { issuer } = platform;
    const code = await pageCodeOf(platform, email);
    const { body } = await redeem(issuer, pageClient(issuer), code);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 86_400 });
    expect(body.refresh_token).toBe(undefined);
    const token = String(body.access_token);
    expect(await (await call('/', token)).json()).toMatchObject({ workspace: 'acme' });
    const people = await (await call('/page/people', token)).json();
    expect(people).toEqual({
      names: { [`token:${platform.ada.id}`]: 'Ada Lovelace' },
      me: `token:${platform.ada.id}`,
    });
    goAhead(86_400_000);
    expect((await call('/', token)).status).toBe(401);
  });

  test('reads no names of other workspaces, and none without a credential', async () => {
    expect((await fetch(`${platform.issuer}/page/people`)).status).toBe(401);
    const found = await (await call('/page/people', platform.key)).json();
    expect(found).toEqual({
      names: { [`token:${platform.ada.id}`]: 'Ada Lovelace' },
      me: 'environment',
    });
  });

  test('tells the names of people whose accounts are gone', async () => {
    const ids = [];
    for (const [name, workspace] of [
      ['Ben Gone', 'acme'],
      ['Cy Elsewhere', 'other'],
    ]) {
      ids.push(await platform.addAccount(String(name), [String(workspace)]));
      await platform.removeAccount(`${String(name).split(' ')[0]}@example.com`);
    }
    const { names } = Object(await (await call('/page/people', platform.key)).json());
    expect(names).toEqual({
      [`token:${platform.ada.id}`]: 'Ada Lovelace',
      [`token:${ids[0]}`]: 'Ben Gone (removed)',
    });
  });

  test('a code is good once, and a second use ends the token of the first', async () => {
    const { issuer } = platform;
    const code = await pageCodeOf(platform, email);
    const { body } = await redeem(issuer, pageClient(issuer), code);
    expect(await isActive(issuer, body.access_token)).toBe(true);
    const again = await redeem(issuer, pageClient(issuer), code);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect(await isActive(issuer, body.access_token)).toBe(false);
  });

  test('a code is worth nothing without the verifier', async () => {
    const { issuer } = platform;
    for (const verifier of [undefined, 'another-verifier-of-forty-three-characters-x']) {
      const code = await pageCodeOf(platform, email);
      const changes = { code_verifier: verifier };
      const answer = await redeem(issuer, pageClient(issuer), code, changes);
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
    }
  });
});

test('codes go to this page alone', async () => {
  const port = new URL(platform.issuer).port;
  const others = [
    'http://127.0.0.1:1/',
    'http://127.0.0.1/',
    `http://localhost:${port}/`,
    `${platform.issuer}/settings`,
    `${platform.issuer}/?a=b`,
    `${platform.issuer}/#tasks`,
    platform.issuer,
    'https://evil.example/',
  ];
  for (const uri of others) {
    const visit = await platform.browser().go(urlWith({ redirect_uri: uri }));
    expect([uri, visit.status, visit.onward]).toEqual([uri, 400, undefined]);
  }
});

function urlWith(changes: Changes): URL {
  return pageRequest(platform.issuer, changes);
}

test('the request needs PKCE with S256, and a code is all that it gives', async () => {
  for (const [changes, error] of [
    [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ prompt: 'none' }, 'login_required'],
  ] as const) {
    const { onward } = await platform.browser().go(urlWith(changes));
    expect([onward?.pathname, onward?.searchParams.get('error')]).toEqual(['/', error]);
    expect(onward?.searchParams.get('state')).toBe('a-state');
  }
});

test('pages of other origins may not redeem its codes', async () => {
  const { issuer } = platform;
  const send = async (origin: string) => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'fovea-page',
      redirect_uri: `${issuer}/`,
      code_verifier: 'a-verifier-that-only-the-application-knows-43',
      code: await pageCodeOf(platform, email),
    });
    return fetch(`${issuer}/oauth/token`, { method: 'POST', body, headers: { origin } });
  };
  const foreign = await send('https://evil.example');
  expect(foreign.status).toBe(403);
  expect(foreign.headers.get('access-control-allow-origin')).toBe(null);
  expect((await send(issuer)).status).toBe(200);
});

test('its token is not for an MCP server', async () => {
  const token = await tokenOf();
  const resource = encodeURIComponent('https://mcp.example/mcp');
  expect(await isActive(platform.issuer, token, `?resource=${resource}`)).toBe(false);
});

test('who signs out there is signed out of the browser, for other applications as well', async () => {
  const { issuer, applications } = platform;
  const holder = openAccountHolder(platform);
  await holder.codeFor(applications.post);
  expect(await holder.errorAt(applications.post, { prompt: 'none' })).toBe(null);
  const asked = await holder.browser.go(urlWith({ prompt: 'none' }));
  const code = asked.onward?.searchParams.get('code') ?? '';
  const { body } = await redeem(issuer, pageClient(issuer), code);
  const token = String(body.access_token);
  await fetch(`${issuer}/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ token }) });
  expect(await isActive(issuer, token)).toBe(false);
  expect(await holder.errorAt(applications.post, { prompt: 'none' })).toBe('login_required');
});

describe('a new password', () => {
  const next = 'nine yellow lanterns';

  /** Somebody with a program, and with the page in one browser and a code for it in another. */
  async function withAccess(name: string) {
    const { issuer, applications } = platform;
    await platform.addAccount(name, ['acme']);
    const email = `${name.split(' ')[0]?.toLowerCase()}@example.com`;
    const person = { name: email, password };
    const url = authorizeUrl(issuer, applications.post);
    const back = await platform.browser().agree(url, person);
    const code = back.searchParams.get('code') ?? '';
    const { body } = await redeem(issuer, applications.post, code);
    const [token, program] = [await tokenOf(email), String(body.access_token)];
    return { email, person, token, program, late: await pageCodeOf(platform, email) };
  }

  async function expectPageEnded({ token, program, late }: Awaited<ReturnType<typeof withAccess>>) {
    const { issuer } = platform;
    const body = JSON.stringify({ name: 'Late' });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const asked = await fetch(`${issuer}/acme/api-keys`, { method: 'POST', body, headers });
    expect([asked.status, (await call('/', token)).status]).toEqual([401, 401]);
    expect((await redeem(issuer, pageClient(issuer), late)).body.error).toBe('invalid_grant');
    expect(await isActive(issuer, program)).toBe(true);
  }

  test('set on the command line ends the page in every browser, and no program', async () => {
    const access = await withAccess('Barbara Liskov');
    const other = await tokenOf();
    await platform.changePassword(access.email, next);
    await expectPageEnded(access);
    expect((await call('/', other)).status).toBe(200);
  });

  test('set at the settings does so too', async () => {
    const { person, ...access } = await withAccess('Dorothy Vaughan');
    const browser = platform.browser();
    await browser.submit(await browser.go('/settings/sign-in'), person);
    const form = await browser.go('/settings/password');
    const changed = await browser.submit(formAt(form, 'new_password'), {
      password,
      new_password: next,
      again: next,
    });
    expect(changed.text).toContain('Your password is changed');
    await expectPageEnded({ person, ...access });
  });
});

/** The page with only the form that has such a field. */
function formAt(page: Visit, field: string): Visit {
  const form = page.text.split('<form').find((each) => each.includes(`name="${field}"`));
  return { ...page, text: `<form${form}` };
}

test('a program that signs out leaves the browser signed in', async () => {
  const { issuer, applications } = platform;
  const holder = openAccountHolder(platform);
  const { access_token: token } = await holder.tokensFor(applications.post);
  const body = new URLSearchParams({ token: String(token) });
  await fetch(`${issuer}/oauth/revoke`, { method: 'POST', body });
  expect(await isActive(issuer, token)).toBe(false);
  const asked = await holder.browser.go(urlWith({ prompt: 'none' }));
  expect(asked.onward?.searchParams.get('error')).toBe(null);
});

test('neither the page nor its sign-in is shown in a frame', async () => {
  const page = await fetch(platform.issuer, { headers: { accept: 'text/html' } });
  const begun = await platform.browser().walk(urlWith({}));
  for (const { headers } of [page, begun]) {
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
  }
  expect(begun.text).toContain('Fovea in this browser');
});

test('behind a proxy the page is at the public address', async () => {
  const behind = await startPlatformWithAccounts('https://fovea.example');
  try {
    const answer = await fetch(`${behind.issuer}/page/account-sign-in`);
    expect(await answer.json()).toMatchObject({ service: { issuer: 'https://fovea.example' } });
    const at = async (uri: string) => {
      const client = { ...pageClient('https://fovea.example'), redirectUri: uri };
      const browser = behind.browser();
      return (await browser.go(authorizeUrl(behind.issuer, client, { prompt: 'none' }))).onward;
    };
    expect((await at('https://fovea.example/'))?.origin).toBe('https://fovea.example');
    expect(await at(`${behind.issuer}/`)).toBe(undefined);
  } finally {
    await behind.close();
  }
});

test('who has several workspaces is asked which one, each time that the last sign-in was ended', async () => {
  const { issuer } = platform;
  const browser = platform.browser();
  const first = await browser.walk(urlWith({}));
  const asked = await browser.submit(first, { name: 'grace@example.com', password });
  const page = await browser.walk(asked.onward ?? '');
  expect(page.text).toContain('In which workspace?');
  expect(page.text).not.toContain('It will be able to');
  const chosen = await browser.submit(page, { workspace: 'initech', decision: 'allow' });
  const done = await browser.go(chosen.onward ?? '');
  const code = done.onward?.searchParams.get('code') ?? '';
  const { body } = await redeem(issuer, pageClient(issuer), code);
  const token = String(body.access_token);
  expect(await (await call('/', token)).json()).toMatchObject({ workspace: 'initech' });
  const silent = await browser.go(urlWith({ prompt: 'none' }));
  expect(silent.onward?.searchParams.get('error')).toBe(null);
});
