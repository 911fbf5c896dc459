// More images than one page of a search has, one after the other on the labelling page.

import { expect, onTestFinished, test } from 'vitest';
import { hasChromium, inChromium, openBrowser, visit } from '../event-store/chromium.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { numberIn, seedImages } from './seed-images.ts';

test.skipIf(!hasChromium)(
  `a queue goes on behind its first page, ${inChromium}`,
  async () => {
    const { data, database } = await seedImages(1_002);
    database.run('UPDATE image_ordinals SET indexed = 0');
    const platform = await startTestPlatform({ data });
    onTestFinished(() => platform.close());
    const open = 'SELECT count(*) AS n FROM image_ordinals WHERE indexed = 0';
    await expect.poll(() => numberIn(database, open), { timeout: 20_000 }).toBe(0);
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    // The newest comes first.
    const nth = 'SELECT image_id FROM image_ordinals ORDER BY ordinal DESC LIMIT 1 OFFSET 999';
    const id = database.get(nth, [], (row) => row.text('image_id'));
    const { page } = await visit(browser, `${platform.url}/#project/large/annotate/${id}`);
    await page.getByLabel('API key').fill(platform.key);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('1000 of 1002', { exact: true }).waitFor();
    await page.keyboard.press('n');
    await page.getByText('1001 of 1002', { exact: true }).waitFor();
    await page.keyboard.press('n');
    await page.getByText('1002 of 1002', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0);
    await page.keyboard.press('p');
    await page.getByText('1001 of 1002', { exact: true }).waitFor();
  },
  60_000,
);
