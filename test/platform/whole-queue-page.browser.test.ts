// A person's queue of 200 images, from the first to the last, by one key an image.

import { describe, expect, test } from 'vitest';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { createJob, labellingPage, open, uploadLabelled } from './labelling-page.ts';

labellingPage();

const images = 200;

describe.skipIf(!hasChromium)(inChromium, { timeout: 240_000 }, () => {
  test('200 images are decided about one after the other, each as it was meant', async () => {
    const ids = await uploadLabelled(images, ['RBC', 10, 10, 20, 20]);
    const { jobId, decisions } = await createJob('All of them', ids);
    const { page, problems } = await open(`?job=${jobId}`);
    const review = page.getByRole('region', { name: 'Review' });
    const seen = new Set<string>();
    for (let place = 1; place <= images; place += 1) {
      await page.getByText(`${place} of ${images}`, { exact: true }).waitFor();
      await review.getByText(`${images - place + 1} left`).waitFor();
      seen.add((await page.locator('main h2').textContent()) ?? '');
      await page.keyboard.press('a');
    }
    await review.getByText(`${images} approved, 0 sent back, 0 left`).waitFor();
    expect(seen.size).toBe(images);
    const decided = await decisions();
    expect(ids.map((id) => decided.get(id))).toEqual(ids.map(() => ['approved']));
    expect(problems).toEqual([]);
  });
});
