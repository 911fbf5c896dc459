// The list of annotation jobs in a real browser: by person, status and batch, what was sent back
// and why, and how far each batch is.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { reviews } from '../../src/contract/annotation.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { violationsOfAll } from './axe-violations.ts';
import { call, createJob, labellingPage, open, upload, uploadLabelled } from './labelling-page.ts';
import { hostile, shownRows } from './opened-pages.ts';

const { url } = labellingPage();

const box = ['RBC', 10, 10, 20, 20] as const;

async function show(page: Page, place: string): Promise<void> {
  await page.goto(`${url()}/#project/cells/${place}`);
  await page.locator('main:not([aria-busy]) h2').waitFor();
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('says what to do while there is no job', async () => {
    await upload('bees');
    const { page, problems } = await open('', { project: 'bees' });
    await page.goto(`${url()}/#project/bees/jobs`);
    await page.getByText('No annotation job yet.').waitFor();
    await page.getByRole('rowheader').first().waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('lists jobs by person and status, with what was sent back and why', async () => {
    const ids = await uploadLabelled(3, box);
    const [first = '', second = '', third = ''] = ids;
    const { jobId, decide } = await createJob('Check the edges', [first, second]);
    await decide(first, { decision: 'send_back', comment: `${hostile} is missing` });
    await decide(second, { decision: 'approve' });
    await call(reviews.annotation_review, {
      workspace: 'acme',
      project: 'cells',
      images: [third],
      instructions: 'Of Ada',
      assignedTo: 'ada@example.com',
    });
    const { page, problems } = await open(`?job=${jobId}`);
    await show(page, 'jobs');
    const row = page.getByRole('row', { name: 'Check the edges' });
    await row.getByText('1 approved, 1 sent back, 0 left').waitFor();
    // Without a click: it is why people look here.
    await row.getByText(`${hostile} is missing`).waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await violationsOfAll(page)).toEqual([]);
    // On a phone the table is moved sideways in itself.
    await page.setViewportSize({ width: 390, height: 800 });
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect(wide).toBeLessThanOrEqual(390);
    const [inside, shown] = await page
      .locator('.table')
      .first()
      .evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    expect(inside).toBeGreaterThan(shown ?? 0);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByLabel('Person').selectOption('ada@example.com');
    const areShown = async (...names: string[]) => {
      const rows = await shownRows(page);
      return names.map((name) => rows.includes(name));
    };
    await expect.poll(() => areShown('Of Ada', 'Check the edges')).toEqual([true, false]);
    await page.reload();
    await page.getByRole('row', { name: 'Of Ada' }).getByText('ada@example.com reviews').waitFor();
    expect(await page.getByRole('row', { name: 'Check the edges' }).count()).toBe(0);
    await page.getByLabel('Person').selectOption('');
    await page.getByLabel('Status').selectOption('completed');
    await expect.poll(() => shownRows(page)).not.toContain('Of Ada');
    await row.waitFor();
    await page.getByLabel('Filter').fill('sent-back:missing');
    await row.getByRole('link', { name: /\.png$/ }).click();
    await page.getByText(`sent it back: “${hostile} is missing”`).waitFor();
    expect(problems).toEqual([]);
  });

  test('tells how far a batch is, and opens what is left of it', async () => {
    const [id = ''] = await uploadLabelled(1, box);
    const { page, problems } = await open(id);
    await show(page, 'jobs');
    const row = page.getByRole('table').last().locator('tbody tr').first();
    expect(await row.textContent()).toMatch(/\d+ of \d+/);
    await row.getByRole('rowheader').getByRole('link').click();
    await page.getByText(/^1–\d+ of \d+$/).waitFor();
    expect(decodeURIComponent(page.url())).toContain('/images?q=batch:');
    expect(problems).toEqual([]);
  });
});
