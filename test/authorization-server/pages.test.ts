// The pages of a sign-in over HTTP: who may send which form, and what it then means.

import { once } from 'node:events';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { scopes } from '../../src/contract/scopes.ts';
import {
  authorizationUrl,
  person,
  postForm,
  signedIn,
  signIn,
  startTestAuthorizationServer,
  type TestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { type FormBrowser, formOf, openFormBrowser } from '../fixtures/form-browser.ts';
import { localhostCertificate, localhostKey } from '../fixtures/localhost-certificate.ts';
import {
  addGrace,
  administer,
  atConsent,
  atSignIn,
  grace,
  openService,
  send,
  walk,
  wordsOf,
} from './page-visits.ts';
import { shareService } from './shared-service.ts';

const shared = shareService();

const password = { name: person.name, password: person.password };

/** Where a sign-in goes from here by itself: its path, without what differs each time. */
async function goesOn(browser: FormBrowser, service: TestAuthorizationServer, uid: string) {
  const { next } = await browser.get(`${service.url}/oauth/authorize/${uid}`);
  return next?.pathname.replace(/[\w-]{43}/, 'UID');
}

function uidOf(page: Parameters<typeof formOf>[0]): string {
  return formOf(page).action.split('/')[3] ?? '';
}

test('the consent page names who asks, who is asked, where it leads and what it allows', async () => {
  const service = await shared();
  const homepage = 'https://labels.example.com/about';
  const application = await service.register({
    name: 'Labels & Sheets',
    homepage,
    redirectUris: ['https://labels.example.com/back'],
  });
  const { page } = await atConsent(service, application, {
    scope: 'openid email project:read credentials:delete',
  });
  expect(page.status).toBe(200);
  expect(wordsOf(page)).toBe(
    'Fovea Labels &amp; Sheets asks for access ' +
      'You are signed in as Ada Lovelace ( ada@example.com ). Not you? ' +
      'Homepage https://labels.example.com/about Goes back to labels.example.com ' +
      'It will be able to ' +
      'Who you are Know which account is yours, by an identifier that stays the same ' +
      'See your email address ' +
      'Workspace and projects See projects and their models, and search them ' +
      'Integrations and credentials Revoke API keys ' +
      'In the workspace acme . ' +
      'It keeps this access until it signs out, or is not used for 30 days. Deny Allow',
  );
  expect(page.text).toContain('<span class="strong">Revoke API keys</span>');
  expect(page.text).toContain('<title>Allow Labels &amp; Sheets? · Fovea</title>');
});

test('a program on the own computer is told as such', async () => {
  const service = await shared();
  // The second one was not registered as a desktop application.
  for (const application of [service.applications.public, service.applications.post]) {
    const { page } = await atConsent(service, application);
    expect(wordsOf(page)).toContain('This is a program on your own computer. Allow it only if');
    expect(wordsOf(page)).toContain('Goes back to a program on this computer (127.0.0.1:8976)');
  }
});

test('every scope has words of its own', async () => {
  const service = await shared();
  const { page } = await atConsent(service, service.applications.post, {
    scope: scopes.join(' '),
  });
  const list = /<ul class="permissions">([\s\S]*)<\/ul><\/li><\/ul>/.exec(page.text)?.[1] ?? '';
  const said = [...list.matchAll(/<li>(?:<span class="strong">)?([^<]+)/g)].map(([, each]) => each);
  expect(said).toHaveLength(48);
  expect(new Set(said).size).toBe(48);
  expect([...list.matchAll(/<h3>([^<]+)/g)].map(([, each]) => each)).toEqual([
    ...['Who you are', 'Workspace and projects', 'Images', 'Models', 'Workflows'],
    ...['Dataset versions', 'Training', 'Folders', 'Devices', 'Vision events', 'Jobs'],
    ...['Integrations and credentials', 'Data staging', 'Batches', 'Statistics'],
  ]);
});

test('every page forbids frames, scripts, foreign forms, referrers and copies', async () => {
  const service = await shared();
  const { url, applications } = service;
  const consent = await atConsent(service, applications.post);
  const signInPage = await atSignIn(service, applications.post);
  const wrong = { name: 'nobody', password: 'not the password' };
  const settings = await openFormBrowser().get(`${url}/settings/sign-in`);
  const pages = {
    signIn: signInPage.page,
    wrong: await send(signInPage.browser, service, signInPage.page, wrong),
    consent: consent.page,
    onward: await send(consent.browser, service, consent.page, { decision: 'allow' }),
    ended: await openFormBrowser().get(`${url}/oauth/sign-in/unknown`),
    refused: await openFormBrowser().get(`${url}/oauth/authorize?client_id=unknown`),
    settings,
  };
  const statuses = Object.fromEntries(
    Object.entries(pages).map(([name, { status }]) => [name, status]),
  );
  expect(statuses).toEqual({
    signIn: 200,
    wrong: 400,
    consent: 200,
    onward: 200,
    ended: 404,
    refused: 400,
    settings: 200,
  });
  for (const { headers, text } of Object.values(pages)) {
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.replace(/sha256-[\w+/=]{44}/, 'HASH')).toBe(
      "default-src 'none'; style-src 'HASH'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(text).not.toMatch(/<script|<img|<iframe|<object|https?:\/\/(?!127\.0\.0\.1)/i);
  }
});

test('what is allowed is what the tokens are good for, in the chosen workspace', async () => {
  const service = await shared();
  await addGrace(service, ['first', 'second']);
  const internal = await service.register({ name: 'Inside', visibility: 'Internal' });
  const open = await service.register({ name: 'Open', visibility: 'Unlisted' });
  const scope = 'openid project:read';
  const begun = await atConsent(service, open, { scope }, grace.email);
  expect(begun.page.text).toContain('<input type="radio" name="workspace" value="first" required>');
  const consent = { workspace: 'second', decision: 'allow' };
  const onward = await send(begun.browser, service, begun.page, consent);
  const final = (await walk(begun.browser, onward.next ?? '')).next;
  expect(final?.searchParams.get('state')).toBe(begun.state);
  expect(final?.searchParams.get('iss')).toBe(service.url);
  const { accessToken } = signedIn(
    await postForm(`${service.url}/oauth/token`, open, {
      grant_type: 'authorization_code',
      code: final?.searchParams.get('code') ?? '',
      redirect_uri: open.redirectUri,
      code_verifier: begun.verifier,
    }),
  );
  const { body } = await validate(service, accessToken);
  expect(body).toMatchObject({ active: true, workspace_url: 'second' });
  expect(body.scopes).toEqual(['openid', 'project:read']);
  // An internal application is for members of its own workspace, which Grace is not.
  const refused = await atConsent(service, internal, {}, grace.name);
  expect(refused.page.status).toBe(403);
  expect(wordsOf(refused.page)).toContain('This application is for the members of its own');
  expect(refused.page.text).not.toContain('<form');
});

test.each([
  ['acme', 'one of nobody'],
  ['', 'none'],
])('a workspace that is not the person’s is refused: "%s" (%s)', async (workspace) => {
  const service = await shared();
  await addGrace(service, ['first', 'second']);
  const open = await service.register({ name: 'Open', visibility: 'Public' });
  const { browser, page } = await atConsent(service, open, {}, grace.name);
  const refused = await send(browser, service, page, { workspace, decision: 'allow' });
  expect(refused.status).toBe(400);
  expect(wordsOf(refused)).toContain('workspace: must be one of yours');
  expect(await goesOn(browser, service, uidOf(page))).toBe('/oauth/sign-in/UID');
});

test.each(['deny', ''])('a decision "%s" gives the application access_denied', async (decision) => {
  const service = await shared();
  const { browser, page, state } = await atConsent(service, service.applications.post);
  const onward = await send(browser, service, page, { decision });
  expect(wordsOf(onward)).toContain('You did not allow it. Nothing was shared.');
  const final = (await walk(browser, onward.next ?? '')).next;
  expect(final?.href.startsWith('http://127.0.0.1:8976/callback?')).toBe(true);
  expect(Object.fromEntries(final?.searchParams ?? [])).toEqual({
    error: 'access_denied',
    error_description: 'The person did not allow it.',
    state,
    iss: service.url,
  });
});

test('a consent form without the token of its own page grants nothing', async () => {
  const service = await shared();
  const { post, basic } = service.applications;
  const mine = await atConsent(service, post);
  const other = await atConsent(service, post);
  const otherClient = await atConsent(service, basic);
  const own = formOf(mine.page).fields.form_token ?? '';
  const tokens = {
    missing: '',
    'of another sign-in of the same person': formOf(other.page).fields.form_token ?? '',
    'of another application': formOf(otherClient.page).fields.form_token ?? '',
    'of a form for a password':
      formOf((await atSignIn(service, post)).page).fields.form_token ?? '',
    'changed at its end': `${own.slice(0, -2)}${own.endsWith('AA') ? 'BB' : 'AA'}`,
    'with a later end': own.replace(/\.(\d+)\./, (_, end) => `.${Number(end) + 1_000}.`),
  };
  for (const [name, form_token] of Object.entries(tokens)) {
    const refused = await send(mine.browser, service, mine.page, { form_token, decision: 'allow' });
    expect([name, refused.status]).toEqual([name, 403]);
  }
  expect(await goesOn(mine.browser, service, uidOf(mine.page))).toBe('/oauth/sign-in/UID');
});

test('a form is good once', async () => {
  const service = await shared();
  const { browser, page } = await atConsent(service, service.applications.post);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => send(browser, service, page, { decision: 'allow' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    200, 403, 403, 403, 403, 403, 403, 403,
  ]);
  const asked = await atSignIn(service, service.applications.post);
  await send(asked.browser, service, asked.page, { name: 'nobody', password: 'wrong' });
  const again = await send(asked.browser, service, asked.page, password);
  expect(again.status).toBe(403);
});

test('a sign-in belongs to the browser in which it began', async () => {
  const service = await shared();
  const victim = await atConsent(service, service.applications.post);
  const stranger = openFormBrowser();
  const { action } = formOf(victim.page);
  const uid = uidOf(victim.page);
  expect((await stranger.get(`${service.url}/oauth/sign-in/${uid}`)).status).toBe(404);
  expect((await send(stranger, service, victim.page, { decision: 'allow' })).status).toBe(404);
  // With a cookie of an own sign-in, sent to the address of the other one.
  const own = await atConsent(service, service.applications.post);
  const cookie = [...own.browser.cookies()].map((pair) => pair.join('=')).join('; ');
  const page = await fetch(`${service.url}/oauth/sign-in/${uid}`, { headers: { cookie } });
  expect(page.status).toBe(404);
  const { fields } = formOf(own.page);
  const sent = await fetch(new URL(action, service.url), {
    method: 'POST',
    headers: { cookie, origin: service.url },
    body: new URLSearchParams({ ...fields, decision: 'allow' }),
  });
  expect(sent.status).toBe(404);
  expect(await goesOn(victim.browser, service, uid)).toBe('/oauth/sign-in/UID');
});

test.each(['https://evil.example', 'null', 'http://127.0.0.1:1'])(
  'a form that a page of %s sends is refused, with all cookies and the right token',
  async (origin) => {
    const service = await shared();
    const { browser, page } = await atConsent(service, service.applications.post);
    const { action, fields } = formOf(page);
    const cookie = [...browser.cookies()].map((pair) => pair.join('=')).join('; ');
    const sent = await fetch(new URL(action, service.url), {
      method: 'POST',
      headers: { cookie, origin },
      body: new URLSearchParams({ ...fields, decision: 'allow' }),
    });
    expect(sent.status).toBe(403);
    expect(await goesOn(browser, service, uidOf(page))).toBe('/oauth/sign-in/UID');
  },
);

test('bodies that are no form of ours are refused before anything is looked at', async () => {
  const service = await shared();
  const { page } = await atSignIn(service, service.applications.post);
  const { action } = formOf(page);
  const post = async (body: string, type: string) => {
    const headers = { 'content-type': type };
    const answer = await fetch(new URL(action, service.url), { method: 'POST', headers, body });
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    return answer.status;
  };
  const form = 'application/x-www-form-urlencoded';
  expect(await post('{"decision":"allow"}', 'application/json')).toBe(415);
  expect(await post('decision=allow', 'text/plain')).toBe(415);
  expect(await post(`a=${'x'.repeat(16 * 1024)}`, form)).toBe(413);
  expect(await post('name=a', form)).toBe(404);
});

test('a field that is there twice is refused, so that nobody sees one and another counts', async () => {
  const service = await shared();
  const { browser, page } = await atConsent(service, service.applications.post);
  const { action, fields } = formOf(page);
  const body = new URLSearchParams({ ...fields, decision: 'deny' });
  body.append('decision', 'allow');
  const cookie = [...browser.cookies()].map((pair) => pair.join('=')).join('; ');
  const headers = { cookie, origin: service.url };
  const sent = await fetch(new URL(action, service.url), { method: 'POST', headers, body });
  expect(sent.status).toBe(400);
  expect(await sent.text()).toContain('decision: is there twice');
});

test('wrong name and wrong password are answered with the same page', async () => {
  const service = await shared();
  const answer = async (name: string) => {
    const { browser, page } = await atSignIn(service, service.applications.post);
    const wrong = await send(browser, service, page, { name, password: 'a wrong password' });
    expect(wrong.status).toBe(400);
    return wrong.text
      .replaceAll(/value="[\w.-]{60,}"/g, 'TOKEN')
      .replaceAll(/sign-in\/[\w-]{43}/g, 'UID')
      .replaceAll(name, 'NAME');
  };
  const known = await answer('ada@example.com');
  expect(known).toContain('Name or password is wrong.');
  expect(await answer('bob@example.com')).toBe(known);
});

test('name and email sign in, in any spelling; the password is not changed at all', async () => {
  const service = await shared();
  for (const name of ['ada lovelace', ' ADA@Example.COM ', 'Ada Lovelace']) {
    const { page } = await atConsent(service, service.applications.post, {}, name);
    expect(wordsOf(page)).toContain('You are signed in as Ada Lovelace');
  }
  for (const wrong of [person.password.toUpperCase(), ` ${person.password}`, '']) {
    const { browser, page } = await atSignIn(service, service.applications.post);
    const answer = await send(browser, service, page, { name: person.name, password: wrong });
    expect([wrong, answer.status]).toEqual([wrong, 400]);
  }
});

test('somebody else signs in in the same browser, and what follows is theirs', async () => {
  const service = await shared();
  const second = await addGrace(service, ['acme']);
  const web = await service.register({ name: 'Web', redirectUris: ['https://web.example/back'] });
  const { browser, page } = await atConsent(service, web);
  const [, link = ''] = /<a href="([^"]*)">Not you\?/.exec(page.text) ?? [];
  const asked = await walk(browser, new URL(link.replaceAll('&amp;', '&'), service.url));
  expect(asked.text).toContain('value="ada@example.com"');
  const before = browser.cookies();
  const fields = { name: grace.name, password: person.password };
  const onward = await send(browser, service, asked, fields);
  const consent = await walk(browser, onward.next ?? '');
  expect(wordsOf(consent)).toContain('You are signed in as Grace Hopper');
  const allowed = await send(browser, service, consent, { decision: 'allow' });
  const final = (await walk(browser, allowed.next ?? '')).next;
  expect(final?.searchParams.has('code')).toBe(true);
  // The session of Ada has ended, also for who kept its cookie.
  const { url } = authorizationUrl(service, web, { prompt: 'none' });
  const cookie = [...before].map((pair) => pair.join('=')).join('; ');
  const silent = await fetch(url, { headers: { cookie }, redirect: 'manual' });
  expect(silent.headers.get('location')).toContain('error=login_required');
  const tokens = await signIn(service, web, { prompt: 'none' }, browser);
  const [, payload = ''] = tokens.idToken.split('.');
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  expect(claims).toMatchObject({ sub: second.id });
});

