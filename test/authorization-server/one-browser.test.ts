// The platform's page and the settings pages in one browser: one person, one sign-in, one end.

import { beforeAll, expect, test } from 'vitest';
import { goAhead } from './account-holder.ts';
import type { Browser } from './cookie-browser.ts';
import {
  authorizeUrl,
  isActive,
  type PlatformWithAccounts,
  pageClient,
  pageRequest,
  password,
  redeem,
  startPlatformWithAccounts,
} from './platform-with-accounts.ts';

let platform: PlatformWithAccounts;

beforeAll(async () => {
  platform = await startPlatformWithAccounts();
  await platform.addAccount('Alan Turing', ['acme']);
  return () => platform.close();
});

const ada = { name: 'ada@example.com', password };
const alan = { name: 'alan@example.com', password };

/** A tab of this browser, as this person unless somebody is signed in. */
async function openTab(browser: Browser, person = ada): Promise<string> {
  const { issuer } = platform;
  let visit = await browser.go(pageRequest(issuer));
  for (let step = 0; step < 5 && !visit.onward?.searchParams.has('code'); step += 1) {
    const asks = visit.onward === undefined;
    visit = await (asks ? browser.submit(visit, person) : browser.go(visit.onward ?? ''));
  }
  const code = visit.onward?.searchParams.get('code') ?? '';
  const { body } = await redeem(issuer, pageClient(issuer), code);
  expect(await isActive(issuer, body.access_token)).toBe(true);
  return String(body.access_token);
}

async function openSettings(browser: Browser, person = ada): Promise<void> {
  const page = await browser.go('/settings/sign-in');
  const answer = await browser.submit(page, person);
  expect(answer.onward?.pathname).toBe('/settings/applications');
}

/** Who is signed in at the settings pages; undefined: the password is asked for. */
async function personAtSettings(browser: Browser): Promise<string | undefined> {
  const page = await browser.walk('/settings/connections');
  const [, name] = /<span class="quiet"><bdi>([^<]*)<\/bdi>/.exec(page.text) ?? [];
  if (name === undefined) expect(page.address.pathname).toBe('/settings/sign-in');
  return name;
}

const signOutOnPage = (browser: Browser, token: string, origin = platform.issuer) =>
  browser.go('/settings/sign-out', {
    method: 'POST',
    body: new URLSearchParams({ page_token: token }),
    headers: { origin },
  });

const areActive = (tokens: readonly string[]) =>
  Promise.all(tokens.map((token) => isActive(platform.issuer, token)));

const silentAnswer = async (browser: Browser) =>
  (await browser.go(pageRequest(platform.issuer, { prompt: 'none' }))).onward?.searchParams.get(
    'error',
  );

test('who is signed in on the page needs no password at the settings, and signs out of both', async () => {
  const browser = platform.browser();
  expect(await personAtSettings(browser)).toBe(undefined);
  const tabs = [await openTab(browser), await openTab(browser)];
  expect(new Set(tabs).size).toBe(2);
  expect(await personAtSettings(browser)).toBe('Ada Lovelace');
  const elsewhere = await openTab(platform.browser());
  const shown = (await browser.go('/settings/connections')).text;
  expect(shown.match(/<h3><bdi>/g)).toHaveLength(1);
  expect(shown.match(/<strong>This browser/g)).toHaveLength(1);
  expect(shown).toContain('2 connections, each allowed on its own.');
  expect((await signOutOnPage(browser, tabs[0] ?? '')).status).toBe(204);
  expect(await areActive([...tabs, elsewhere])).toEqual([false, false, true]);
  expect(await personAtSettings(browser)).toBe(undefined);
  expect(await silentAnswer(browser)).toBe('login_required');
});

test('the log of changes tells who signed in and out, and where', async () => {
  const id = await platform.addAccount('Edsger Dijkstra', ['acme']);
  const edsger = { name: 'edsger@example.com', password };
  const browser = platform.browser();
  const token = await openTab(browser, edsger);
  await openSettings(browser, edsger);
  await openSettings(browser, edsger);
  await signOutOnPage(browser, token);
  // Nobody is signed in by a wrong password, and signing out twice is signing out once.
  await signOutOnPage(browser, token);
  const page = await browser.go('/settings/sign-in');
  expect((await browser.submit(page, { ...edsger, password: 'a wrong one' })).status).toBe(400);
  const who = `token:${id}`;
  const log = await fetch(`${platform.issuer}/acme/activity-log?who=${who}`, {
    headers: { authorization: `Bearer ${platform.key}` },
  });
  const { entries } = Object(await log.json());
  const said = entries.map((entry: object) => {
    const { action, kind, verb, count, names } = Object(entry);
    return [action, kind, verb, count, names];
  });
  expect(said).toEqual([
    ['sign-in', 'account', 'signed out', 1, ["The platform's page"]],
    ['sign-in', 'account', 'signed in', 2, ['Settings']],
    ['sign-in', 'account', 'signed in', 1, ["The platform's page"]],
  ]);
});

