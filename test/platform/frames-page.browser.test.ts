// Frames of a video on the labelling page, in a real browser: all frames between two labelled ones
// are filled by one key, and taken back by undo.

import { describe, expect, test } from 'vitest';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  boxesOf,
  createIndependentJob,
  drag,
  labellingPage,
  open,
  read,
  saved,
  setBoxes,
  upload,
} from './labelling-page.ts';

labellingPage();

async function frames(count: number, tag: string): Promise<string[]> {
  const ids: string[] = [];
  for (let frame = 0; frame < count; frame += 1) ids.push(await upload('cells', [tag]));
  return ids;
}

const boxesOfAll = (ids: readonly string[]) => Promise.all(ids.map((id) => boxesOf(id)));

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('Shift+F on a labelled frame fills all up to the one before; undo takes them back', async () => {
    const ids = await frames(5, 'run');
    const [first = '', second = '', third = '', fourth = '', last = ''] = ids;
    await setBoxes(first, [['RBC', 0, 0, 20, 20]]);
    await setBoxes(last, [['RBC', 80, 40, 40, 20]]);
    const { page, problems } = await open(`${last}?q=tag%3Arun+sort%3Aname`);
    await page.getByText('5 of 5', { exact: true }).waitFor();
    await page.keyboard.press('Shift+F');
    await page.getByText('Filled 3 of 3 frames.').waitFor();
    const between = [
      [['RBC', 20, 10, 25, 20]],
      [['RBC', 40, 20, 30, 20]],
      [['RBC', 60, 30, 35, 20]],
    ];
    expect(await boxesOfAll([second, third, fourth])).toEqual(between);
    // Nobody has looked at them.
    expect(await read(third)).toMatchObject({ prediction: true });
    expect(await boxesOf(last)).toEqual([['RBC', 80, 40, 40, 20]]);
    await page.keyboard.press('Control+z');
    await page.getByText('Taken back: 3 of 3 frames.').waitFor();
    expect(await boxesOfAll([second, third, fourth])).toEqual([undefined, undefined, undefined]);
    expect(await read(third)).toMatchObject({ annotated: false });
    await page.keyboard.press('Control+y');
    await page.getByText('Filled 3 of 3 frames.').waitFor();
    expect(await boxesOfAll([second, third, fourth])).toEqual(between);
    // A frame that somebody corrects is a labelled one; what was filled before it is filled anew.
    await page.keyboard.press('p');
    await page.getByText('4 of 5', { exact: true }).waitFor();
    await page.keyboard.press('p');
    await page.getByText('3 of 5', { exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await saved(page);
    await page.keyboard.press('Shift+F');
    await page.getByText('Filled 1 of 1 frames.').waitFor();
    expect(await boxesOfAll([second, third, fourth])).toEqual([
      [['RBC', 20, 20, 25, 20]],
      [['RBC', 40, 40, 30, 20]],
      [['RBC', 60, 30, 35, 20]],
    ]);
    // Taken back, it has what it had.
    await page.keyboard.press('Control+z');
    await page.getByText('Taken back: 1 of 1 frames.').waitFor();
    expect(await boxesOf(second)).toEqual([['RBC', 20, 10, 25, 20]]);
    expect(problems).toEqual([]);
  });

  test('from a frame in between both sides are filled, and what somebody changed stays', async () => {
    // Their names have two digits, so that they sort as they were made.
    await frames(4, 'else');
    const ids = await frames(5, 'walk');
    const [first = '', second = '', third = '', fourth = '', last = ''] = ids;
    const { page, problems } = await open(`${third}?q=tag%3Awalk+sort%3Aname`);
    await page.getByText('3 of 5', { exact: true }).waitFor();
    await page.keyboard.press('Shift+F');
    await page.getByText('Label a frame before and one after').waitFor();
    await setBoxes(first, [['RBC', 0, 0, 20, 20]]);
    await setBoxes(last, [['RBC', 80, 40, 40, 20]]);
    await page.getByRole('button', { name: 'Fill all frames' }).click();
    // This frame is saved like any other, which is told beside what was filled.
    await saved(page);
    await page.getByRole('status').getByText('Filled 2 of 2 frames.').waitFor();
    await expect.poll(() => boxesOf(third)).toEqual([['RBC', 40, 20, 30, 20]]);
    await expect
      .poll(() => boxesOfAll([second, fourth]))
      .toEqual([[['RBC', 20, 10, 25, 20]], [['RBC', 60, 30, 35, 20]]]);
    await setBoxes(fourth, [['WBC', 1, 1, 10, 10]]);
    await page.keyboard.press('Control+z');
    await page
      .getByText('Taken back: 1 of 2 frames; 1 were changed meanwhile, and stay.')
      .waitFor();
    expect(await boxesOf(fourth)).toEqual([['WBC', 1, 1, 10, 10]]);
    expect(await boxesOf(second)).toBeUndefined();
    // A person draws here as before.
    await drag(page, [200, 100], [240, 140]);
    await saved(page);
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
  });

  test('images in no order are not offered to be filled as frames', async () => {
    const [first = ''] = await frames(3, 'loose');
    const { page } = await open(`${first}?q=tag%3Aloose`);
    const fill = page.getByRole('button', { name: 'Fill all frames' });
    await page.getByText('3 of 3', { exact: true }).waitFor();
    expect(await fill.count()).toBe(0);
    const ordered = await open(`${first}?q=tag%3Aloose+sort%3Aname`);
    await ordered.page.getByRole('button', { name: 'Fill all frames' }).waitFor();
  });

  test('in a job whose labels are kept apart, frames are labelled one by one, and it is said', async () => {
    const ids = await frames(3, 'apart');
    const job = await createIndependentJob(ids);
    const { page, problems } = await open(`${ids[1]}?job=${job}`);
    await page.getByText('2 of 3', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Fill all frames' }).count()).toBe(0);
    await page.keyboard.press('Shift+F');
    await page
      .getByText('Labels are kept apart here, and are of frames that you have seen')
      .waitFor();
    for (const [step, left] of [
      ['p', 10],
      ['n', 110],
    ] as const) {
      await page.keyboard.press(step);
      await page.getByText(`${step === 'p' ? 1 : 3} of 3`, { exact: true }).waitFor();
      if (left === 10) {
        await page.getByLabel('New class').fill('RBC');
        await page.keyboard.press('Enter');
      }
      await drag(page, [left, 10], [left + 20, 30]);
      await saved(page);
      await page.keyboard.press(step === 'p' ? 'n' : 'p');
      await page.getByText('2 of 3', { exact: true }).waitFor();
    }
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'RBC 20 × 20 at 60, 10' }).waitFor();
    expect(await boxesOfAll(ids)).toEqual([undefined, undefined, undefined]);
    expect(problems).toEqual([]);
  });
});