test('a session lasts as long as the browser, unless it is to stay', async () => {
  const service = await shared();
  const cookies = async (fields: Readonly<Record<string, string>>) => {
    const { browser, page } = await atSignIn(service, service.applications.post);
    const onward = await send(browser, service, page, { ...password, ...fields });
    const resumed = await browser.get(onward.next ?? '');
    return resumed.headers.getSetCookie().filter((line) => /^\w*session\w*=/.test(line));
  };
  const [brief = ''] = await cookies({});
  expect(brief).not.toMatch(/expires|max-age/i);
  expect(brief).toMatch(/httponly/i);
  expect(brief).toMatch(/samesite=lax/i);
  const [long = ''] = await cookies({ remember: 'yes' });
  expect(long).toMatch(/expires=/i);
});

test('an account or an application that is gone grants nothing any more', async () => {
  const service = await openService();
  const { post, basic } = service.applications;
  const grantedBefore = await signIn(service, post);
  const consent = await atConsent(service, post);
  const other = await atConsent(service, basic);
  await administer(service, ({ applications }) => applications.remove(basic.id));
  expect((await send(other.browser, service, other.page, { decision: 'allow' })).status).toBe(404);
  await administer(service, ({ accounts }) => accounts.remove(person.name));
  const allowed = await send(consent.browser, service, consent.page, { decision: 'allow' });
  expect(allowed.status).toBe(404);
  const page = await consent.browser.get(`${service.url}/oauth/sign-in/${uidOf(consent.page)}`);
  expect([page.status, wordsOf(page)]).toEqual([404, expect.stringContaining('has ended')]);
  const { body } = await validate(service, grantedBefore.accessToken);
  expect(body).toEqual({ active: false, exp: null, workspace_url: '', scopes: [] });
  // Without any account the page says how to make one.
  const first = await atSignIn(service, post);
  expect(wordsOf(first.page)).toContain(
    'There is no account yet. Whoever runs this service makes one on its computer: ' +
      'fovea account add "Ada Lovelace" --email ada@example.com',
  );
});

