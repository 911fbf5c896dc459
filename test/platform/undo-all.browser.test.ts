// Taking back all that was done to an image that nobody had annotated, in a real browser.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { labellingPage, open, read, upload } from './labelling-page.ts';

labellingPage();

async function isAnnotated(id: string, project: string) {
  return (await read(id, project)).annotated;
}

/** The key annotates the image, and undo and redo go back and forth. */
async function judge(page: Page, id: string, { project, key }: { project: string; key: string }) {
  const annotated = () => isAnnotated(id, project);
  expect(await annotated()).toBe(false);
  await page.keyboard.press(key);
  await expect.poll(annotated).toBe(true);
  await page.keyboard.press('Control+z');
  await expect.poll(annotated).toBe(false);
  await page.keyboard.press('Control+y');
  await expect.poll(annotated).toBe(true);
  await page.keyboard.press('Control+z');
  await expect.poll(annotated).toBe(false);
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('who undoes all leaves an image that nobody has annotated, not an empty one', async () => {
    const id = await upload();
    const { page, problems } = await open(id);
    await judge(page, id, { project: 'cells', key: 'e' });
    await page.reload();
    await page.getByText('Nobody has annotated this image.').waitFor();
    await judge(page, id, { project: 'cells', key: 'e' });
    expect(problems).toEqual([]);
  });

  test('likewise where classes are chosen for a whole image', async () => {
    const id = await upload('moods');
    const { page, problems } = await open(id, { project: 'moods' });
    await page.getByText('Nobody has annotated this image.').waitFor();
    await judge(page, id, { project: 'moods', key: 'e' });
    expect(problems).toEqual([]);
  });
});
