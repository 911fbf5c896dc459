// The pages of applications and passwords in the navigation of the platform's page.

import { describe, expect, onTestFinished, test } from 'vitest';
import { hasChromium, inChromium, openBrowser, visit } from '../event-store/chromium.ts';
import { violationsOfAll } from '../platform/axe-violations.ts';
import { openAccountHolder } from './account-holder.ts';
import { isActive, password, startPlatformWithAccounts } from './platform-with-accounts.ts';

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('from the lists to the applications and back, with the same views', async () => {
    const platform = await startPlatformWithAccounts();
    onTestFinished(() => platform.close());
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const { page, problems } = await visit(browser, `${platform.issuer}/#tasks`);
    await page.getByLabel('API key').fill(platform.key);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('No tasks yet.').waitFor();
    const views = page.getByRole('navigation', { name: 'Views', exact: true });
    const names = await views.getByRole('link').allTextContents();
    await views.getByRole('link', { name: 'Applications' }).click();
    await page.getByLabel('Name or email').fill(platform.ada.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Registered' }).waitFor();
    expect(await views.locator('[aria-current="page"]').allTextContents()).toEqual([
      'Applications',
    ]);
    expect([...(await views.getByRole('link').allTextContents()), 'API']).toEqual(names);
    expect(await violationsOfAll(page)).toEqual([]);
    await page.getByRole('link', { name: 'Change password' }).click();
    await page.getByLabel('Current password').waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
    const application = platform.applications.desktop;
    const tokens = await openAccountHolder(platform).tokensFor(application);
    await page.getByRole('link', { name: 'Back to the applications' }).click();
    await page.getByRole('link', { name: 'Connected', exact: true }).click();
    await page.getByRole('heading', { name: 'Application desktop' }).waitFor();
    expect(await views.locator('[aria-current="page"]').allTextContents()).toEqual([
      'Applications',
    ]);
    await page.getByText('What it may do').click();
    await page.getByText('Know which account is yours').waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
    await page.getByRole('button', { name: /^Disconnect Application desktop, / }).click();
    await page.getByRole('status').getByText('its access has ended').waitFor();
    expect(await isActive(platform.issuer, tokens.access_token)).toBe(false);
    expect(await violationsOfAll(page)).toEqual([]);
    // The key of the tab is there still.
    await views.getByRole('link', { name: 'Tasks' }).click();
    await page.getByText('No tasks yet.').waitFor();
    expect(problems).toEqual([]);
  });
});
