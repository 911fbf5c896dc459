// What the tests of the platform's pages share: a browser, and pages that are signed in.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { hasChromium, openBrowser, type Visit, visit } from '../event-store/chromium.ts';
import type { TestPlatform } from '../fixtures/platform.ts';

/** Text that would be an element or a program, were it not shown as text. */
export const hostile = '<img src=x onerror="alert(1)">';

/** One browser for the tests of a file. Opens what stands behind the # of a page. */
export function useOpenedPages() {
  const visits: Visit[] = [];
  let browser: Browser;
  beforeAll(async () => {
    if (hasChromium) browser = await openBrowser();
  });
  afterEach(async () => {
    for (const { page } of visits.splice(0)) await page.context().close();
  });
  afterAll(() => browser?.close());
  return async (
    { url, key }: Pick<TestPlatform, 'url' | 'key'>,
    place: string,
    options: BrowserContextOptions = {},
  ): Promise<Visit> => {
    const opened = await visit(browser, `${url}/#${place}`, options);
    visits.push(opened);
    await opened.page.getByLabel('API key').fill(key);
    await opened.page.getByRole('button', { name: 'Open', exact: true }).click();
    await opened.page.locator('main:not([aria-busy]) h2').waitFor();
    return opened;
  };
}

/** Follows a link of the page to a place, as the address bar does. */
export async function goTo(page: Page, place: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    addEventListener('hashchange', resolve, { once: true });
    location.hash = ${JSON.stringify(place)};
  })`);
  await page.locator('main:not([aria-busy]) h2').waitFor();
}

/** The first cells of the rows that are shown. */
export function shownRows(page: Page): Promise<string[]> {
  return page.locator('tbody tr:visible th').allTextContents();
}
