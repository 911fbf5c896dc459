// Naming whole images on the page of the platform, in a real browser: each key and gesture,
// reviews, and that nothing is lost when two people, or no network, come in between.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  call,
  createJob,
  labellingPage,
  lookAway,
  open,
  read,
  saved,
  upload,
} from './labelling-page.ts';

const { url } = labellingPage();

/** As another program names an image. */
async function setClasses(project: string, imageId: string, names: readonly string[]) {
  await call(images.images_annotate, {
    project,
    imageId,
    name: 'a.json',
    overwrite: true,
    annotationFile: JSON.stringify(names),
  });
}

/** What the platform has; undefined: nobody named it. */
async function classesOf(project: string, imageId: string) {
  const { annotated, labels } = await read(imageId, project);
  return annotated ? labels?.toSorted() : undefined;
}

function pressed(page: Page) {
  return page.locator('.chip[aria-pressed="true"]').allTextContents();
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('one class is chosen by its number, by hand, changed, undone and taken back', async () => {
    const id = await upload('moods');
    await setClasses('moods', await upload('moods'), ['happy']);
    await setClasses('moods', await upload('moods'), ['sad']);
    const { page, problems } = await open(id, { project: 'moods' });
    await page.getByText('Nobody has annotated this image.').waitFor();
    const names = await page.locator('.chip').allTextContents();
    expect(names).toEqual(['1 happy', '2 sad']);
    await page.keyboard.press('1');
    await expect.poll(() => classesOf('moods', id)).toEqual(['happy']);
    await page.getByRole('button', { name: '2 sad' }).click();
    await expect.poll(() => classesOf('moods', id)).toEqual(['sad']);
    expect(await pressed(page)).toEqual(['2 sad']);
    await page.keyboard.press('Control+z');
    await expect.poll(() => classesOf('moods', id)).toEqual(['happy']);
    await page.keyboard.press('Control+y');
    await expect.poll(() => classesOf('moods', id)).toEqual(['sad']);
    await page.keyboard.press('2');
    await expect.poll(() => classesOf('moods', id)).toEqual([]);
    await page.getByLabel('New class').fill('<b>calm</b>');
    await page.keyboard.press('Enter');
    await expect.poll(() => classesOf('moods', id)).toEqual(['<b>calm</b>']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('e');
    await expect.poll(() => classesOf('moods', id)).toEqual([]);
    await saved(page);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('None of the classes').waitFor();
    expect(problems).toEqual([]);
  });

  test('several classes where the project takes several, and a named one is that of the next', async () => {
    const ids = [await upload('scenes', ['row']), await upload('scenes', ['row'])];
    const { page, problems } = await open('?q=tag%3Arow', { project: 'scenes' });
    await page.getByText('1 of 2').waitFor();
    for (const name of ['sea', 'sky']) {
      await page.getByLabel('New class').fill(name);
      await page.keyboard.press('Enter');
    }
    await saved(page);
    await page.getByRole('link', { name: 'Next ›' }).click();
    await page.getByText('2 of 2').waitFor();
    await page.keyboard.press('p');
    await page.getByText('1 of 2').waitFor();
    expect(await pressed(page)).toEqual(['1 sea', '2 sky']);
    await page.keyboard.press('n');
    await page.getByText('2 of 2').waitFor();
    await page.keyboard.press('2');
    await saved(page);
    const kept = await Promise.all(ids.map((id) => classesOf('scenes', id)));
    expect(kept.toSorted()).toEqual([['sea', 'sky'], ['sky']]);
    expect(problems).toEqual([]);
  });

  test('what somebody else chose meanwhile is shown, and replaced only when asked', async () => {
    const id = await upload('scenes');
    await setClasses('scenes', id, ['wood']);
    const { page } = await open(id, { project: 'scenes' });
    await page.getByRole('button', { name: /wood/ }).waitFor();
    await lookAway(page);
    await setClasses('scenes', id, ['town']);
    await page.getByLabel('New class').fill('lake');
    await page.keyboard.press('Enter');
    await page.getByText('Somebody else changed this image: they say town.').waitFor();
    expect(await classesOf('scenes', id)).toEqual(['town']);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(() => classesOf('scenes', id)).toEqual(['lake', 'wood']);
    await setClasses('scenes', id, ['town']);
    await page.keyboard.press('Tab');
    await page.keyboard.press('e');
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await saved(page);
    expect(await classesOf('scenes', id)).toEqual(['town']);
    await page.keyboard.press('Control+z');
    await expect.poll(() => classesOf('scenes', id)).toEqual([]);
  });

  test('without a network a choice waits, and is sent when it is back', async () => {
    const id = await upload('moods');
    await setClasses('moods', id, ['happy']);
    const { page } = await open(id, { project: 'moods' });
    await page.getByRole('button', { name: '1 happy' }).waitFor();
    await page.context().setOffline(true);
    await page.keyboard.press('e');
    await page.getByText('Not saved yet, it is tried again').waitFor();
    expect(await classesOf('moods', id)).toEqual(['happy']);
    await page.context().setOffline(false);
    await expect.poll(() => classesOf('moods', id), { timeout: 10_000 }).toEqual([]);
  });

  test('a review of named images: one is corrected and approved, one sent back', async () => {
    const ids = [await upload('scenes'), await upload('scenes')];
    for (const id of ids) await setClasses('scenes', id, ['field']);
    const { jobId, decisions } = await createJob('Are these fields?', ids, 'scenes');
    const { page } = await open(`?job=${jobId}`, { project: 'scenes' });
    await page.getByText('0 approved, 0 sent back, 2 left').waitFor();
    await page.keyboard.press('e');
    await page.keyboard.press('a');
    await page.getByText('1 approved, 0 sent back, 1 left').waitFor();
    // Until the next image is there, keys go to the one before.
    await page.getByText('Nobody has decided about this image.').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.type('blurred');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Every image of this job is decided.').waitFor();
    expect([...(await decisions()).values()].toSorted()).toEqual([
      ['approved'],
      ['rejected', 'blurred'],
    ]);
    const kept = await Promise.all(ids.map((id) => classesOf('scenes', id)));
    expect(kept.toSorted()).toEqual([[], ['field']]);
    await page.goto(`${url()}/#project/scenes`);
    await page.getByRole('link', { name: 'Are these fields?' }).waitFor();
  });
});