test('text of others is shown as text', async () => {
  const service = await shared();
  const evil = `"><script>alert(1)</script>'\`&amp;`;
  const application = await service.register({ name: evil, homepage: 'https://example.com/<b>' });
  const { page } = await atSignIn(service, application, { login_hint: evil, state: evil });
  const shown = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&#96;&amp;amp;';
  expect(page.text).toContain(`<bdi>${shown}</bdi>`);
  expect(page.text).toContain(`value="${shown}"`);
  const consent = await atConsent(service, application, { state: evil });
  expect(consent.page.text).toContain(`<h1><bdi>${shown}</bdi> asks for access</h1>`);
  expect(consent.page.text).toContain('<bdi>https://example.com/&lt;b&gt;</bdi>');
  expect(consent.page.text).not.toContain('<script');
});

test('looking at a page changes nothing: HEAD and GET may be repeated', async () => {
  const service = await shared();
  const { browser, page } = await atConsent(service, service.applications.post);
  const address = `${service.url}/oauth/sign-in/${uidOf(page)}`;
  const cookie = [...browser.cookies()].map((pair) => pair.join('=')).join('; ');
  expect((await fetch(address, { method: 'HEAD', headers: { cookie } })).status).toBe(200);
  expect((await fetch(address, { method: 'DELETE', headers: { cookie } })).status).toBe(405);
  expect((await browser.get(address)).status).toBe(200);
  // The form of the first look still counts.
  expect((await send(browser, service, page, { decision: 'allow' })).status).toBe(200);
});

