// The pages of evaluations in a real browser: their list, the figures of one, the images behind
// them, which become a review, and two compared.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { tasks } from '../../src/contract/tasks.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { violationsOfAll } from './axe-violations.ts';
import { evaluated, squares } from './judged-squares.ts';
import { goTo, hostile, shownRows, useOpenedPages } from './opened-pages.ts';
import { redAt, sharedLabelling, squaresModel } from './platform-with-model.ts';

const open = useOpenedPages();
const labelling = sharedLabelling({ model: squaresModel });

let judged: Awaited<ReturnType<typeof squares>>;
let first = '';
let second = '';

beforeAll(async () => {
  if (!hasChromium) return;
  const fixture = labelling();
  judged = await squares(fixture, [
    { name: `${hostile}.png`, image: await redAt(7), objects: [[hostile, 7]] },
  ]);
  first = (await evaluated(fixture, judged, { query: 'split:test' })).evaluationId;
  second = (await evaluated(fixture, judged, { query: 'split:test', confidence: 0.9 }))
    .evaluationId;
}, 60_000);

const place = (rest: string) => `project/${judged.project}/${rest}`;

/** Where the page is, behind its `#`. */
function placeOf(page: Page): string {
  return decodeURIComponent(new URL(page.url()).hash.slice(1)).replaceAll('+', ' ');
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('lists evaluations, and shows the figures of one with what to do first', async () => {
    const { page, problems } = await open(labelling().platform, place('evaluations'));
    expect(await shownRows(page)).toEqual(['local', 'local']);
    const row = page.locator('tbody tr').last();
    expect(await row.locator('td').allTextContents()).toEqual(
      expect.arrayContaining(['completed', 'split:test']),
    );
    expect(await violationsOfAll(page)).toEqual([]);
    await page.getByLabel('Filter').fill('failed');
    await page.getByText('None fits').waitFor();
    await page.getByLabel('Filter').fill('');
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'What to do first' }).waitFor();
    const facts = await page.locator('dl.facts').first().innerText();
    expect(facts).toMatch(/Images\s+4\s+Labels\s+4\s+Predictions\s+4/);
    const advice = page.locator('li.card');
    expect(await advice.first().textContent()).toContain('The next step as a call');
    // Names of classes are text.
    await page.getByRole('rowheader', { name: hostile }).first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await violationsOfAll(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('draws the sweep of all classes or of one, whose address can be shared', async () => {
    const { page, problems } = await open(labelling().platform, place(`evaluation/${first}`));
    const chart = page.getByRole('img', { name: /^Precision, recall and F1 by confidence/ });
    const all = await chart.getAttribute('aria-label');
    expect(await chart.locator('path.line').count()).toBe(3);
    await page.getByLabel('Class').selectOption('red');
    await expect.poll(() => placeOf(page)).toBe(place(`evaluation/${first}?class=red`));
    await expect.poll(() => chart.getAttribute('aria-label')).not.toBe(all);
    await page.reload();
    await chart.waitFor();
    expect(await chart.getAttribute('aria-label')).toMatch(/F1 is best at confidence 0\.\d+/);
    await page.getByText('As figures').click();
    expect(await page.locator('.sweep tbody tr').count()).toBe(21);
    expect(problems).toEqual([]);
  });

  test('a cell of the matrix opens its images, labels beside predictions', async () => {
    const { page, problems } = await open(labelling().platform, place(`evaluation/${first}`));
    const matrix = page.getByRole('region', { name: 'Confusion matrix' });
    await matrix.getByRole('link', { name: 'red found as blue: 1' }).click();
    await page.getByRole('heading', { name: /red found as blue$/ }).waitFor();
    expect(placeOf(page)).toBe(place(`judged/${first}?class=red&found=blue`));
    expect(await shownRows(page)).toEqual(['wrong.png']);
    const sheet = page.locator('img.sheet');
    await expect
      .poll(() => sheet.evaluate((img: { naturalWidth: number }) => img.naturalWidth))
      .toBeGreaterThan(100);
    expect(await violationsOfAll(page)).toEqual([]);
    // Other images by the choices above, kept in the address.
    await page.getByLabel('What').selectOption('misses');
    await expect.poll(() => placeOf(page)).toBe(place(`judged/${first}?only=misses&class=red`));
    await page.getByRole('heading', { name: /misses of red$/ }).waitFor();
    expect(await shownRows(page)).toEqual(['wrong.png']);
    await page.getByLabel('What').selectOption('swapped');
    await page.getByText('red is labelled, blue is there (1.00)').waitFor();
    await page.getByLabel('Score from').fill('0.5');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect
      .poll(() => placeOf(page))
      .toBe(place(`judged/${first}?only=swapped&class=red&score=0.5`));
    await page.reload();
    await page.getByText('red is labelled, blue is there (1.00)').waitFor();
    await goTo(page, place(`judged/${first}?only=misses`));
    expect(await shownRows(page)).toContain(`${hostile}.png`);
    expect(await page.locator('main img:not(.sheet)').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('what a model errs in is gone through on the labelling page, beside its predictions', async () => {
    const { page, problems } = await open(
      labelling().platform,
      place(`judged/${first}?only=misses`),
    );
    await page.getByRole('link', { name: 'Go through them' }).click();
    await page.getByText('1 of 3', { exact: true }).waitFor();
    expect(placeOf(page)).toContain(`?q=evaluation:${first}/misses`);
    await page.getByText(`the evaluation ${first}`).waitFor();
    await page.keyboard.press('n');
    await page.getByText('2 of 3', { exact: true }).waitFor();
    expect(placeOf(page)).toContain(`?q=evaluation:${first}/misses`);
    expect(problems).toEqual([]);
  });

  test('the worst images come first, as on the page before, also in a review', async () => {
    const misses = place(`judged/${first}?only=misses`);
    const { page, problems } = await open(labelling().platform, misses);
    const worstFirst = ['missed.png', 'wrong.png', `${hostile}.png`];
    expect(await shownRows(page)).toEqual(worstFirst);
    const goThrough = async () => {
      for (const [at, name] of worstFirst.entries()) {
        await page.getByText(`${at + 1} of 3`, { exact: true }).waitFor();
        await page.getByRole('heading', { name }).waitFor();
        await page.keyboard.press('n');
      }
    };
    await page.getByRole('link', { name: 'Go through them' }).click();
    await goThrough();
    await goTo(page, misses);
    await page.getByRole('button', { name: 'Review all of them' }).click();
    await page.getByRole('region', { name: 'Review' }).waitFor();
    await goThrough();
    // From the last one, where the person is, to those before it that are undecided.
    for (const [sent, name] of [...worstFirst.slice(-1), ...worstFirst.slice(0, -1)].entries()) {
      await page.getByRole('heading', { name }).waitFor();
      await page.getByLabel('Why it is sent back').fill('seen');
      await page.getByRole('button', { name: 'Send back' }).click();
      await page.getByText(`${sent + 1} sent back`).waitFor();
    }
    expect(problems).toEqual([]);
  });

  test('images of an evaluation become a review, whose changes its task tells', async () => {
    const { platform } = labelling();
    const { page, problems } = await open(platform, place(`judged/${first}?class=red&found=blue`));
    await page.getByRole('button', { name: 'Review all of them' }).click();
    const review = page.getByRole('region', { name: 'Review' });
    await review.getByRole('heading', { name: 'Review of red found as blue' }).waitFor();
    await page.getByText(`the evaluation ${first}`).waitFor();
    const [, jobId = ''] = /job=(\w+)/.exec(placeOf(page)) ?? [];
    await page.getByText('red is labelled, blue is there (1.00)').waitFor();
    await page.locator('.box-row', { hasText: 'red 16' }).click();
    await page.getByRole('button', { name: /^\d blue$/ }).click();
    await page.getByRole('status').getByText('Saved.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Every image of this job is decided.').waitFor();
    const { body } = await platform.client.call(tasks.tasks_get, {
      workspace: 'acme',
      taskId: jobId,
    });
    expect(body).toMatchObject({
      status: 'completed',
      result: { approved: 1, changedImages: 1 },
    });
    expect(problems).toEqual([]);
  });

  test('compares two evaluations of the same images', async () => {
    const { page, problems } = await open(labelling().platform, place(`evaluation/${second}`));
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: /two evaluations$/ }).waitFor();
    expect(placeOf(page)).toBe(place(`comparison/${second}/${first}`));
    await page.getByText(/have fewer errors, \d+ more, \d+ as many\.$/).waitFor();
    expect(await page.getByRole('rowheader', { name: 'AP50' }).count()).toBe(1);
    expect(await violationsOfAll(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('says that an evaluation is not there', async () => {
    const { page } = await open(labelling().platform, place('evaluations'));
    await page.evaluate(`location.hash = '${place('evaluation/nowhere')}'`);
    await page
      .getByRole('alert')
      .getByText(/evaluation.*nowhere/)
      .waitFor();
  });
});
