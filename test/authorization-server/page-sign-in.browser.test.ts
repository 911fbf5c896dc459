// People sign in to the platform's page with their accounts.

import type { Browser, Page } from 'playwright-core';
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  hasChromium,
  inChromium,
  openBrowser,
  type Visit,
  visit,
} from '../event-store/chromium.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { violationsOfAll } from '../platform/axe-violations.ts';
import { goTo } from '../platform/opened-pages.ts';
import { goAhead } from './account-holder.ts';
import {
  isActive,
  type PlatformWithAccounts,
  pageCodeOf,
  password,
  startPlatformWithAccounts,
} from './platform-with-accounts.ts';

let platform: PlatformWithAccounts;
let browser: Browser;
const visits: Visit[] = [];
const hourMs = 60 * 60 * 1_000;

beforeAll(async () => {
  if (!hasChromium) return;
  platform = await startPlatformWithAccounts();
  await platform.addAccount('Alan Turing', ['acme']);
  browser = await openBrowser();
  return async () => {
    await browser.close();
    await platform.close();
  };
}, 60_000);

afterEach(async () => {
  for (const { page } of visits.splice(0)) await page.context().close();
});

async function open(place = '', origin = platform.issuer): Promise<Visit> {
  const opened = await visit(browser, `${origin}/${place}`);
  visits.push(opened);
  return opened;
}

const accountButton = (page: Page) =>
  page.getByRole('button', { name: 'Sign in with your account' });