const trusted = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...trusted, localhostCertificate]));
afterAll(() => setDefaultCACertificates(trusted));

/** A client that describes itself by a document of this host. */
async function startDocument(document: Readonly<Record<string, unknown>>) {
  const server = createServer({ key: localhostKey, cert: localhostCertificate });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const host = `localhost:${typeof address === 'object' ? address?.port : ''}`;
  const id = `https://${host}/client.json`;
  const redirectUri = 'http://127.0.0.1:33418/callback';
  const known = {
    client_id: id,
    redirect_uris: [redirectUri],
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
  };
  server.on('request', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...known, ...document }));
  });
  const service = await startTestAuthorizationServer({ isAllowedHost: (each) => each === host });
  onTestFinished(service.close);
  return {
    service,
    host,
    application: { id, secret: undefined, auth: 'none', redirectUri } as const,
  };
}

test('an application that describes itself is told apart by its address', async () => {
  const document = { client_name: 'Your Bank', client_uri: 'https://bank.example' };
  const { service, host, application } = await startDocument(document);
  const { page } = await atConsent(service, application);
  expect(wordsOf(page)).toContain('Your Bank asks for access');
  expect(wordsOf(page)).toContain(
    `This application describes itself. Only its address is certain: ${host} . Allow it if you trust`,
  );
});

test.each([
  ['x'.repeat(101)],
  ['Fovea\u202Egnihton'],
  ['two\nlines'],
  ['   '.repeat(30).replaceAll(' ', '\u200B')],
])('a name of its own that nobody may register is not shown: %j', async (client_name) => {
  const { service, host, application } = await startDocument({ client_name });
  const { page } = await atConsent(service, application);
  expect(wordsOf(page)).toContain(`Fovea ${host} asks for access`);
});
