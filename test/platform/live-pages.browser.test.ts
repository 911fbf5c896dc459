// Whether a page says that it is live, in a real browser: only where the platform answers, and
// where it looks for news.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { apiKeys } from '../../src/contract/api-keys.ts';
import { projects } from '../../src/contract/projects.ts';
import { visionEventExtensions } from '../../src/contract/vision-events.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  call,
  createJob,
  drag,
  labellingPage,
  open,
  saved,
  setBoxes,
  upload,
} from './labelling-page.ts';
import { goTo } from './opened-pages.ts';

labellingPage();

async function says(page: Page, words: string): Promise<void> {
  await expect
    .poll(() => page.locator('#connection').textContent(), { timeout: 15_000 })
    .toBe(words);
}

/** An image with a box is open. */
async function openLabelled(key?: string) {
  const id = await upload();
  await setBoxes(id, [['RBC', 10, 10, 20, 20]]);
  const opened = await open(id, key === undefined ? {} : { key });
  await opened.page.locator('.box-row').waitFor();
  return { id, ...opened };
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('without a network no page says that it is live, and the picture stays where it is', async () => {
    const { page } = await openLabelled();
    await says(page, 'Live');
    await page.context().setOffline(true);
    await says(page, 'No connection');
    // Words above the picture would move it below the pointer.
    expect(await page.locator('#problem').isVisible()).toBe(false);
    await drag(page, [100, 100], [150, 150]);
    await page.getByText('Not saved yet, it is tried again').waitFor();
    await page.context().setOffline(false);
    await says(page, 'Live');
    await saved(page);
    await goTo(page, 'project/cells/images');
    await says(page, 'Connected');
    await page.context().setOffline(true);
    await says(page, 'No connection');
    const problem = page.locator('#problem');
    await problem.getByText('The platform does not answer.').waitFor();
    await page.context().setOffline(false);
    await says(page, 'Connected');
    await problem.waitFor({ state: 'hidden' });
  });

  test('the lists of keys and of activity follow what others do, and name a revoked key', async () => {
    const make = async (name: string) =>
      (await call(apiKeys.api_keys_create, { workspace: 'acme', name })).body;
    const { keyId, key } = await make('Camera 7');
    const { page } = await open('');
    await goTo(page, 'keys');
    const row = page.getByRole('row', { name: 'Camera 7' });
    await row.waitFor();
    await says(page, 'Live');
    const { key: other } = await make('Camera 8');
    expect(other).not.toBe(key);
    await page.getByRole('row', { name: 'Camera 8' }).waitFor();
    const at = new URL(page.url()).origin;
    const made = await fetch(`${at}/acme/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'By camera' }),
    });
    expect(made.status).toBe(201);
    await call(apiKeys.api_keys_revoke, { workspace: 'acme', keyId });
    await expect.poll(() => row.count()).toBe(0);
    await goTo(page, 'activity');
    await page.getByRole('link', { name: 'Camera 7 (revoked)' }).waitFor();
    await says(page, 'Live');
    await make('Camera 9');
    await page.getByRole('cell', { name: 'Camera 9' }).waitFor();
  });

  test('the lists of projects and of use cases follow what others do', async () => {
    const { page } = await open('');
    await goTo(page, 'projects');
    await page.getByRole('heading', { name: 'cells' }).waitFor();
    await says(page, 'Live');
    await call(projects.projects_create, {
      workspace: 'acme',
      name: 'Made meanwhile',
      type: 'object-detection',
      annotation: 'x',
    });
    await page.getByRole('heading', { name: 'Made meanwhile' }).waitFor();
    await goTo(page, 'events');
    await page.getByText('No vision events yet.').waitFor();
    await says(page, 'Live');
    await call(visionEventExtensions.use_cases_create, { name: 'Line 4' });
    await page.getByRole('row', { name: 'Line 4' }).waitFor();
  });

  test('who is not signed in sees nothing of it', async () => {
    const made = await call(apiKeys.api_keys_create, { workspace: 'acme', name: 'Ada' });
    const { page } = await openLabelled(made.body.key);
    await says(page, 'Live');
    await call(apiKeys.api_keys_revoke, { workspace: 'acme', keyId: made.body.keyId });
    await page.getByText('This key is unknown or no longer valid.').waitFor();
    await says(page, '');
    // Later looks say nothing either.
    await page.waitForTimeout(3_000);
    await says(page, '');
  });

  test('the lists of jobs follow what others do, and leave what the reader does as it is', async () => {
    const { id, page } = await openLabelled();
    const { jobId, decide } = await createJob('Edges', [id]);
    await goTo(page, 'project/cells/jobs');
    const row = page.getByRole('row', { name: 'Edges' });
    await row.getByText('0 approved, 0 sent back, 1 left').waitFor();
    await says(page, 'Live');
    const filter = page.getByLabel('Filter');
    await filter.fill('job:e');
    await row.getByRole('link', { name: 'Edges' }).focus();
    await decide(id, { decision: 'send_back', comment: 'Too dark' });
    await row.getByText('0 approved, 1 sent back, 0 left').waitFor();
    await row.getByText('Too dark').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Edges');
    await createJob('Earlier', [await upload()]);
    await page.getByRole('row', { name: 'Earlier' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Edges');
    expect(await filter.inputValue()).toBe('job:e');
    expect(await row.getByText('Too dark').isVisible()).toBe(true);
    await goTo(page, 'project/cells');
    const compare = page.locator(`a[href$="/agreement/${jobId}"]`);
    await compare.focus();
    const images = page.locator('dl.facts').first();
    const before = (await images.textContent()) ?? '';
    await upload();
    await expect.poll(() => images.textContent()).not.toBe(before);
    await createJob('Later', [await upload()]);
    await page.getByRole('row', { name: 'Later' }).waitFor();
    const focused = 'document.activeElement.getAttribute("href")';
    expect(await page.evaluate(focused)).toBe(`#project/cells/agreement/${jobId}`);
    await says(page, 'Live');
  });
});
