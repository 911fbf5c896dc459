// Predictions on the page of the platform, in a real browser: what a model sees is accepted or
// refused, by keys, by hand and in a review, and becomes labels only then.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { apiKeys } from '../../src/contract/api-keys.ts';
import { imageExtensions } from '../../src/contract/images.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { blue, red, squaresOn } from '../fixtures/onnx-models.ts';
import {
  boxesOf,
  call,
  createJob,
  labellingPage,
  onScreen,
  open,
  setBoxes,
  upload,
  uploadPicture,
} from './labelling-page.ts';
import { squaresModel } from './platform-with-model.ts';

labellingPage({ model: squaresModel });

let shade = 200;

/** Squares that the model sees with 100, some 80, 50 and 30 %. */
async function uploadSquares() {
  shade += 1;
  return uploadPicture(
    await squaresOn(64, 64, [
      { left: 0, top: 0, colour: red },
      { left: 32, top: 0, colour: { r: shade, g: 0, b: 0 } },
      { left: 16, top: 32, colour: { ...blue, b: 128 } },
      { left: 48, top: 48, colour: { r: 77, g: 0, b: 0 } },
    ]),
  );
}

/** What the platform tells of an image. */
async function predictionsOf(imageId: string) {
  const where = { workspace: 'acme', project: 'cells', imageId };
  return (await call(imageExtensions.images_predictions, where)).body;
}

/** As a person sees it. */
async function keptRefused(page: Page) {
  await page.getByText('What is refused is kept.').waitFor();
}

