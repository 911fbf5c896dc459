// The pages of trainings in a real browser: the list of a project, and the curves of one.

import { beforeAll, describe, expect, test } from 'vitest';
import { trainingExtensions, trainings } from '../../src/contract/trainings.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import {
  type At,
  endOfTraining,
  recipeTrainer,
  scriptOf,
  smallVersion,
} from '../trainers/test-trainers.ts';
import { violationsOfAll } from './axe-violations.ts';
import { goTo, hostile, shownRows, useOpenedPages } from './opened-pages.ts';

const open = useOpenedPages();
let platform: TestPlatform;
let at: At;

beforeAll(async () => {
  if (!hasChromium) return;
  const { trainer, remove } = await recipeTrainer();
  platform = await startTestPlatform({ trainer });
  at = await smallVersion(platform.client, 'cells');
  return async () => {
    await platform.close();
    await remove();
  };
}, 60_000);

const epochs = [1, 2, 3].map(
  (epoch) =>
    `say('{"epoch":${epoch},"epochs":3,"metrics":{"loss":${4 - epoch},"map50":${epoch / 4}}}');`,
);

async function train(script: string): Promise<string> {
  const { client } = platform;
  const started = await client.call(trainingExtensions.trainings_start, {
    ...at,
    ...scriptOf(script),
  });
  const { trainingId } = started.body;
  await endOfTraining(client, at, trainingId);
  return trainingId;
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('says how to start one, lists them, and draws the metrics of one by epoch', async () => {
    const { page, problems } = await open(platform, 'project/cells/trainings');
    await page.getByText('trainings_start {"project": "cells", "version": 1}').waitFor();
    const good = await train(
      `${epochs.join('')} finish({ map50: 0.75, precision: 0.5, recall: 0.25 });`,
    );
    const bad = await train(`console.error(${JSON.stringify(hostile)}); process.exit(3);`);
    await goTo(page, 'projects');
    await goTo(page, 'project/cells/trainings');
    const rows = page.locator('tbody tr');
    expect(await rows.count()).toBe(2);
    expect(await rows.nth(1).textContent()).toContain('map50 0.75, precision 0.5, recall 0.25');
    await page.getByLabel('Filter').fill('status:failed');
    expect(await shownRows(page)).toEqual(['custom']);
    expect(await violationsOfAll(page)).toEqual([]);
    await page.locator('tbody tr:visible a').click();
    await page.getByText('ended with exit code 3').waitFor();
    expect(await page.locator('pre.log').textContent()).toContain(hostile);
    await page.getByText('No epoch has been reported yet.').waitFor();
    expect(page.url()).toContain(`/project/cells/training/1/${bad}`.slice(1));
    await goTo(page, `project/cells/training/1/${good}`);
    await page
      .getByRole('img', { name: 'loss: 1 at epoch 3; from 1 to 3, epoch 1 to 3' })
      .waitFor();
    const rising = page.getByRole('img', { name: 'map50: 0.75 at epoch 3; from 0.25 to 0.75' });
    expect(await violationsOfAll(page)).toEqual([]);
    // From the lower left corner to the upper right one.
    expect(await rising.locator('.line').getAttribute('d')).toBe('M0.0 120.0L150.0 60.0L300.0 0.0');
    expect(await page.getByText('cells/1/').textContent()).toContain(good);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    const current = page.getByRole('navigation').locator('[aria-current="page"]');
    expect(await current.allTextContents()).toEqual(['Projects', 'Trainings']);
    expect(problems).toEqual([]);
  });

  test('a training that runs grows while somebody looks', async () => {
    const { client } = platform;
    const wait = `${epochs[0]} setInterval(() => { if (fs.existsSync(job.output + '/go')) process.exit(0); }, 50);`;
    const started = await client.call(trainingExtensions.trainings_start, {
      ...at,
      ...scriptOf(wait),
    });
    const { trainingId } = started.body;
    const { page, problems } = await open(platform, 'project/cells/trainings');
    const row = page.locator('tbody tr').first();
    await expect
      .poll(
        async () => {
          await page.clock.runFor(2_000);
          return row.textContent();
        },
        { timeout: 20_000 },
      )
      .toContain('1 of 3 epochs');
    await row.getByRole('link').click();
    await expect
      .poll(
        async () => {
          await page.clock.runFor(2_000);
          return page.getByRole('img', { name: 'loss: 3 at epoch 1' }).count();
        },
        { timeout: 20_000 },
      )
      .toBe(1);
    await page.getByText('1 of 3 epochs').waitFor();

    await client.call(trainings.trainings_cancel, { ...at, trainingId });
    await expect
      .poll(
        async () => {
          await page.clock.runFor(2_000);
          return page.locator('main dl').first().textContent();
        },
        { timeout: 20_000 },
      )
      .toContain('cancelled');
    expect(problems).toEqual([]);
  });
});
