// Labels that could not be saved when their image was left, in a real browser: they are kept, named
// on every page, and asked about when the image is shown again.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { apiKeys } from '../../src/contract/api-keys.ts';
import { images } from '../../src/contract/images.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  type Box,
  boxesOf,
  call,
  drag,
  labellingPage,
  lookAway,
  open,
  read,
  saved,
  setBoxes,
  upload,
} from './labelling-page.ts';

const { key, otherWorkspace } = labellingPage();

const first: Box = ['RBC', 10, 10, 20, 20];
const drawn: Box = ['RBC', 100, 100, 50, 50];
const theirs: Box = ['WBC', 300, 100, 50, 50];

const notice = (page: Page) => page.getByText('are kept here, and not saved');

/** Two images of a tag; the first one is open, and somebody else has changed it since. */
async function openStale(tag: string) {
  // The newest one comes first.
  await upload('cells', [tag]);
  const id = await upload('cells', [tag]);
  await setBoxes(id, [first]);
  const { name = '' } = await read(id);
  const { page } = await open(`?q=tag%3A${tag}`);
  await page.getByText('1 of 2').waitFor();
  await page.locator('.box-row').waitFor();
  await lookAway(page);
  const look = page.getByRole('link', { name: `Look at ${name}` });
  const change = () => setBoxes(id, [theirs]);
  return { id, name, page, look, change };
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('who goes on before a change is saved is told of the conflict, and is asked', async () => {
    const { id, name, page, look, change } = await openStale('ahead');
    await change();
    await drag(page, [100, 100], [150, 150]);
    await page.keyboard.press('n');
    await page.getByText('2 of 2').waitFor();
    await notice(page).getByText(`Your labels of ${name}`).waitFor();
    await page.getByText('Somebody else changed them meanwhile.').waitFor();
    expect(await boxesOf(id)).toEqual([theirs]);
    await look.click();
    await page.getByText('they have 1 box (dashed), you have 2').waitFor();
    // Who sees them needs no notice.
    expect(await notice(page).count()).toBe(0);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(() => boxesOf(id)).toEqual([first, drawn]);
    await saved(page);
    await page.keyboard.press('n');
    await page.getByText('2 of 2').waitFor();
    expect(await notice(page).count()).toBe(0);
  });

  test('what was undone before a reload leaves an image that nobody has annotated', async () => {
    await setBoxes(await upload(), [first]);
    const id = await upload();
    const { page } = await open(id);
    await drag(page, [100, 100], [150, 150]);
    await expect.poll(() => boxesOf(id)).toEqual([drawn]);
    await saved(page);
    const writes = /\/(annotate\/|annotation\?)/;
    await page.route(writes, (route) => route.abort());
    await page.keyboard.press('Control+z');
    await page.getByText('Not saved yet, it is tried again').waitFor();
    await page.reload();
    await page.getByText('Not saved yet, it is tried again').waitFor();
    expect(await boxesOf(id)).toEqual([drawn]);
    await page.unroute(writes);
    await expect.poll(() => boxesOf(id)).toBeUndefined();
    await saved(page);
  });

  test('a question that is not answered outlives the way to other pages, and a reload', async () => {
    const { id, page, look, change } = await openStale('unanswered');
    await change();
    await drag(page, [100, 100], [150, 150]);
    const question = page.getByText('they have 1 box (dashed), you have 2');
    await question.waitFor();
    await page.keyboard.press('n');
    await page.getByText('2 of 2').waitFor();
    await notice(page).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Cells' }).waitFor();
    await notice(page).waitFor();
    await page.reload();
    await notice(page).waitFor();
    await look.click();
    await question.waitFor();
    await page.reload();
    await question.waitFor();
    expect(await boxesOf(id)).toEqual([theirs]);
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await saved(page);
    await page.reload();
    await page.locator('.box-row').waitFor();
    expect(await page.locator('.box-row').allTextContents()).toEqual(['WBC 50 × 50 at 300, 100']);
    expect(await question.count()).toBe(0);
  });

  test('each image that waits for an answer is named, also on the page of the projects', async () => {
    const { id, name, page, change } = await openStale('two');
    await change();
    await drag(page, [100, 100], [150, 150]);
    await page.getByText('they have 1 box (dashed), you have 2').waitFor();
    await page.keyboard.press('n');
    await page.getByText('2 of 2').waitFor();
    const other = page.url().replace(/.*annotate\/([\w-]+).*/, '$1');
    expect(other).not.toBe(id);
    await setBoxes(other, [theirs]);
    await drag(page, [100, 100], [150, 150]);
    await page.getByText('they have 1 box (dashed), you have 1').waitFor();
    await page.getByRole('link', { name: 'Projects', exact: true }).click();
    await page.getByRole('heading', { name: 'Projects of' }).waitFor();
    const names = [name, (await read(other)).name];
    const links = page.getByRole('link', { name: /^Look at / });
    expect(await links.allTextContents()).toEqual(names.map((each) => `Look at ${each}`));
    await page.reload();
    await links.nth(1).waitFor();
    expect(await links.count()).toBe(2);
  });

  test('what was drawn without a network meets the change of another one when it is back', async () => {
    const { id, page, look, change } = await openStale('offline');
    await page.context().setOffline(true);
    await drag(page, [100, 100], [150, 150]);
    await page.getByText('Not saved yet, it is tried again').waitFor();
    await page.keyboard.press('n');
    await change();
    await page.context().setOffline(false);
    await page.getByText('2 of 2').waitFor();
    await notice(page).waitFor();
    await look.click();
    await page.getByText('they have 1 box (dashed), you have 2').waitFor();
    expect(await boxesOf(id)).toEqual([theirs]);
  });

  test('who comes back before it is sent sees what they drew, and it is saved once', async () => {
    const { id, page } = await openStale('back');
    await page.context().setOffline(true);
    await drag(page, [100, 100], [150, 150]);
    await page.getByText('Not saved yet, it is tried again').waitFor();
    await page.keyboard.press('n');
    await page.locator('#problem').getByText('The platform does not answer.').waitFor();
    await page.evaluate('history.back()');
    await page.context().setOffline(false);
    await page.locator('#problem').waitFor({ state: 'hidden' });
    await page.locator('.box-row').nth(1).waitFor();
    await drag(page, [200, 100], [250, 150]);
    await saved(page);
    expect(await boxesOf(id)).toEqual([first, drawn, ['RBC', 200, 100, 50, 50]]);
  });

  test('what a revoked key could not save waits for another key of the workspace', async () => {
    const id = await upload();
    await setBoxes(id, [first]);
    const workspace = 'acme';
    const { body: made } = await call(apiKeys.api_keys_create, { workspace, name: 'Ada' });
    const { page } = await open(id, { key: made.key });
    await page.locator('.box-row').waitFor();
    await lookAway(page);
    await call(apiKeys.api_keys_revoke, { workspace, keyId: made.keyId });
    await drag(page, [100, 100], [150, 150]);
    await page.getByText('Enter another one of this workspace: changes that').waitFor();
    expect(await boxesOf(id)).toEqual([first]);
    await page.getByLabel('API key').fill(key());
    await page.getByRole('button', { name: 'Open' }).click();
    await expect.poll(() => boxesOf(id)).toEqual([first, drawn]);
    await page.locator('.box-row').nth(1).waitFor();
  });

  test('what waits is kept for its own workspace, also when the key of another one is entered', async () => {
    const id = await upload();
    await setBoxes(id, [first]);
    const { name = '' } = await read(id);
    const made = await call(apiKeys.api_keys_create, { workspace: 'acme', name: 'Ada' });
    const other = await otherWorkspace();
    const { page, problems } = await open(id, { key: made.body.key });
    await page.locator('.box-row').waitFor();
    await lookAway(page);
    await call(apiKeys.api_keys_revoke, { workspace: 'acme', keyId: made.body.keyId });
    await drag(page, [100, 100], [150, 150]);
    await page.getByText('Enter another one of this workspace: changes that').waitFor();
    const enter = async (used: string) => {
      await page.getByLabel('API key').fill(used);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.locator('main:not([aria-busy]) h2').waitFor();
    };
    const others = page.getByText('Labels of 1 image wait in this tab for a key of acme');
    await enter(other.key);
    await others.waitFor();
    await page.reload();
    await others.waitFor();
    expect(await page.getByText(name).count()).toBe(0);
    expect(await boxesOf(id)).toEqual([first]);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await enter(key());
    await expect.poll(() => boxesOf(id)).toEqual([first, drawn]);
    await page.locator('.box-row').nth(1).waitFor();
    expect(await others.count()).toBe(0);
    expect(problems.filter((problem) => problem.startsWith('dialog'))).toEqual([]);
  });

  test('labels of an image that is gone can be given up', async () => {
    const { id, name, page, change } = await openStale('gone');
    await change();
    await drag(page, [100, 100], [150, 150]);
    await page.keyboard.press('n');
    await notice(page).waitFor();
    await call(images.images_delete, { workspace: 'acme', project: 'cells', images: [id] });
    await page.getByRole('button', { name: `Discard mine of ${name}` }).click();
    await expect.poll(() => notice(page).count()).toBe(0);
    await page.reload();
    await page.getByText('1 of 1').waitFor();
    expect(await notice(page).count()).toBe(0);
  });
});
