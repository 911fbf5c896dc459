// A real Chromium on the pages of the Event Store, which keeps a list of all that went wrong.

import { existsSync } from 'node:fs';
import { getuid } from 'node:process';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** Where Debian and others put it; undefined: this machine has none. */
const executablePath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => existsSync(path));

export const hasChromium = executablePath !== undefined;

/** For the title of tests that are skipped without it. */
export const inChromium = hasChromium
  ? 'in Chromium'
  : 'in Chromium (SKIPPED: none is installed, for example by "apt install chromium")';

export function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('There is no Chromium.');
  // Chromium refuses its sandbox to root, which containers often are.
  const args = getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args });
}

export interface Visit {
  readonly page: Page;
  /** Errors and warnings of the console, failed requests, and requests to other origins. */
  readonly problems: readonly string[];
  /** Paths that were asked for. */
  readonly requests: readonly string[];
}

/** Opens an address in a profile of its own. The clock of the page can be moved on. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options,
  });
  const page = await context.newPage();
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('dialog', async (dialog) => {
    const asksBeforeLeaving = dialog.type() === 'beforeunload';
    problems.push(`dialog: ${asksBeforeLeaving ? 'leave the page?' : dialog.message()}`);
    // Who stays on the page would wait for its reload until the test ends.
    await (asksBeforeLeaving ? dialog.accept() : dialog.dismiss());
  });
  page.on('request', (request) => {
    const { origin, pathname, search } = new URL(request.url());
    requests.push(`${pathname}${search}`);
    if (origin !== new URL(url).origin) problems.push(`another origin: ${origin}`);
  });
  await page.clock.install();
  await page.goto(url);
  return { page, problems, requests };
}
