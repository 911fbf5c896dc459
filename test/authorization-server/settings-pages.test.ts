// The settings pages over HTTP: who sees and changes which applications.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Secret } from '../../src/secret.ts';
import {
  authorizationUrl,
  person,
  signIn,
  type TestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { type FormBrowser, formOf, openFormBrowser, type Visit } from '../fixtures/form-browser.ts';
import {
  addGrace,
  addPerson,
  administer,
  atSignIn,
  authenticate,
  grace,
  send,
  walk,
  wordsOf,
} from './page-visits.ts';
import { fieldsOf, signedIn } from './settings-visits.ts';
import { shareService } from './shared-service.ts';

const start = shareService();

const path = '/settings/applications';

async function register(
  { url }: TestAuthorizationServer,
  browser: FormBrowser,
  fields: Readonly<Record<string, string>>,
): Promise<Visit> {
  const page = await browser.get(url + path);
  const hidden = fieldsOf(page, 'name="redirect_uris"');
  const usual = {
    name: 'Labels',
    redirect_uris: 'https://labels.example.com/back',
    workspace: 'acme',
    auth: 'client_secret_post',
    visibility: 'Internal',
  };
  return browser.post(url + path, { ...hidden, ...usual, ...fields });
}

test('an application is registered, its secret shown once and kept as a hash', async () => {
  const service = await start();
  const { browser } = await signedIn(service);
  const shown = await register(service, browser, {
    redirect_uris: 'https://labels.example.com/back\r\n\r\nhttp://127.0.0.1/back\r\n',
  });
  expect(shown.status).toBe(200);
  const [id = ''] = /fva_[\w-]{22}/.exec(shown.text) ?? [];
  const [secret = ''] = /fvs_[\w-]{43}/.exec(shown.text) ?? [];
  expect([id.length, secret.length]).toEqual([26, 47]);
  expect(wordsOf(shown)).toContain('Copy the secret now. It is shown this once');
  const list = await browser.get(service.url + path);
  expect(list.text).toContain(id);
  expect(list.text).not.toContain('fvs_');
  const redirectUri = 'https://labels.example.com/back';
  const application = { id, secret, auth: 'client_secret_post', redirectUri } as const;
  const tokens = await signIn(service, application);
  expect((await validate(service, tokens.accessToken)).body.active).toBe(true);
  const files = ['sign-in.db', 'sign-in.db-wal'].map((name) => join(service.data, name));
  const bytes = await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')));
  expect(bytes.join('').includes(id)).toBe(true);
  expect(bytes.join('').includes(secret)).toBe(false);
});

test('what cannot be registered comes back with all that is wrong, and nothing lost', async () => {
  const service = await start();
  const list = () => administer(service, ({ applications }) => applications.list());
  const before = await list();
  const { browser } = await signedIn(service);
  const refused = await register(service, browser, {
    name: 'A'.repeat(101),
    homepage: 'javascript:alert(1)',
    scope: 'project:read',
    redirect_uris: 'https://labels.example.com/back\r\nhttp://labels.example.com/<b>',
    auth: 'private_key_jwt',
    visibility: 'Secret',
    workspace: 'another',
    desktop: 'yes',
  });
  expect(refused.status).toBe(400);
  expect(wordsOf(refused)).toContain('It was not registered: Workspace must be one of yours.');
  const again = await register(service, browser, {
    name: 'A'.repeat(101),
    homepage: 'javascript:alert(1)',
    scope: 'project:read',
    redirect_uris: 'https://labels.example.com/back\r\nhttp://labels.example.com/<b>',
    auth: 'private_key_jwt',
    visibility: 'Secret',
    desktop: 'yes',
  });
  expect(wordsOf(again)).toContain(
    'It was not registered: Name must have 1 to 100 characters. ' +
      'Homepage must be an http or https URL, for example https://example.com. ' +
      'Token endpoint authentication must be one of client_secret_post, client_secret_basic, none. ' +
      'Visibility must be one of Internal, Unlisted, Public. ' +
      'Redirect URI 1 must be http on 127.0.0.1, [::1] or localhost for a desktop application. ' +
      'Redirect URI 2 must be https; plain http is for localhost, 127.0.0.1 and [::1] only.',
  );
  expect(again.text).toContain('value="javascript:alert(1)"');
  expect(again.text).toContain('http://labels.example.com/&lt;b&gt;</textarea>');
  expect(again.text).toContain('name="desktop" value="yes" checked');
  expect(again.text).toContain('name="scope" value="project:read" checked');
  expect(again.text).toContain('<details open>');
  expect(await list()).toEqual(before);
});

test('chosen scopes are those that are allowed', async () => {
  const service = await start();
  const { browser } = await signedIn(service);
  await register(service, browser, { name: 'Some', scope: 'project:read' });
  await register(service, browser, { name: 'All' });
  const list = await administer(service, ({ applications }) => applications.list());
  const scopesOf = (name: string) => list.find((each) => each.name === name)?.scopes;
  expect(scopesOf('Some')).toEqual(['openid', 'project:read']);
  expect(scopesOf('All')).toHaveLength(48);
});

test('removing an application ends its tokens at once', async () => {
  const service = await start();
  const post = await service.register({ name: 'Removed' });
  const { browser } = await signedIn(service);
  const { accessToken } = await signIn(service, post);
  const page = await browser.get(service.url + path);
  const fields = fieldsOf(page, `value="${post.id}"`);
  const removed = await browser.post(service.url + path, fields);
  expect(wordsOf(removed)).toContain('The application was removed.');
  expect(removed.text).not.toContain(post.id);
  expect((await validate(service, accessToken)).body.active).toBe(false);
  expect((await browser.post(service.url + path, fields)).status).toBe(403);
});

test('people see and remove the applications of their own workspaces alone', async () => {
  const service = await start();
  await addGrace(service, ['elsewhere']);
  const { browser } = await signedIn(service, grace.email);
  const page = await browser.get(service.url + path);
  expect(wordsOf(page)).toContain('Registered There is none yet.');
  const { post } = service.applications;
  const hidden = fieldsOf(page, 'name="redirect_uris"');
  const fields = { ...hidden, action: 'remove', id: post.id };
  expect((await browser.post(service.url + path, fields)).status).toBe(403);
  const ada = await signedIn(service);
  const adas = await ada.browser.get(service.url + path);
  const stolen = fieldsOf(adas, `value="${post.id}"`);
  expect((await browser.post(service.url + path, stolen)).status).toBe(403);
  const list = await administer(service, ({ applications }) => applications.list());
  expect(list.map(({ id }) => id)).toContain(post.id);
});

test('without a session there is only the way to sign in', async () => {
  const service = await start();
  const browser = openFormBrowser();
  for (const at of ['/settings', path]) {
    const { status, next, text } = await browser.get(service.url + at);
    expect([status, text]).toEqual([303, '']);
    expect(next?.pathname).toBe(at === path ? '/settings/sign-in' : path);
  }
  const { next } = await browser.post(service.url + path, { action: 'add', name: 'x' });
  expect(next?.pathname).toBe('/settings/sign-in');
});

test('forms are good once, for their own session and purpose', async () => {
  const service = await start();
  const first = await signedIn(service);
  const second = await signedIn(service);
  const page = await first.browser.get(service.url + path);
  const add = fieldsOf(page, 'name="redirect_uris"');
  const values = {
    name: 'Once',
    redirect_uris: 'https://example.com/',
    workspace: 'acme',
    auth: 'none',
    visibility: 'Public',
  };
  const post = (browser: FormBrowser, fields: Readonly<Record<string, string>>) =>
    browser.post(service.url + path, fields).then(({ status }) => status);
  expect(await post(first.browser, values)).toBe(403);
  expect(await post(second.browser, { ...add, ...values })).toBe(403);
  const signOut = fieldsOf(page, 'Sign out').form_token ?? '';
  expect(await post(first.browser, { ...add, ...values, form_token: signOut })).toBe(403);
  expect(await post(first.browser, { ...add, ...values })).toBe(200);
  expect(await post(first.browser, { ...add, ...values })).toBe(403);
  const list = await administer(service, ({ applications }) => applications.list());
  expect(list.filter(({ name }) => name === 'Once')).toHaveLength(1);
});

test('nobody is signed in by a form of somebody else', async () => {
  const service = await start();
  const attacker = openFormBrowser();
  const page = await attacker.get(`${service.url}/settings/sign-in`);
  const fields = { ...formOf(page).fields, name: person.name, password: person.password };
  const victim = openFormBrowser();
  expect((await victim.post(`${service.url}/settings/sign-in`, fields)).status).toBe(403);
  await victim.get(`${service.url}/settings/sign-in`);
  expect((await victim.post(`${service.url}/settings/sign-in`, fields)).status).toBe(403);
});

test('cookies are for this service alone, and no script reads them', async () => {
  const service = await start();
  const { cookies } = await signedIn(service);
  const { port } = new URL(service.url);
  expect(cookies.map((line) => line.replace(/=[\w-]{43};/, '=VALUE;'))).toEqual([
    `fovea_settings_form_${port}=VALUE; Path=/settings; Max-Age=3600; HttpOnly; SameSite=Strict`,
    `fovea_settings_session_${port}=VALUE; Path=/settings; Max-Age=28800; HttpOnly; SameSite=Strict`,
  ]);
});

test.each([
  ['/settings/connections', '/settings/connections'],
  ['/settings/password', '/settings/password'],
  ['/settings/applications', '/settings/applications'],
  ['/settings/elsewhere', '/settings/applications'],
  ['https://attacker.example/settings/connections', '/settings/applications'],
  ['//attacker.example', '/settings/applications'],
])('signing in on the way to %s leads to %s', async (asked, expected) => {
  const service = await start();
  const browser = openFormBrowser();
  const known = asked === expected ? (await browser.get(service.url + asked)).next : undefined;
  const made = `${service.url}/settings/sign-in?to=${encodeURIComponent(asked)}`;
  const page = await browser.get(known?.href ?? made);
  const { name, password } = person;
  const answer = await send(browser, service, page, { name, password });
  expect([answer.status, answer.next?.href]).toEqual([303, service.url + expected]);
});

test('signing out ends the session, also for who kept the cookie', async () => {
  const service = await start();
  const { browser } = await signedIn(service);
  const kept = [...browser.cookies()].map((pair) => pair.join('=')).join('; ');
  const page = await browser.get(service.url + path);
  const headers = { cookie: kept };
  const look = () => fetch(service.url + path, { headers, redirect: 'manual' });
  expect((await look()).status).toBe(200);
  const fields = fieldsOf(page, 'Sign out');
  const { next } = await browser.post(`${service.url}/settings/sign-out`, fields);
  expect(next?.pathname).toBe('/settings/sign-in');
  expect((await look()).status).toBe(303);
});

test('an account that is gone is signed out', async () => {
  const service = await start();
  await addGrace(service, ['acme']);
  const { browser } = await signedIn(service, grace.email);
  await administer(service, ({ accounts }) => accounts.remove(grace.email));
  expect((await browser.get(service.url + path)).status).toBe(303);
});

test('a person changes the password, and other browsers are signed out', async () => {
  const service = await start();
  await addGrace(service, ['acme']);
  const { browser } = await signedIn(service, grace.name);
  const other = await signedIn(service, grace.name);
  const at = `${service.url}/settings/password`;
  const change = async (fields: Readonly<Record<string, string>>) => {
    const hidden = formOf(await browser.get(at)).fields;
    const again = 'a new password';
    const right = { password: person.password, new_password: again, again };
    const answer = await browser.post(at, { ...hidden, ...right, ...fields });
    return { status: answer.status, words: wordsOf(answer) };
  };
  const wrong = await change({ password: 'not the password' });
  expect([wrong.status, wrong.words]).toEqual([400, expect.stringContaining('password is wrong.')]);
  const differ = await change({ again: 'a new passwort' });
  expect(differ.words).toContain('The two new passwords are not the same.');
  const short = await change({ new_password: 'short', again: 'short' });
  expect(short.words).toContain('The new password must have 12 to 200 characters.');
  const changed = await change({});
  expect([changed.status, changed.words]).toEqual([
    200,
    expect.stringContaining('Your password is changed'),
  ]);
  expect((await browser.get(service.url + path)).status).toBe(200);
  expect((await other.browser.get(service.url + path)).status).toBe(303);
  const typedBy = (password: string) =>
    administer(service, (each) => authenticate(each.accounts, grace.name, new Secret(password)));
  expect(await typedBy(person.password)).toBeUndefined();
  expect((await typedBy('a new password'))?.name).toBe('Grace Hopper');
});

test('the password of a person is changed by nobody else', async () => {
  const service = await start();
  await addGrace(service, ['acme']);
  const mary = { name: 'Mary Somerville', email: 'mary@example.com' };
  await addPerson(service, mary);
  const { browser } = await signedIn(service, mary.name);
  const at = `${service.url}/settings/password`;
  const stolen = formOf(await browser.get(at)).fields;
  const change = {
    password: person.password,
    new_password: 'a new password',
    again: 'a new password',
  };
  const asGrace = await browser.post(at, { ...stolen, ...change, name: grace.email });
  expect(wordsOf(asGrace)).toContain('This is the password of another account.');
  const hidden = formOf(await browser.get(at)).fields;
  const other = await signedIn(service, grace.email);
  expect((await other.browser.post(at, { ...hidden, ...change })).status).toBe(403);
  const stranger = await openFormBrowser().post(at, { ...hidden, ...change });
  expect(stranger.next?.pathname).toBe('/settings/sign-in');
  for (let count = 1; count <= 5; count += 1) {
    const { fields } = formOf(await browser.get(at));
    await browser.post(at, { ...fields, ...change, password: 'wrong' });
  }
  const { fields } = formOf(await browser.get(at));
  const paused = await browser.post(at, { ...fields, ...change });
  expect([paused.status, paused.headers.get('retry-after')]).toEqual([
    429,
    /again in (\d+) seconds/.exec(wordsOf(paused))?.[1],
  ]);
  expect(Number(paused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('a new password signs an intruder out of the sign-in pages, and programs if wished', async () => {
  const service = await start();
  const { post } = service.applications;
  const intruder = openFormBrowser();
  const owner = await addGrace(service, ['acme']);
  const { accessToken } = await signIn(service, post, {}, intruder, owner);
  // One who typed the old password, and waits with going on.
  const waiting = await atSignIn(service, post);
  const typed = { name: owner.name, password: owner.password };
  const onward = await send(waiting.browser, service, waiting.page, typed);
  const { browser } = await signedIn(service, owner.name);
  const at = `${service.url}/settings/password`;
  const change = async (old: string, next: string, more: Readonly<Record<string, string>>) => {
    const page = await browser.get(at);
    expect(wordsOf(page)).toContain('Programs stay signed in, unless you sign them out too.');
    const fields = { password: old, new_password: next, again: next };
    const answer = await browser.post(at, { ...formOf(page).fields, ...fields, ...more });
    expect(answer.status).toBe(200);
  };
  await change(owner.password, 'a new password', {});
  const { url } = authorizationUrl(service, post, { prompt: 'none' });
  const silent = (await intruder.get(url)).next;
  expect(silent?.searchParams.get('error')).toBe('login_required');
  const late = await walk(waiting.browser, onward.next ?? '');
  expect(late.text).not.toContain('You are signed in as');
  expect(late.next).toBeUndefined();
  expect((await validate(service, accessToken)).body.active).toBe(true);
  await change('a new password', 'a third password', { sign_out: 'yes' });
  expect((await validate(service, accessToken)).body.active).toBe(false);
});

test('nobody becomes an MCP server by these pages', async () => {
  const service = await start();
  const { browser } = await signedIn(service);
  expect((await browser.get(service.url + path)).text).not.toContain('name="resource"');
  for (const resource of [`${service.url}/mcp`, 'https://mcp.example/mcp']) {
    const refused = await register(service, browser, { name: 'MCP server', resource });
    expect([refused.status, wordsOf(refused)]).toEqual([
      400,
      expect.stringContaining('MCP server is registered on the command line alone'),
    ]);
  }
  const list = await administer(service, ({ applications }) => applications.list());
  expect(list.map(({ name }) => name)).not.toContain('MCP server');
});
