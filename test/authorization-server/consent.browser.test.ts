// The pages in a real Chromium: buttons are pressed, and pages of others try what they can.

import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasChromium, inChromium, openBrowser, visit } from '../event-store/chromium.ts';
import {
  authorizationUrl,
  person,
  postForm,
  signedIn,
  type TestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { violationsOn } from '../platform/axe-violations.ts';
import { addGrace, administer, grace } from './page-visits.ts';
import { shareService } from './shared-service.ts';

const start = shareService();

let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await openBrowser();
});
afterAll(() => browser?.close());

async function show(url: string | URL, options: BrowserContextOptions = {}) {
  const opened = await visit(browser, String(url), options);
  onTestFinished(() => opened.page.context().close());
  return opened;
}

/** Another origin: answers every path with this page, and notes what it was asked. */
async function startSite(html = '<title>back</title>Signed in.') {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { origin: `http://127.0.0.1:${address.port}`, asked };
}

/** A desktop application, and a program that waits for its callback. */
async function startApplication(service: TestAuthorizationServer, name = 'Labels') {
  const site = await startSite();
  const application = await service.register({
    name,
    auth: 'none',
    desktop: true,
    visibility: 'Public',
    redirectUris: ['http://127.0.0.1/callback'],
  });
  return { ...site, application: { ...application, redirectUri: `${site.origin}/callback` } };
}

async function signInAs(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name or email').fill(name);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Allow' }).waitFor();
}

