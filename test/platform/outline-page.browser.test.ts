// Outlines on the page of the platform, in a real browser: each gesture and key that draws them and
// changes them, by mouse, by finger and without either.

import { describe, expect, test } from 'vitest';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  click,
  drag,
  labellingPage,
  lookAway,
  type Outline,
  onScreen,
  open,
  outlinesOf,
  read,
  saved,
  setOutlines,
  upload,
} from './labelling-page.ts';

labellingPage();

const square: Outline = [
  [100, 50],
  [180, 50],
  [180, 130],
  [100, 130],
];

/** An image of a project of segmentation with these outlines, on the page. */
async function opened(outlines: readonly Outline[], project = 'leaves') {
  const id = await upload(project);
  if (outlines.length > 0) {
    const named = outlines.map((points) => ['leaf', points] as const);
    await setOutlines(id, named, project);
  }
  const visited = await open(id, { project });
  await visited.page.getByRole('button', { name: 'Draw outline' }).waitFor();
  return { id, ...visited };
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test.each(['leaves', 'roads'])(
    'clicks draw an outline, and its first point closes it: %s',
    async (project) => {
      const { id, page, problems } = await opened([], project);
      // Without a class nothing begins, so that nothing drawn is lost.
      await click(page, [10, 10]);
      await page.getByText('Name a class first.').waitFor();
      expect(await page.locator('.draft').count()).toBe(0);
      await page.getByLabel('New class').fill('leaf');
      await page.keyboard.press('Enter');
      for (const point of [
        [40, 40],
        [120, 40],
        [80, 120],
        [41, 41],
      ] as const) {
        await click(page, point);
      }
      const triangle = [
        [40, 40],
        [120, 40],
        [80, 120],
      ];
      await expect.poll(() => outlinesOf(id, project)).toEqual([['leaf', triangle]]);
      const [box] = (await read(id, project)).annotation?.boxes ?? [];
      expect(box).toMatchObject({ x: 80, y: 80, width: 80, height: 80 });
      await saved(page);
      expect(await page.locator('.box-row').textContent()).toBe('leaf 80 × 80 at 40, 40, 3 points');
      // A click into it chooses it, and draws nothing; beside it begins the next one.
      await click(page, [80, 60]);
      expect(await page.locator('.draft').count()).toBe(0);
      await click(page, [45, 115]);
      expect(await page.locator('.draft').count()).toBe(1);
      expect(problems).toEqual([]);
    },
  );

  test('an outline that is not closed waits for the person to come back', async () => {
    const { id, page, problems } = await opened([square]);
    await page.keyboard.press('o');
    for (const point of [
      [20, 20],
      [60, 20],
      [40, 60],
    ] as const) {
      await click(page, point);
    }
    await page.evaluate("location.hash = '#project/leaves/images'");
    await page.locator('.tile').first().waitFor();
    await page.goBack();
    await page.getByText('An outline is not closed yet').waitFor();
    expect(await page.locator('.draft .point').count()).toBe(3);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByText('An outline is not closed yet').waitFor();
    expect(await page.locator('.draft .point').count()).toBe(2);
    await click(page, [50, 80]);
    await page.keyboard.press('Enter');
    const triangle = [
      [20, 20],
      [60, 20],
      [50, 80],
    ];
    await expect
      .poll(() => outlinesOf(id))
      .toEqual([
        ['leaf', square],
        ['leaf', triangle],
      ]);
    await saved(page);
    await page.reload();
    await page.locator('.box-row').nth(1).waitFor();
    expect(await page.locator('.draft').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('Enter closes an outline, Escape takes its points back', async () => {
    const { id, page, problems } = await opened([square]);
    for (const point of [
      [10, 10],
      [60, 10],
      [60, 60],
    ] as const)
      await click(page, point);
    await page.keyboard.press('Escape');
    // Two points are no outline.
    await page.keyboard.press('Enter');
    expect(await page.locator('.draft .point').count()).toBe(2);
    await click(page, [60, 90]);
    await click(page, [20, 95]);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Enter');
    const drawn = [
      [10, 10],
      [60, 10],
      [60, 90],
    ];
    await expect
      .poll(() => outlinesOf(id))
      .toEqual([
        ['leaf', square],
        ['leaf', drawn],
      ]);
    await saved(page);
    await click(page, [300, 20]);
    await click(page, [320, 20]);
    await page.keyboard.press('Delete');
    await page.keyboard.press('Escape');
    expect(await page.locator('.draft').count()).toBe(0);
    await page.keyboard.press('Control+z');
    await expect.poll(() => outlinesOf(id)).toEqual([['leaf', square]]);
    await page.keyboard.press('Control+y');
    await expect.poll(async () => (await outlinesOf(id))?.length).toBe(2);
    expect(problems).toEqual([]);
  });

  test('over another one an outline begins with O, and by a button', async () => {
    const { id, page } = await opened([square]);
    await page.keyboard.press('o');
    for (const point of [
      [120, 70],
      [160, 70],
      [140, 110],
    ] as const)
      await click(page, point);
    await page.getByRole('button', { name: 'Close outline' }).click();
    const inner = [
      [120, 70],
      [160, 70],
      [140, 110],
    ];
    await expect.poll(async () => (await outlinesOf(id))?.[1]).toEqual(['leaf', inner]);
    await page.getByRole('button', { name: 'Draw outline' }).click();
    await click(page, [140, 90]);
    expect(await page.locator('.draft .point').count()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await page.locator('.draft').count()).toBe(0);
    expect((await outlinesOf(id))?.length).toBe(2);
  });

  test('points are dragged, added on edges and deleted; the outline is moved', async () => {
    const { id, page, problems } = await opened([square]);
    await click(page, [140, 90]);
    await drag(page, [180, 130], [200, 150]);
    const moved = [
      [100, 50],
      [180, 50],
      [200, 150],
      [100, 130],
    ];
    await expect.poll(() => outlinesOf(id)).toEqual([['leaf', moved]]);
    // A click on an edge, and a drag from one.
    await click(page, [140, 50]);
    await drag(page, [100, 90], [70, 90]);
    const grown = [
      [100, 50],
      [140, 50],
      [180, 50],
      [200, 150],
      [100, 130],
      [70, 90],
    ];
    await expect.poll(() => outlinesOf(id)).toEqual([['leaf', grown]]);
    await click(page, [140, 50]);
    await page.getByRole('button', { name: 'Delete point' }).click();
    await drag(page, [140, 90], [150, 100]);
    const last = [
      [110, 60],
      [190, 60],
      [210, 160],
      [110, 140],
      [80, 100],
    ];
    await expect.poll(() => outlinesOf(id)).toEqual([['leaf', last]]);
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await expect.poll(() => outlinesOf(id)).toEqual([['leaf', grown]]);
    expect(problems).toEqual([]);
  });

  test('without a pointer: a box gets an outline, whose points are moved, added and deleted', async () => {
    const { id, page, problems } = await opened([square]);
    await page.keyboard.press('b');
    await page.keyboard.press('v');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('i');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('.');
    await page.keyboard.press('.');
    await page.keyboard.press('Delete');
    await page.keyboard.press(',');
    await page.keyboard.press('ArrowLeft');
    const drawn = [
      [149, 65],
      [200, 71],
      [250, 75],
      [149, 125],
    ];
    await expect.poll(async () => (await outlinesOf(id))?.[1]?.[1]).toEqual(drawn);
    for (const key of [',', 'Delete', ',', 'Delete']) await page.keyboard.press(key);
    await page.getByText('An outline has three points at least').waitFor();
    expect(problems).toEqual([]);
    // Without a chosen point the outline itself is deleted.
    await page.keyboard.press('Escape');
    await page.keyboard.press('Delete');
    await expect.poll(() => outlinesOf(id)).toEqual([['leaf', square]]);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Give the chosen box an outline').waitFor();
  });

  test('by finger: taps draw an outline, and its points are met within a fingertip', async () => {
    const id = await upload('leaves');
    await setOutlines(id, [['leaf', square]]);
    const options = { hasTouch: true, viewport: { width: 420, height: 800 } };
    const { page, problems } = await open(id, { project: 'leaves', options });
    const tap = async (at: readonly [number, number]) => {
      await page.touchscreen.tap(...(await onScreen(page, at)));
    };
    await page.locator('.box-row').waitFor();
    for (const at of [
      [220, 20],
      [300, 20],
      [300, 100],
      [224, 26],
    ] as const)
      await tap(at);
    await expect.poll(async () => (await outlinesOf(id))?.[1]?.[1]).toHaveLength(3);
    await tap([140, 90]);
    await tap([186, 136]);
    await page.getByRole('button', { name: 'Delete point' }).tap();
    await expect
      .poll(async () => (await outlinesOf(id))?.[0]?.[1])
      .toEqual(square.slice(0, 2).concat([[100, 130]]));
    expect(problems).toEqual([]);
  });

  test('what somebody else drew meanwhile is shown, and replaced only when asked', async () => {
    const { id, page } = await opened([square]);
    const other: Outline = [
      [300, 20],
      [380, 20],
      [380, 90],
    ];
    await lookAway(page);
    await setOutlines(id, [['stem', other]]);
    await click(page, [140, 90]);
    await drag(page, [180, 130], [200, 150]);
    await page.getByRole('alert').getByText('they have 1 box (dashed), you have 1').waitFor();
    expect(await page.locator('.theirs').getAttribute('d')).toBe('M300 20L380 20L380 90Z');
    expect(await outlinesOf(id)).toEqual([['stem', other]]);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    const mine = [
      [100, 50],
      [180, 50],
      [200, 150],
      [100, 130],
    ];
    await expect.poll(() => outlinesOf(id)).toEqual([['leaf', mine]]);
  });
});
