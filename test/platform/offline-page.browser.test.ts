// Another image that is asked for while the platform does not answer, in a real browser: until it
// is there, address, title, picture and boxes are those of the image before.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  boxesOf,
  drag,
  labellingPage,
  onScreen,
  open,
  read,
  saved,
  setBoxes,
  upload,
} from './labelling-page.ts';

labellingPage();

const first = ['RBC', 10, 10, 20, 20] as const;
const drawn = ['RBC', 100, 100, 50, 50];

/** Two images of a tag; the first one is open, and there is no network. */
async function openOffline(tag: string) {
  const next = await upload('cells', [tag]);
  const id = await upload('cells', [tag]);
  await setBoxes(id, [first]);
  const { name = '' } = await read(id);
  const { page } = await open(`${id}?q=tag%3A${tag}`);
  await page.getByText('1 of 2').waitFor();
  await page.locator('.box-row').waitFor();
  await page.context().setOffline(true);
  return { id, next, name, page };
}

const waits = (page: Page) =>
  page.locator('#problem').getByText('The image that you asked for cannot be shown yet');

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('the address and the title are those of the image that is shown', async () => {
    const { id, next, name, page } = await openOffline('address');
    await page.keyboard.press('n');
    await waits(page).waitFor();
    expect(page.url()).toContain(`/annotate/${id}?`);
    await page.getByRole('heading', { name }).waitFor();
    await drag(page, [100, 100], [150, 150]);
    await page.context().setOffline(false);
    await page.getByText('2 of 2').waitFor();
    expect(page.url()).toContain(`/annotate/${next}?`);
    await expect.poll(() => boxesOf(id)).toEqual([first, drawn]);
    expect(await boxesOf(next)).toBeUndefined();
    expect(await waits(page).count()).toBe(0);
    await page.goBack();
    await page.getByText('1 of 2').waitFor();
    expect(page.url()).toContain(`/annotate/${id}?`);
  });

  test('a drag is finished on its image before the next one comes by itself', async () => {
    const { id, next, page } = await openOffline('held');
    await page.keyboard.press('n');
    await waits(page).waitFor();
    const [x, y] = await onScreen(page, [100, 100]);
    const [endX, endY] = await onScreen(page, [150, 150]);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move((x + endX) / 2, (y + endY) / 2);
    const isRead = page.waitForResponse((response) => response.url().includes(`/images/${next}`));
    await page.context().setOffline(false);
    await isRead;
    // The page looks for news meanwhile, and goes on to show this image.
    await expect.poll(() => page.locator('#connection').textContent()).toBe('Live');
    expect(await page.getByText('2 of 2').count()).toBe(0);
    await page.mouse.move(endX, endY);
    await page.mouse.up();
    await page.getByText('2 of 2').waitFor();
    await expect.poll(() => boxesOf(id)).toEqual([first, drawn]);
    // The keys of the image that had to wait are heard.
    await page.keyboard.press('e');
    await saved(page);
    await page.keyboard.press('p');
    await page.getByText('1 of 2').waitFor();
    expect(await boxesOf(next)).toEqual([]);
  });

  test('Back takes the wish back', async () => {
    const { id, name, page } = await openOffline('back');
    await page.keyboard.press('n');
    await waits(page).waitFor();
    await page.goBack();
    await expect.poll(() => waits(page).count()).toBe(0);
    await drag(page, [100, 100], [150, 150]);
    await page.context().setOffline(false);
    await expect.poll(() => boxesOf(id)).toEqual([first, drawn]);
    await saved(page);
    await page.getByRole('heading', { name }).waitFor();
    expect(page.url()).toContain(`/annotate/${id}?`);
  });
});