describe.skipIf(!hasChromium)(inChromium, () => {
  test.each([true, false])('the button leads back with a code (script: %s)', async (script) => {
    const service = await start();
    const { application, origin, asked } = await startApplication(service);
    const { url, verifier, state } = authorizationUrl(service, application);
    const { page, problems, requests } = await show(url, { javaScriptEnabled: script });
    await signInAs(page, person.email);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${origin}/callback?**`);
    const final = new URL(page.url());
    expect(final.searchParams.get('state')).toBe(state);
    const answer = await postForm(`${service.url}/oauth/token`, application, {
      grant_type: 'authorization_code',
      code: final.searchParams.get('code') ?? '',
      redirect_uri: application.redirectUri,
      code_verifier: verifier,
    });
    const { accessToken } = signedIn(answer);
    expect((await validate(service, accessToken)).body.active).toBe(true);
    // Nothing else was asked for anywhere, and the application hears of no address of ours.
    expect(problems).toEqual([`another origin: ${origin}`]);
    expect(asked[0]?.headers.referer).toBeUndefined();
    const paths = requests.map((each) => each.replace(/\?.*/, '').replace(/[\w-]{43}/, 'UID'));
    expect(paths).toEqual([
      '/oauth/authorize',
      '/oauth/sign-in/UID',
      '/oauth/sign-in/UID',
      '/oauth/authorize/UID',
      '/oauth/sign-in/UID',
      '/oauth/sign-in/UID/consent',
      '/oauth/authorize/UID',
      '/callback',
    ]);
  });

  test('a person of several workspaces chooses one, and may deny without', async () => {
    const service = await start();
    await addGrace(service, ['north', 'south']);
    const { application, origin } = await startApplication(service);
    const { page } = await show(authorizationUrl(service, application).url);
    await signInAs(page, grace.email);
    await page.getByRole('button', { name: 'Allow' }).click();
    // The browser itself asks for a choice.
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
    expect(page.url()).toContain('/oauth/sign-in/');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${origin}/callback?**`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.goto(authorizationUrl(service, application).url.href);
    await page.getByRole('radio', { name: 'south' }).check();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${origin}/callback?**`);
    expect(new URL(page.url()).searchParams.has('code')).toBe(true);
  });

  test('no text of others becomes a program or an element', async () => {
    const service = await start();
    const evil = `"><img src=x onerror="alert(1)"><script>alert(2)</script>'`;
    const application = await service.register({
      name: evil,
      homepage: 'https://example.com/"><script>alert(3)</script>',
      visibility: 'Public',
    });
    const parameters = { state: evil, login_hint: evil, ui_locales: evil };
    const { url } = authorizationUrl(service, application, parameters);
    const { page, problems } = await show(url);
    expect(await page.getByLabel('Name or email').inputValue()).toBe(evil);
    await signInAs(page, person.email);
    expect(await page.locator('h1').textContent()).toBe(`${evil} asks for access`);
    expect(await page.title()).toBe(`Allow ${evil}? · Fovea`);
    expect(await page.locator('script, img, [onerror]').count()).toBe(0);
    await page.getByRole('link', { name: 'Not you?' }).click();
    await page.getByLabel('Password').waitFor();
    expect(await page.locator('script, img, [onerror]').count()).toBe(0);
    const settings = await show(`${service.url}/settings/sign-in`);
    await settings.page.getByLabel('Name or email').fill(person.email);
    await settings.page.getByLabel('Password').fill(person.password);
    await settings.page.getByRole('button', { name: 'Sign in' }).click();
    await settings.page.getByRole('heading', { name: 'Registered' }).waitFor();
    expect(await settings.page.getByRole('heading', { name: evil }).count()).toBe(1);
    expect(await settings.page.locator('script, img, [onerror]').count()).toBe(0);
    const refused = await show(
      `${service.url}/oauth/authorize?client_id=${encodeURIComponent(evil)}`,
    );
    expect(await refused.page.locator('script, img, [onerror]').count()).toBe(0);
    expect([...problems, ...settings.problems]).toEqual([]);
  });

  test('no page is shown inside the page of another', async () => {
    const service = await start();
    const { application } = await startApplication(service);
    const { url } = authorizationUrl(service, application);
    const first = await show(url);
    await signInAs(first.page, person.email);
    const addresses = [first.page.url(), `${service.url}/settings/sign-in`];
    const site = await startSite(
      addresses.map((each) => `<iframe src="${each}"></iframe>`).join(''),
    );
    await first.page.goto(site.origin);
    await first.page.waitForLoadState('networkidle');
    const frames = first.page.frames().slice(1);
    expect(frames).toHaveLength(2);
    for (const frame of frames) {
      expect(frame.url()).toBe('chrome-error://chromewebdata/');
      expect(await frame.getByRole('button').count()).toBe(0);
    }
    expect(first.problems.join('\n')).toContain("frame-ancestors 'none'");
  });

  test('a page of another origin cannot send the form, whatever it knows', async () => {
    const service = await start();
    const { application, asked } = await startApplication(service);
    const { page } = await show(authorizationUrl(service, application).url);
    await signInAs(page, person.email);
    const consent = page.url();
    const token = await page.locator('input[name=form_token]').inputValue();
    // localhost is another site than 127.0.0.1: only there cookies stay behind.
    const site = await startSite(`<form method="post" action="${consent}/consent">
      <input name="form_token" value="${token}"><input name="workspace" value="acme">
      <input name="decision" value="allow"><button>Win a prize</button></form>`);
    for (const origin of [site.origin, site.origin.replace('127.0.0.1', 'localhost')]) {
      await page.goto(origin);
      const [answer] = await Promise.all([
        page.waitForResponse(`${consent}/consent`),
        page.getByRole('button').click(),
      ]);
      expect(answer.status()).toBe(403);
    }
    // The person goes on as if nothing had been.
    await page.goto(consent);
    expect(asked).toEqual([]);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL('**/callback?**');
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  test('applications are registered and removed by hand, without script', async () => {
    const service = await start();
    const { page } = await show(`${service.url}/settings`, { javaScriptEnabled: false });
    await page.getByLabel('Name or email').fill(person.name);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Name', { exact: true }).fill('By hand');
    await page.getByRole('textbox', { name: 'Redirect URIs' }).fill('https://hand.example/back');
    await page.getByLabel('Visibility').selectOption('Public');
    await page.getByText('Allowed scopes: all, unless').click();
    await page.getByRole('checkbox', { name: 'project:read' }).check();
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByText('Copy the secret now.').waitFor();
    const find = () =>
      administer(service, async ({ applications }) =>
        (await applications.list()).find(({ name }) => name === 'By hand'),
      );
    expect(await find()).toMatchObject({
      redirectUris: ['https://hand.example/back'],
      visibility: 'Public',
      scopes: ['openid', 'project:read'],
    });
    await page.getByRole('link', { name: 'I have copied it' }).click();
    const item = page.getByRole('listitem').filter({ hasText: 'By hand' });
    await item.getByText('Remove', { exact: true }).click();
    await item.getByRole('button', { name: 'Remove By hand' }).click();
    await page.getByText('The application was removed.').waitFor();
    expect(await find()).toBeUndefined();
  });

  test.each(['light', 'dark'] as const)('%s pages can be read, on a phone too', async (scheme) => {
    const service = await start();
    const application = await service.register({ name: 'N'.repeat(100), visibility: 'Public' });
    const scope = 'openid email project:update credentials:create';
    const { url } = authorizationUrl(service, application, { scope });
    const { page } = await show(url, {
      colorScheme: scheme,
      viewport: { width: 320, height: 640 },
    });
    await page.getByLabel('Password').fill('wrong');
    await page.getByLabel('Name or email').fill('nobody');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await expectReadable(page, ['h1', '.quiet', '.problem', 'label', 'input', 'button.main']);
    await signInAs(page, person.email);
    expect(await violationsOn(page)).toEqual([]);
    await expectReadable(page, ['h1', '.quiet', 'dd', '.permissions ul', '.strong', 'button', 'a']);
    await page.goto(`${service.url}/settings/sign-in`);
    await page.getByLabel('Name or email').fill(person.email);
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Registered' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await expectReadable(page, ['h2', 'small', 'code', 'summary', 'textarea', 'select', 'label']);
  });
});

/** WCAG 2.2, 1.4.3: a contrast of 4.5 at least; and nothing that is wider than the screen. */
async function expectReadable(page: Page, selectors: readonly string[]): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  for (const selector of selectors) {
    const found: unknown = await page.evaluate(`(${contrastOf})(${JSON.stringify(selector)})`);
    expect([selector, Number(found)]).toEqual([selector, expect.toSatisfy((each) => each >= 4.5)]);
  }
}

/** Runs in the page, which the types of this project do not know. */
const contrastOf = `(selector) => {
  const element = document.querySelector(selector);
  const parse = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b]
    .map((each) => each / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
  let at = element;
  let ground = parse(getComputedStyle(at).backgroundColor);
  while (ground[3] === 0) {
    at = at.parentElement;
    ground = parse(getComputedStyle(at).backgroundColor);
  }
  const both = [light(parse(getComputedStyle(element).color)), light(ground)];
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
}`;