/** Fills the sign-in form of the service. */
async function typePassword(page: Page, email: string, typed = password) {
  await page.getByLabel('Name or email').fill(email);
  await page.getByLabel('Password').fill(typed);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const isShown = (page: Page) => page.locator('main:not([aria-busy]) h2').waitFor();

async function openAs(email: string, place = ''): Promise<Visit> {
  const opened = await open(place);
  await accountButton(opened.page).click();
  await typePassword(opened.page, email);
  await isShown(opened.page);
  return opened;
}

const tokenOf = (page: Page) => page.evaluate<string>("sessionStorage.getItem('fovea-key')");

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('a person signs in, is where they wanted to be, and signs out again', async () => {
    const { page, problems, requests } = await open('#tasks?status=failed');
    await accountButton(page).waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
    await accountButton(page).click();
    await typePassword(page, platform.ada.email);
    await isShown(page);
    expect(new URL(page.url()).hash).toBe('#tasks?status=failed');
    expect(new URL(page.url()).search).toBe('');
    expect(await page.locator('#workspace').textContent()).toBe('acme');
    expect(await page.locator('#person').textContent()).toBe('Ada Lovelace');
    expect(await violationsOfAll(page)).toEqual([]);
    const token = await tokenOf(page);
    expect(await isActive(platform.issuer, token)).toBe(true);
    await page.reload();
    await isShown(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await accountButton(page).waitFor();
    expect(await isActive(platform.issuer, token)).toBe(false);
    expect(await tokenOf(page)).toBe(null);
    // The browser is signed out too: the password is asked for.
    await accountButton(page).click();
    await page.getByLabel('Password').waitFor();
    expect(requests.filter((request) => request.includes('code='))).toHaveLength(1);
    expect(problems).toEqual([]);
  });

  test('a sign-in that ended leads to the next one, and back to the same place', async () => {
    const { page } = await openAs(platform.ada.email, '#trash');
    goAhead(25 * hourMs);
    await page.getByText('Your sign-in has ended.').waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
    // The browser is signed in still: the page is not left.
    await accountButton(page).click();
    await isShown(page);
    expect(page.url()).toBe(`${platform.issuer}/#trash`);
    expect(await page.locator('#problem').isVisible()).toBe(false);
  });

  test('a token is replaced before it ends, and the page goes on', async () => {
    const { page, problems } = await openAs(platform.ada.email, '#trash');
    const before = await tokenOf(page);
    await page.clock.fastForward(22 * hourMs);
    expect(await tokenOf(page)).toBe(before);
    await page.clock.fastForward(1.5 * hourMs);
    await vi.waitFor(async () => expect(await tokenOf(page)).not.toBe(before), { timeout: 10_000 });
    expect(await isActive(platform.issuer, await tokenOf(page))).toBe(true);
    await goTo(page, 'tasks');
    expect(problems).toEqual([]);
  });

  test('who has several workspaces chooses one, and may say no', async () => {
    const { page, problems } = await open('#folders');
    await accountButton(page).click();
    await typePassword(page, 'grace@example.com');
    const allow = page.getByRole('button', { name: 'Open', exact: true });
    await allow.waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You did not allow it. Nothing was changed.').waitFor();
    expect(page.url()).toBe(`${platform.issuer}/#folders`);
    await accountButton(page).click();
    await page.getByLabel('initech').check();
    await allow.click();
    await isShown(page);
    expect(await page.locator('#workspace').textContent()).toBe('initech');
    // The next tab of this browser needs no answer.
    const next = await page.context().newPage();
    await next.goto(platform.issuer);
    await accountButton(next).click();
    await isShown(next);
    expect(await next.locator('#workspace').textContent()).toBe('initech');
    expect(problems).toEqual([]);
  });

  test('an answer that this tab did not ask for signs nobody in, and nobody out', async () => {
    const code = await pageCodeOf(platform, 'alan@example.com');
    const stranger = await open(`?code=${code}&state=guessed&iss=${platform.issuer}#tasks`);
    await stranger.page.getByText('was not begun in this tab').waitFor();
    expect(await tokenOf(stranger.page)).toBe(null);
    expect(stranger.page.url()).toBe(`${platform.issuer}/#tasks`);
    const { page, requests } = await openAs(platform.ada.email);
    const token = await tokenOf(page);
    await page.goto(`${platform.issuer}/?code=${code}&state=guessed&iss=${platform.issuer}`);
    await page.getByText('was not begun in this tab').waitFor();
    expect(await page.locator('#person').textContent()).toBe('Ada Lovelace');
    expect(await tokenOf(page)).toBe(token);
    expect(requests.filter((request) => request === '/oauth/token')).toHaveLength(1);
  });

  test.each(['code=abc', 'error=access_denied'])(
    '%s without a state is taken out',
    async (given) => {
      const { page, problems } = await open(`?${given}#tasks`);
      await page.getByText('was not begun in this tab').waitFor();
      expect(page.url()).toBe(`${platform.issuer}/#tasks`);
      expect(problems).toEqual([]);
    },
  );

  test.each(['#projects', '#folders'])(
    'access that has ended is told on %s at the next look',
    async (place) => {
      const { page } = await openAs(platform.ada.email, place);
      await fetch(`${platform.issuer}/oauth/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token: (await tokenOf(page)) ?? '' }),
      });
      await page.getByText('Your sign-in has ended.').waitFor();
      expect(await page.locator('main').isVisible()).toBe(false);
    },
  );

  test('two tabs sign in at once, as two people', async () => {
    const first = (await open('#tasks')).page;
    const second = await first.context().newPage();
    await second.goto(`${platform.issuer}/#trash`);
    for (const page of [first, second]) {
      await accountButton(page).click();
      await page.getByLabel('Password').waitFor();
    }
    await typePassword(second, 'alan@example.com');
    await typePassword(first, platform.ada.email);
    await isShown(first);
    await isShown(second);
    expect(await first.locator('#person').textContent()).toBe('Ada Lovelace');
    expect(await second.locator('#person').textContent()).toBe('Alan Turing');
    expect(first.url()).toBe(`${platform.issuer}/#tasks`);
    expect(second.url()).toBe(`${platform.issuer}/#trash`);
  });

  test('who disconnects the page is signed out there at once, and needs the password again', async () => {
    const { page } = await openAs('alan@example.com', '#tasks');
    const settings = await page.context().newPage();
    await settings.goto(`${platform.issuer}/settings/connections`);
    // Within the group of all browsers of that person.
    const row = settings.getByRole('listitem').filter({ hasText: 'This browser' }).last();
    expect(await row.textContent()).toContain('The page of this platform, in a browser in which');
    expect(await row.textContent()).toContain(
      'For a day from its last use, or until it signs out.',
    );
    expect(await violationsOfAll(settings)).toEqual([]);
    await row.getByRole('button', { name: /^Disconnect Fovea/ }).click();
    await settings.getByRole('status').getByText('its access has ended').waitFor();
    await page.getByText('Your sign-in has ended.').waitFor();
    await accountButton(page).click();
    await typePassword(page, 'alan@example.com');
    await isShown(page);
  });

  test('a removed account and wrong passwords open nothing', async () => {
    await platform.addAccount('Eve Nobody', ['acme']);
    const { page } = await openAs('eve@example.com');
    await platform.removeAccount('eve@example.com');
    await page.getByText('Your sign-in has ended.').waitFor();
    await accountButton(page).click();
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await typePassword(page, 'eve@example.com');
      await page.getByRole('alert').waitFor();
    }
    await page.getByText('There were too many wrong passwords.').waitFor();
  });

  test('a service that does not answer is named, and the next try goes well', async () => {
    const { page } = await open('#tasks');
    await page.route('**/oauth/token', (route) => route.abort());
    await accountButton(page).click();
    await typePassword(page, platform.ada.email);
    await page.getByText('The sign-in service does not answer. Sign in again.').waitFor();
    expect(page.url()).toBe(`${platform.issuer}/#tasks`);
    await page.unroute('**/oauth/token');
    await accountButton(page).click();
    await isShown(page);
    await page.route('**/settings/sign-out', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('may be signed in there still').waitFor();
  });

  test('who signs out on the page is signed out in the other tab and at the settings', async () => {
    const { page, problems } = await openAs(platform.ada.email, '#tasks');
    const other = await page.context().newPage();
    await other.goto(`${platform.issuer}/#trash`);
    await accountButton(other).click();
    await isShown(other);
    const settings = await page.context().newPage();
    await settings.goto(`${platform.issuer}/#tasks`);
    await settings.goto(`${platform.issuer}/settings/applications`);
    await settings.getByText('Ada Lovelace').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await accountButton(page).waitFor();
    await vi.waitFor(async () => {
      await settings.reload();
      expect(new URL(settings.url()).pathname).toBe('/settings/sign-in');
    });
    // Each tab looks by itself: the words of a look are gone with a reload.
    await other.getByText('Your sign-in has ended.').waitFor();
    expect(problems).toEqual([]);
  });

  test('another address of the service leads to the one to which people come back', async () => {
    const { page } = await open('#tasks', platform.issuer.replace('127.0.0.1', 'localhost'));
    await page.getByRole('link', { name: platform.issuer }).click();
    await accountButton(page).waitFor();
    expect(page.url()).toBe(`${platform.issuer}/#tasks`);
  });

  test('a platform without accounts asks for a key alone', async () => {
    const alone = await startTestPlatform({ inSources: true });
    onTestFinished(() => alone.close());
    const { page, problems, requests } = await open('', alone.url);
    await page.getByLabel('API key').waitFor();
    await vi.waitFor(() => expect(requests).toContain('/page/account-sign-in'));
    await page.waitForLoadState('networkidle');
    expect(await accountButton(page).count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