test('signing out on the page ends a session of the settings, also for who kept the cookie', async () => {
  const browser = platform.browser();
  await openSettings(browser);
  const token = await openTab(browser);
  await openSettings(browser);
  const kept = [...browser.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
  const look = () =>
    fetch(`${platform.issuer}/settings/applications`, {
      headers: { cookie: kept },
      redirect: 'manual',
    });
  expect((await look()).status).toBe(200);
  await signOutOnPage(browser, token);
  expect((await look()).status).toBe(303);
});

test.each(['with a session of their own', 'by that of the page'])(
  'signing out at the settings, %s, ends the page in all tabs',
  async (how) => {
    const browser = platform.browser();
    const tabs = [await openTab(browser), await openTab(browser)];
    if (how !== 'by that of the page') await openSettings(browser);
    const page = await browser.go('/settings/connections');
    const left = await browser.submit(page, {});
    expect(left.onward?.pathname).toBe('/settings/sign-in');
    expect(await areActive(tabs)).toEqual([false, false]);
    expect(await silentAnswer(browser)).toBe('login_required');
    expect(await personAtSettings(browser)).toBe(undefined);
  },
);

test('who signs in on the page takes the place of another person at the settings', async () => {
  const browser = platform.browser();
  await openSettings(browser, alan);
  expect(await personAtSettings(browser)).toBe('Alan Turing');
  await openTab(browser);
  expect(await personAtSettings(browser)).toBe('Ada Lovelace');
});

test('who signs in at the settings takes the place of another person on the page', async () => {
  const browser = platform.browser();
  const token = await openTab(browser, alan);
  await browser.go('/settings/sign-in');
  await openSettings(browser, alan);
  expect(await areActive([token])).toEqual([true]);
  await openSettings(browser);
  expect(await areActive([token])).toEqual([false]);
  expect(await silentAnswer(browser)).toBe('login_required');
  expect(await personAtSettings(browser)).toBe('Ada Lovelace');
});

test('a sign-in to the page that was finished already leads to the page', async () => {
  const browser = platform.browser();
  const page = await browser.walk(pageRequest(platform.issuer));
  await browser.submit(page, ada);
  const others = platform.browser();
  for (const dead of [await others.go(page.address), await others.submit(page, ada)]) {
    expect(dead.status).toBe(404);
    expect(dead.text).toContain('<a class="button" href="/">Open the page of this platform</a>');
  }
  const path = page.address.pathname.replace('/sign-in/', '/authorize/');
  const ended = await others.go(path);
  expect(ended.text).toContain('href="/">Open the page of this platform</a>');
});

test('nobody is signed out from another origin, or without a token or form', async () => {
  const browser = platform.browser();
  const token = await openTab(browser);
  expect((await signOutOnPage(browser, token, 'https://evil.example')).status).toBe(403);
  const none = { method: 'POST', body: new URLSearchParams() };
  expect((await browser.go('/settings/sign-out', none)).status).toBe(403);
  expect(await areActive([token])).toEqual([true]);
  expect(await personAtSettings(browser)).toBe('Ada Lovelace');
});

test('a browser that is signed in for another application is asked for the password', async () => {
  const browser = platform.browser();
  await browser.agree(authorizeUrl(platform.issuer, platform.applications.post), ada);
  expect(await personAtSettings(browser)).toBe(undefined);
});

test('a disconnected page opens the settings no more', async () => {
  const browser = platform.browser();
  await openTab(browser, alan);
  const other = platform.browser();
  await openSettings(other, alan);
  const page = await other.go('/settings/connections');
  const form = page.text.split('<form').find((each) => each.includes('value="disconnect"'));
  await other.submit({ ...page, text: `<form${form}` }, {});
  expect(await personAtSettings(browser)).toBe(undefined);
});

test('tabs go on for as long as one of them is used within 14 days', async () => {
  const browser = platform.browser();
  await openTab(browser);
  goAhead(10 * 86_400_000);
  await openTab(browser);
  goAhead(10 * 86_400_000);
  expect(await silentAnswer(browser)).toBe(null);
  expect(await personAtSettings(browser)).toBe('Ada Lovelace');
  goAhead(15 * 86_400_000);
  expect(await silentAnswer(browser)).toBe('login_required');
  expect(await personAtSettings(browser)).toBe(undefined);
});

test('who changes the password by the sign-in of the page stays at the settings alone', async () => {
  await platform.addAccount('Radia Perlman', ['acme']);
  const radia = { name: 'radia@example.com', password };
  const browser = platform.browser();
  const token = await openTab(browser, radia);
  const page = await browser.go('/settings/password');
  const form = page.text.split('<form').find((each) => each.includes('name="new_password"'));
  const next = 'nine yellow lanterns';
  const fields = { password, new_password: next, again: next };
  const changed = await browser.submit({ ...page, text: `<form${form}` }, fields);
  expect(changed.text).toContain('Your password is changed');
  expect(await personAtSettings(browser)).toBe('Radia Perlman');
  expect(await areActive([token])).toEqual([false]);
  expect(await silentAnswer(browser)).toBe('login_required');
});