const first = ['red', 0, 0, 16, 16];
const second = ['red', 32, 0, 16, 16];
const third = ['blue', 16, 32, 16, 16];
const fourth = ['red', 48, 48, 16, 16];

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('what a model sees is dashed, and becomes a label by A; R and Delete refuse it', async () => {
    const id = await uploadSquares();
    const { page, problems } = await open(id);
    const rows = page.getByRole('list', { name: 'Predictions' }).getByRole('button');
    await page.getByText('3 predictions to decide about, of the model local').waitFor();
    expect(await rows.allTextContents()).toEqual(['red 100 %', expect.any(String), 'blue 50 %']);
    expect(await page.locator('.canvas .predicted').count()).toBe(3);
    expect(await page.locator('.canvas .label').first().textContent()).toBe('red 100 %');
    // Nothing is a label, as long as nobody says so.
    expect(await boxesOf(id)).toBeUndefined();
    await page.keyboard.press('a');
    await expect.poll(() => boxesOf(id)).toEqual([first]);
    await page.keyboard.press('r');
    await expect.poll(() => rows.count()).toBe(1);
    await page.keyboard.press('Delete');
    await expect.poll(() => rows.count()).toBe(0);
    await keptRefused(page);
    expect(await boxesOf(id)).toEqual([first]);
    // What was refused is back by undo, and then what was accepted.
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    expect(await rows.count()).toBe(2);
    expect(await boxesOf(id)).toEqual([first]);
    await page.keyboard.press('Control+z');
    await expect.poll(() => boxesOf(id)).toBeUndefined();
    expect(await rows.count()).toBe(3);
    await page.keyboard.press('Control+y');
    await expect.poll(() => boxesOf(id)).toEqual([first]);
    expect(problems).toEqual([]);
  });

  test('a key that may see no predictions is refused once, not for each image', async () => {
    for (let count = 0; count < 3; count += 1) await upload('cells', ['unseen']);
    const scopes = ['workspace:read', 'project:read', 'image:read'] as const;
    const wanted = { workspace: 'acme', name: 'Ada', scopes: [...scopes] };
    const { key } = (await call(apiKeys.api_keys_create, wanted)).body;
    const { page, problems } = await open('?q=tag%3Aunseen', { key });
    const refusals = () => problems.filter((problem) => problem.includes('status of 403')).length;
    await expect.poll(refusals).toBe(1);
    for (const place of ['2 of 3', '3 of 3']) {
      await page.keyboard.press('n');
      await page.getByText(place, { exact: true }).waitFor();
    }
    // Whatever was asked for is answered before this is.
    await page.reload();
    await page.getByText('3 of 3', { exact: true }).waitFor();
    await expect.poll(refusals).toBe(2);
  });

  test('refusing alone says nothing about an image', async () => {
    const id = await uploadSquares();
    const { page, requests } = await open(id);
    await page.getByText('3 predictions').waitFor();
    for (const key of ['r', 'r', 'r']) await page.keyboard.press(key);
    await page.getByText('0 predictions').waitFor();
    expect(requests.filter((path) => path.includes('/annotate/'))).toEqual([]);
    expect(await boxesOf(id)).toBeUndefined();
  });

  test('what is refused stays refused after a reload, until somebody wants to see it again', async () => {
    const id = await uploadSquares();
    const { page, problems, requests } = await open(id);
    const rows = page.getByRole('list', { name: 'Predictions' }).getByRole('button');
    const restore = page.getByRole('button', { name: 'Show 2 refused' });
    await page.getByText('3 predictions').waitFor();
    expect(await page.getByRole('button', { name: /Show . refused/ }).count()).toBe(0);
    await page.keyboard.press('r');
    await page.keyboard.press('r');
    await restore.waitFor();
    const refused = async () => (await predictionsOf(id)).refused?.map(({ x, y }) => [x, y]);
    const two = [
      [8, 8],
      [40, 8],
    ];
    await expect.poll(refused).toEqual(two);
    await keptRefused(page);
    await page.reload();
    await page.getByText('1 prediction to decide').waitFor();
    expect(await rows.allTextContents()).toEqual(['blue 50 %']);
    // Whatever else is done, it stays so, and undo does not go behind what was found.
    await page.keyboard.press('r');
    await page.getByText('0 predictions').waitFor();
    await expect.poll(async () => (await refused())?.length).toBe(3);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(refused).toEqual(two);
    await restore.click();
    await page.getByText('3 predictions').waitFor();
    await expect.poll(refused).toBeUndefined();
    await page.keyboard.press('Control+z');
    await expect.poll(refused).toEqual(two);
    await page.keyboard.press('u');
    await expect.poll(refused).toBeUndefined();
    expect(requests.filter((path) => path.includes('/annotate/'))).toEqual([]);
    expect(problems).toEqual([]);
  });

  const patience = { timeout: 120_000 };
  test('who leaves early is asked, and who leaves later is not', patience, async () => {
    const id = await uploadSquares();
    const { page, problems } = await open(id);
    await page.getByText('3 predictions').waitFor();
    const stored = Promise.withResolvers<void>();
    const mayAnswer = Promise.withResolvers<void>();
    await page.route('**/predictions', async (route) => {
      const response = await route.fetch();
      stored.resolve();
      await mayAnswer.promise;
      await route.fulfill({ response });
    });
    await page.keyboard.press('r');
    await stored.promise;
    await page.getByText('Keeping what is refused…').waitFor();
    // The page cannot know yet that the platform has it.
    page.removeAllListeners('dialog');
    const asked = page.waitForEvent('dialog');
    void page.evaluate('location.reload()');
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    mayAnswer.resolve();
    await keptRefused(page);
    const askedAgain: string[] = [];
    page.on('dialog', async (unwanted) => {
      askedAgain.push(unwanted.type());
      await unwanted.accept();
    });
    await page.reload();
    await page.getByText('2 predictions to decide').waitFor();
    expect([askedAgain, problems]).toEqual([[], []]);
  });

  test('without a network a refusal waits, and is sent when it is back', async () => {
    const id = await uploadSquares();
    const { page } = await open(id);
    await page.getByText('3 predictions').waitFor();
    await page.context().setOffline(true);
    await page.keyboard.press('r');
    await page.getByText('What is refused is not kept: The platform does not answer.').waitFor();
    await page.keyboard.press('r');
    await page.context().setOffline(false);
    await expect.poll(async () => (await predictionsOf(id)).refused?.length).toBe(2);
    await keptRefused(page);
  });

  test('Shift+A accepts all above the threshold, which [ and ] and a field change', async () => {
    const id = await uploadSquares();
    const { page, problems } = await open(id);
    await page.getByText('3 predictions').waitFor();
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    await page.getByText('4 predictions').waitFor();
    await page.keyboard.press(']');
    await page.getByText('3 predictions').waitFor();
    const field = page.getByLabel('Show predictions from this percentage on');
    expect(await field.inputValue()).toBe('35');
    await field.fill('60');
    await page.keyboard.press('Enter');
    await page.getByText('2 predictions').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+A');
    await expect.poll(() => boxesOf(id)).toEqual([first, second]);
    await field.fill('0');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Accept all' }).click();
    await expect.poll(() => boxesOf(id)).toEqual([first, second, third, fourth]);
    // It was one step.
    await page.keyboard.press('Control+z');
    await expect.poll(() => boxesOf(id)).toEqual([first, second]);
    expect(problems).toEqual([]);
  });

  test('the percentage that is typed stays when somebody changes the image meanwhile', async () => {
    const id = await uploadSquares();
    const { page } = await open(id);
    await page.getByText('3 predictions').waitFor();
    const field = page.getByLabel('Show predictions from this percentage on');
    await field.fill('60');
    await setBoxes(id, [['red', 58, 58, 4, 4]]);
    await page.getByText('you see it as it is now').waitFor();
    expect(await field.inputValue()).toBe('60');
    await page.keyboard.press('Enter');
    await page.getByText('2 predictions').waitFor();
    await field.fill('170');
    await page.keyboard.press('Tab');
    expect(await field.inputValue()).toBe('100');
  });

  test('a click, J and K and the list choose a prediction; what has a label is none', async () => {
    const id = await uploadSquares();
    await setBoxes(id, [
      ['red', 1, 1, 15, 15],
      ['red', 17, 33, 15, 15],
    ]);
    const { page } = await open(id);
    // A label of another class is in the place of the third one.
    await page.getByText('2 predictions').waitFor();
    await page.mouse.click(...(await onScreen(page, [40, 8], [64, 64])));
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await expect.poll(async () => (await boxesOf(id))?.[2]).toEqual(second);
    await page.keyboard.press('Escape');
    for (const key of ['k', 'k', 'j']) await page.keyboard.press(key);
    const chosen = page.locator('.box-row[aria-pressed="true"]');
    expect(await chosen.textContent()).toBe('blue 50 %');
    await page.keyboard.press('j');
    expect(await chosen.textContent()).toBe('red 15 × 15 at 1, 1');
    await page.getByRole('button', { name: 'blue 50 %' }).click();
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('0 predictions').waitFor();
    expect((await boxesOf(id))?.length).toBe(3);
  });

  test('in a review A approves the image, unless a prediction is chosen', async () => {
    const id = await uploadSquares();
    await setBoxes(id, [['red', 0, 0, 16, 16]]);
    const { jobId, decisions } = await createJob('Right?', [id]);
    const { page } = await open(`?job=${jobId}`);
    await page.getByText('2 predictions').waitFor();
    for (const key of ['j', 'j', 'a']) await page.keyboard.press(key);
    await expect.poll(() => boxesOf(id)).toEqual([first, second]);
    expect((await decisions()).get(id)).toEqual(['annotated']);
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await expect.poll(async () => (await decisions()).get(id)).toEqual(['approved']);
    expect(await boxesOf(id)).toEqual([first, second]);
  });

  test('other projects have no predictions', async () => {
    const id = await upload('leaves');
    const { page, problems } = await open(id, { project: 'leaves' });
    await page.getByText('Nobody has annotated this image.').waitFor();
    expect(await page.getByRole('region', { name: 'Predictions' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
