// Keypoints on the page of the platform, in a real browser: they are placed, moved, hidden, deleted
// and named, by mouse, by finger and by keys.

import { describe, expect, test } from 'vitest';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  click,
  drag,
  keypointsOf,
  labellingPage,
  onScreen,
  open,
  saved,
  setBee,
  upload,
} from './labelling-page.ts';

labellingPage();

const names = ['head', 'wing', 'sting'];

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('a class without known keypoints gets numbered ones, which are named then', async () => {
    const id = await upload('bees');
    const { page, problems } = await open(id, { project: 'bees' });
    await page.getByLabel('New class').fill('wasp');
    await page.keyboard.press('Enter');
    await drag(page, [100, 50], [300, 150]);
    await page.getByText('Click where the next point is').waitFor();
    await click(page, [120, 100]);
    await click(page, [280, 110]);
    await expect
      .poll(() => keypointsOf(id))
      .toEqual([
        [
          ['1', 120, 100, 2],
          ['2', 280, 110, 2],
        ],
      ]);
    await page.keyboard.press('Escape');
    await page.getByText('A click on a point chooses it.').waitFor();
    await page.getByLabel('Points of this class').fill('1, sting, <b>tip</b>, 2');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => keypointsOf(id))
      .toEqual([
        [
          ['1', 120, 100, 2],
          ['sting', 0, 0, 0],
          ['<b>tip</b>', 0, 0, 0],
          ['2', 280, 110, 2],
        ],
      ]);
    await saved(page);
    const rows = page.getByRole('list', { name: 'Keypoints' }).getByRole('button');
    expect((await rows.allTextContents())[2]).toBe('<b>tip</b>: not placed');
    expect(problems).toEqual([]);
  });

  test('the names of a class come from other images; clicks place one point after the other', async () => {
    await setBee(await upload('bees'), [0, 0, 0, 9, 9, 2, 0, 0, 0], names);
    const id = await upload('bees');
    const { page, problems } = await open(id, { project: 'bees' });
    await page.getByRole('button', { name: /bee/ }).first().click();
    await drag(page, [100, 50], [300, 150]);
    await page.getByText('Click where head is').waitFor();
    await click(page, [110, 60]);
    // A click into another row leaves one out.
    await page.getByRole('button', { name: 'sting: not placed' }).click();
    await page.getByText('Click where sting is').waitFor();
    await click(page, [290, 140]);
    await page.getByText('Click where wing is').waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await click(page, [120, 70]);
    await click(page, [200, 60]);
    await click(page, [280, 130]);
    // All are placed: now a click chooses a point.
    await page.getByText('A click on a point chooses it.').waitFor();
    await expect
      .poll(() => keypointsOf(id))
      .toEqual([
        [
          ['head', 120, 70, 2],
          ['wing', 200, 60, 2],
          ['sting', 280, 130, 2],
        ],
      ]);
    await click(page, [200, 60]);
    await page.getByRole('button', { name: 'Hidden' }).click();
    await drag(page, [280, 130], [260, 120]);
    await expect
      .poll(() => keypointsOf(id))
      .toEqual([
        [
          ['head', 120, 70, 2],
          ['wing', 200, 60, 1],
          ['sting', 260, 120, 2],
        ],
      ]);
    await page.getByRole('button', { name: 'Delete point' }).click();
    await expect.poll(async () => (await keypointsOf(id))[0]?.[2]).toEqual(['sting', 0, 0, 0]);
    expect(problems).toEqual([]);
  });

  test('without a pointer: keypoints are placed, moved, hidden and deleted', async () => {
    const id = await upload('bees');
    await setBee(id, [110, 60, 2, 0, 0, 0, 290, 140, 2], names);
    const { page, problems } = await open(id, { project: 'bees' });
    await page.locator('.box-row').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.getByText('Click where wing is').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('h');
    await page.keyboard.press(',');
    await page.keyboard.press('Delete');
    await page.keyboard.press('.');
    await page.keyboard.press('ArrowDown');
    // The chosen one is not placed, so nothing moves.
    await expect
      .poll(() => keypointsOf(id))
      .toEqual([
        [
          ['head', 0, 0, 0],
          ['wing', 201, 90, 1],
          ['sting', 290, 140, 2],
        ],
      ]);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Place the keypoints of the chosen box').waitFor();
    expect(problems).toEqual([]);
  });

  test('by finger: taps place keypoints', async () => {
    const id = await upload('bees');
    await setBee(id, [110, 60, 2, 0, 0, 0, 0, 0, 0], names);
    const options = { hasTouch: true, viewport: { width: 420, height: 800 } };
    const { page, problems } = await open(id, { project: 'bees', options });
    const tap = async (at: readonly [number, number]) => {
      await page.touchscreen.tap(...(await onScreen(page, at)));
    };
    await page.locator('.box-row').first().waitFor();
    await tap([200, 100]);
    await page.getByRole('button', { name: 'Place points' }).tap();
    await page.getByText('Click where wing is').waitFor();
    await page.locator('.canvas').scrollIntoViewIfNeeded();
    await tap([200, 70]);
    await tap([280, 120]);
    await page.getByText('A click on a point chooses it.').waitFor();
    await saved(page);
    const [placed] = await keypointsOf(id);
    expect(placed?.map(([, , , visibility]: readonly unknown[]) => visibility)).toEqual([2, 2, 2]);
    expect(problems).toEqual([]);
  });
});
