// Deleting one box after the other on the labelling page, in a real browser.

import { describe, expect, test } from 'vitest';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  type Box,
  boxesOf,
  click,
  labellingPage,
  open,
  setBoxes,
  upload,
} from './labelling-page.ts';

labellingPage();

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('after a box is deleted, the next one is its neighbour', async () => {
    const id = await upload();
    const row: Box[] = [0, 100, 200, 300].map((left) => ['RBC', left, 10, 20, 20]);
    await setBoxes(id, row);
    const { page, problems } = await open(id);
    const lefts = async () => (await boxesOf(id))?.map(([, left]) => left);
    await click(page, [110, 20]);
    await page.keyboard.press('Delete');
    await expect.poll(lefts).toEqual([0, 200, 300]);
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowRight');
    await expect.poll(lefts).toEqual([0, 201, 300]);
    await page.keyboard.press('Delete');
    await expect.poll(lefts).toEqual([0, 300]);
    await page.keyboard.press('k');
    await page.keyboard.press('ArrowRight');
    await expect.poll(lefts).toEqual([1, 300]);
    // In the list the focus stays there too.
    await page.locator('.box-row').nth(1).click();
    await page.keyboard.press('b');
    await expect.poll(lefts).toEqual([1, 300, 150]);
    await page.locator('.box-row').nth(1).click();
    await page.keyboard.press('Delete');
    await expect.poll(lefts).toEqual([1, 150]);
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    await expect.poll(lefts).toEqual([1, 151]);
    expect(problems).toEqual([]);
  });
});
