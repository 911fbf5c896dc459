// Two people annotate one image at once, in a real browser: nothing is replaced unasked, and the
// question tells what both have by now.

import { describe, expect, test } from 'vitest';
import { projectExtensions } from '../../src/contract/projects.ts';
import { scopes as allScopes } from '../../src/contract/scopes.ts';
import { tasks } from '../../src/contract/tasks.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  type Box,
  boxesOf,
  call,
  drag,
  labellingPage,
  lookAway,
  open,
  saved,
  setBoxes,
  upload,
} from './labelling-page.ts';
import { createTestTokens } from './test-tokens.ts';

const tokens = createTestTokens();
labellingPage({
  verifyAccessToken: tokens.verify,
  people: async () => [
    { id: 'ada', name: 'Ada' },
    { id: 'bob', name: 'Bob' },
  ],
});

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('what somebody else changed meanwhile is shown, and replaced only when asked', async () => {
    const id = await upload('cells', ['shared']);
    await setBoxes(id, [['RBC', 10, 10, 20, 20]]);
    const { page, problems } = await open('?q=tag%3Ashared');
    await page.locator('.box-row').waitFor();
    await lookAway(page);
    await setBoxes(id, [['WBC', 300, 100, 50, 50]]);
    await drag(page, [100, 100], [150, 150]);
    await page.getByRole('alert').getByText('they have 1 box (dashed), you have 2').waitFor();
    expect(await page.locator('.theirs').count()).toBe(1);
    expect(await boxesOf(id)).toEqual([['WBC', 300, 100, 50, 50]]);
    // What else is said meanwhile does not take the question away.
    for (const key of ['j', 'c']) await page.keyboard.press(key);
    await page.getByText('There is no image before that can be read.').waitFor();
    expect(await page.locator('.box-row[aria-pressed="true"]').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(async () => (await boxesOf(id))?.length).toBe(2);
    await saved(page);
    await setBoxes(id, [['WBC', 0, 0, 50, 50]]);
    for (const key of ['k', 'Delete']) await page.keyboard.press(key);
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await expect
      .poll(() => page.locator('.box-row').allTextContents())
      .toEqual(['WBC 50 × 50 at 0, 0']);
    expect(await boxesOf(id)).toEqual([['WBC', 0, 0, 50, 50]]);
    // What was drawn here comes back by undo, and is saved then.
    await page.keyboard.press('Control+z');
    await expect.poll(() => boxesOf(id)).toEqual([['RBC', 10, 10, 20, 20]]);
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
  });

  test('the others who go on during a conflict: both counts stay right, the newest is taken', async () => {
    const id = await upload();
    await setBoxes(id, [['RBC', 10, 10, 20, 20]]);
    const { page, problems } = await open(id);
    await page.locator('.box-row').waitFor();
    await lookAway(page);
    await setBoxes(id, [['WBC', 300, 100, 50, 50]]);
    await page.keyboard.press('b');
    const question = page.getByRole('alert');
    const take = question.getByRole('button', { name: 'Take theirs' });
    await question.getByText('they have 1 box (dashed), you have 2.').waitFor();
    await page.keyboard.press('b');
    await question.getByText('they have 1 box (dashed), you have 3.').waitFor();
    await lookAway(page, false);
    await setBoxes(id, [
      ['WBC', 300, 100, 50, 50],
      ['WBC', 0, 0, 50, 50],
    ]);
    await question.getByText('they have 2 boxes (dashed), you have 3.').waitFor();
    expect(await page.locator('.theirs').count()).toBe(2);
    // Nothing is taken without a network, and the question stays.
    await page.context().setOffline(true);
    await take.click();
    await page.getByText('Not taken: ').waitFor();
    await page.context().setOffline(false);
    // What was saved just before the press is taken too.
    const newest: Box[] = [
      ['WBC', 300, 100, 50, 50],
      ['RBC', 0, 0, 50, 50],
      ['RBC', 60, 0, 50, 50],
    ];
    await setBoxes(id, newest);
    await take.click();
    await expect.poll(() => page.locator('.box-row').count()).toBe(3);
    await saved(page);
    expect(await question.isVisible()).toBe(false);
    // What is drawn then is added to what is there.
    await page.keyboard.press('b');
    await expect.poll(async () => (await boxesOf(id))?.length).toBe(4);
    await saved(page);
    expect(await boxesOf(id)).toEqual([...newest, [expect.any(String), 150, 75, 100, 50]]);
    const ofNetwork = /409|ERR_INTERNET_DISCONNECTED/;
    expect(problems.filter((problem) => !ofNetwork.test(problem))).toEqual([]);
  });

  test('another window of the same person is told from somebody else', async () => {
    const id = await upload();
    await setBoxes(id, [['RBC', 10, 10, 20, 20]]);
    const key = tokens.issue({ scopes: new Set(allScopes) });
    const [{ page }, { page: other }] = [await open(id, { key }), await open(id, { key })];
    for (const one of [page, other]) await one.locator('.box-row').waitFor();
    await lookAway(page);
    await other.keyboard.press('b');
    await saved(other);
    await page.keyboard.press('e');
    const question = page.getByRole('alert');
    await question.getByText('Another window or program of yours changed this image:').waitFor();
    await question.getByRole('button', { name: 'Take theirs' }).click();
    await saved(page);
    // The key of the platform is nobody in particular; a person has a name.
    const bob = tokens.issue({ subject: 'bob', scopes: new Set(allScopes) });
    const { page: third } = await open(id, { key: bob });
    await third.locator('.box-row').first().waitFor();
    await third.keyboard.press('b');
    await saved(third);
    await page.keyboard.press('e');
    await question.getByText('Bob changed this image:').waitFor();
  });

  test('what others save appears where nothing was changed, and is told where something was', async () => {
    const id = await upload();
    await setBoxes(id, [['RBC', 10, 10, 20, 20]]);
    const { page, problems } = await open(id);
    const rows = () => page.locator('.box-row').allTextContents();
    await page.locator('.box-row').waitFor();
    await setBoxes(id, [['WBC', 300, 100, 50, 50]]);
    await page.getByText('Somebody else changed this image: you see it as it is now.').waitFor();
    expect(await rows()).toEqual(['WBC 50 × 50 at 300, 100']);
    await drag(page, [100, 100], [150, 150]);
    await saved(page);
    expect((await boxesOf(id))?.length).toBe(2);
    await setBoxes(id, [['WBC', 0, 0, 50, 50]]);
    const newer = page.getByRole('alert').getByText('there is a newer version.');
    await newer.waitFor();
    expect((await rows()).length).toBe(2);
    await page.getByRole('button', { name: 'Show it' }).click();
    await expect.poll(rows).toEqual(['WBC 50 × 50 at 0, 0']);
    expect(await newer.isVisible()).toBe(false);
    expect(problems).toEqual([]);
  });

  test('a class that was renamed meanwhile is not made again by the next box', async () => {
    const named = await upload();
    await setBoxes(named, [['Seed', 10, 10, 20, 20]]);
    const id = await upload();
    const { page, problems } = await open(id);
    await page.getByRole('button', { name: /Seed/ }).click();
    const rename = { Seed: 'Grain' };
    await call(projectExtensions.classes_change, { workspace: 'acme', project: 'cells', rename });
    await page.getByText('Somebody renamed Seed: it is Grain now').waitFor();
    expect(await page.getByRole('button', { name: /Seed/ }).count()).toBe(0);
    await drag(page, [100, 100], [150, 150]);
    await saved(page);
    expect(await boxesOf(id)).toEqual([['Grain', 100, 100, 50, 50]]);
    expect(problems).toEqual([]);
  });

  test('a box that is drawn just after a class was renamed has its new name', async () => {
    const named = await upload();
    await setBoxes(named, [['Nut', 10, 10, 20, 20]]);
    const id = await upload();
    const { page, problems } = await open(id);
    await page.getByRole('button', { name: /Nut/ }).click();
    await lookAway(page);
    await renamed({ Nut: 'Seedling' });
    await drag(page, [100, 100], [150, 150]);
    await saved(page);
    expect(await boxesOf(id)).toEqual([['Seedling', 100, 100, 50, 50]]);
    expect(await page.locator('.box-row').allTextContents()).toEqual([
      'Seedling 50 × 50 at 100, 100',
    ]);
    // What undo brings back has the new name too.
    for (const key of ['Delete', 'Control+z']) await page.keyboard.press(key);
    await saved(page);
    expect(await boxesOf(id)).toEqual([['Seedling', 100, 100, 50, 50]]);
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
  });

  test('who keeps their version after a class was renamed keeps it with the new name', async () => {
    const id = await upload();
    await setBoxes(id, [['Husk', 10, 10, 20, 20]]);
    const { page, problems } = await open(id);
    await page.locator('.box-row').click();
    await lookAway(page);
    await renamed({ Husk: 'Shell' });
    await page.keyboard.press('ArrowRight');
    await page.getByRole('alert').getByText('Husk was renamed Shell.').waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await saved(page);
    expect(await boxesOf(id)).toEqual([['Shell', 11, 10, 20, 20]]);
    // What is drawn next has it too, and a class that is named anew is a class again.
    await drag(page, [100, 100], [150, 150]);
    await saved(page);
    expect((await boxesOf(id))?.map(([label]) => label)).toEqual(['Shell', 'Shell']);
    await page.getByLabel('New class').fill('Husk');
    await page.keyboard.press('Enter');
    await saved(page);
    expect((await boxesOf(id))?.map(([label]) => label)).toEqual(['Shell', 'Husk']);
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
  });
});

/** By somebody else; until all labels have the new name. */
async function renamed(rename: Readonly<Record<string, string>>) {
  const where = { workspace: 'acme', project: 'cells' };
  const { body } = await call(projectExtensions.classes_change, { ...where, rename });
  const taskId = String(body.taskId);
  const wanted = { workspace: 'acme', taskId };
  await expect
    .poll(async () => (await call(tasks.tasks_get, wanted)).body.status)
    .toBe('completed');
}
