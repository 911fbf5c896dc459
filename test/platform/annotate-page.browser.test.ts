// Annotating on the page of the platform, in a real browser: each gesture and key, and that nothing
// is lost without a network. Two people at once: conflict-page.browser.test.ts.

import { describe, expect, test } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  boxesOf,
  call,
  click,
  drag,
  labellingPage,
  onScreen,
  open,
  read,
  saved,
  setBoxes,
  upload,
} from './labelling-page.ts';

const { url, key } = labellingPage();

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('a box is drawn, named, chosen, moved, resized and deleted, each change saved', async () => {
    const id = await upload();
    const { page, problems } = await open(id);
    await page.getByLabel('New class').fill('RBC');
    await page.getByRole('button', { name: 'Add class' }).click();
    await drag(page, [40, 40], [100, 90]);
    await expect.poll(() => boxesOf(id)).toEqual([['RBC', 40, 40, 60, 50]]);
    await saved(page);
    // It is chosen now: a drag inside moves it.
    await drag(page, [70, 60], [90, 80]);
    await expect.poll(() => boxesOf(id)).toEqual([['RBC', 60, 60, 60, 50]]);
    // Its lower right corner, and then one of its sides, beyond the other.
    await drag(page, [120, 110], [140, 130]);
    await expect.poll(() => boxesOf(id)).toEqual([['RBC', 60, 60, 80, 70]]);
    await drag(page, [60, 95], [180, 95]);
    await expect.poll(() => boxesOf(id)).toEqual([['RBC', 140, 60, 40, 70]]);
    // A drag elsewhere draws another one, over the edge of the picture.
    await drag(page, [300, 150], [420, 199]);
    await expect
      .poll(() => boxesOf(id))
      .toEqual([
        ['RBC', 140, 60, 40, 70],
        ['RBC', 300, 150, 100, 49],
      ]);
    await click(page, [160, 100]);
    expect(await page.locator('.box-row[aria-pressed="true"]').textContent()).toBe(
      'RBC 40 × 70 at 140, 60',
    );
    await page.keyboard.press('Delete');
    await expect.poll(() => boxesOf(id)).toEqual([['RBC', 300, 150, 100, 49]]);
    await saved(page);
    expect(problems).toEqual([]);
  });

  test('what is done is undone and redone, and survives a reload', async () => {
    const id = await upload();
    await setBoxes(id, [['RBC', 10, 10, 20, 20]]);
    const { page, problems } = await open(id);
    await drag(page, [100, 100], [150, 150]);
    await page.keyboard.press('Delete');
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await boxesOf(id))?.length).toBe(2);
    await page.keyboard.press('Control+z');
    await expect.poll(() => boxesOf(id)).toEqual([['RBC', 10, 10, 20, 20]]);
    await page.getByRole('button', { name: 'Redo' }).click();
    await expect.poll(async () => (await boxesOf(id))?.length).toBe(2);
    await saved(page);
    await page.reload();
    await page.locator('.box-row').nth(1).waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
    expect(problems).toEqual([]);
  });

  test('without a pointer: boxes are added, chosen, moved, resized and named by keys', async () => {
    const id = await upload();
    await setBoxes(id, [['RBC', 10, 10, 20, 20]]);
    const { page, problems } = await open(id);
    await page.locator('.box-row').waitFor();
    await page.keyboard.press('b');
    await expect.poll(async () => (await boxesOf(id))?.[1]).toEqual(['RBC', 150, 75, 100, 50]);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Alt+ArrowLeft');
    await expect.poll(async () => (await boxesOf(id))?.[1]).toEqual(['RBC', 151, 65, 99, 50]);
    await page.getByLabel('New class').fill('WBC');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await boxesOf(id))?.[1]?.[0]).toBe('WBC');
    await page.keyboard.press('Tab');
    await page.keyboard.press('j');
    await page.keyboard.press('2');
    await expect.poll(async () => (await boxesOf(id))?.[0]?.[0]).toBe('WBC');
    await page.keyboard.press('Escape');
    await page.keyboard.press('1');
    // No box was chosen: the class is that of new boxes alone.
    await page.keyboard.press('b');
    await expect
      .poll(async () => (await boxesOf(id))?.map(([label]) => label))
      .toEqual(['WBC', 'WBC', 'RBC']);
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Mark the image as empty').waitFor();
    // Behind the dialog no key is heard.
    await page.keyboard.press('e');
    await page.keyboard.press('Escape');
    expect((await boxesOf(id))?.length).toBe(3);
    await page.keyboard.press('e');
    await expect.poll(() => boxesOf(id)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('a class keeps its number on the next image, whatever is named or used first', async () => {
    const [first, second] = [await upload('cells', ['named']), await upload('cells', ['named'])];
    const { page, problems } = await open(`${first}?q=tag%3Anamed+sort%3Aname`);
    const chips = page.getByRole('group', { name: 'Classes' }).getByRole('button');
    await chips.first().waitFor();
    const named = (await chips.count()) + 1;
    for (const name of ['zebra', 'ant']) {
      await page.getByLabel('New class').fill(name);
      await page.keyboard.press('Enter');
    }
    await page.keyboard.press('Tab');
    // Only the second one is used, which is first in the order of names.
    await drag(page, [300, 150], [340, 190]);
    await saved(page);
    await page.keyboard.press('n');
    await page.getByText('2 of 2', { exact: true }).waitFor();
    expect((await chips.allTextContents()).slice(-2)).toEqual([
      `${named} zebra`,
      `${named + 1} ant`,
    ]);
    await page.keyboard.press(String(named));
    await drag(page, [10, 10], [50, 50]);
    await expect.poll(() => boxesOf(second)).toEqual([['zebra', 10, 10, 40, 40]]);
    await saved(page);
    await page.reload();
    await page.getByText('2 of 2', { exact: true }).waitFor();
    expect((await chips.allTextContents()).slice(-2)).toEqual([
      `${named} zebra`,
      `${named + 1} ant`,
    ]);
    expect(problems).toEqual([]);
  });

  test('outlines and keypoints go along with their box, and are kept with the others', async () => {
    const id = await upload();
    const { name } = await read(id);
    const annotations = [
      { bbox: [20, 20, 40, 40], segmentation: [[20, 20, 60, 20, 40, 60]], category_id: 1 },
      { bbox: [200, 100, 50, 20], keypoints: [210, 110, 2, 0, 0, 0], category_id: 2 },
    ];
    await call(images.images_annotate, {
      project: 'cells',
      imageId: id,
      name: 'a.json',
      annotationFile: JSON.stringify({
        images: [{ id: 1, file_name: name, width: 400, height: 200 }],
        categories: [
          { id: 1, name: 'leaf' },
          { id: 2, name: 'bee', keypoints: ['head', 'sting'] },
        ],
        annotations: annotations.map((each, at) => ({ id: at, image_id: 1, ...each })),
      }),
    });
    const before = (await read(id)).annotation?.boxes;
    const { page } = await open(id);
    await click(page, [40, 30]);
    await page.keyboard.press('Shift+ArrowRight');
    await saved(page);
    const after = (await read(id)).annotation?.boxes;
    const points = [
      [30, 20],
      [70, 20],
      [50, 60],
    ];
    expect(after?.[0]).toEqual({ ...before?.[0], x: 50, points });
    expect(after?.[1]).toEqual(before?.[1]);
  });

  test('without a network changes wait, and are sent when it is back', async () => {
    const id = await upload();
    await setBoxes(id, [['RBC', 10, 10, 20, 20]]);
    const { page } = await open(id);
    await page.locator('.box-row').waitFor();
    await page.context().setOffline(true);
    await drag(page, [100, 100], [150, 150]);
    await drag(page, [200, 100], [250, 150]);
    await page.getByText('Not saved yet, it is tried again').waitFor();
    expect((await boxesOf(id))?.length).toBe(1);
    await page.context().setOffline(false);
    await expect.poll(async () => (await boxesOf(id))?.length, { timeout: 10_000 }).toBe(3);
    await saved(page);
  });

  test('without a network the next image waits, and is shown when it is back', async () => {
    for (let count = 0; count < 2; count += 1) await upload('cells', ['away']);
    const { page } = await open('?q=tag%3Aaway');
    await page.getByText('1 of 2').waitFor();
    await page.context().setOffline(true);
    await page.keyboard.press('n');
    const problem = page.locator('#problem');
    await problem.getByText('The platform does not answer.').waitFor();
    await page.keyboard.press('n');
    await page.context().setOffline(false);
    await page.getByText('2 of 2').waitFor();
    expect(await problem.isVisible()).toBe(false);
  });

  test('the key is not forgotten with unsaved changes, unless the person wants that', async () => {
    const id = await upload();
    await setBoxes(id, [['RBC', 10, 10, 20, 20]]);
    const { page, problems } = await open(id);
    await page.locator('.box-row').waitFor();
    await page.context().setOffline(true);
    await drag(page, [100, 100], [150, 150]);
    await page.getByText('Not saved yet, it is tried again').waitFor();
    const forget = page.getByRole('button', { name: 'Forget the key' });
    await forget.click();
    expect(problems).toContain('dialog: Changes are not saved yet. Forget the key, and lose them?');
    expect(await page.locator('.box-row').count()).toBe(2);
    page.removeAllListeners('dialog');
    page.once('dialog', (dialog) => dialog.accept());
    await forget.click();
    await page.getByLabel('API key').fill(key());
    const enter = page.getByRole('button', { name: 'Open' });
    await enter.click();
    await page.locator('#problem').getByText('The platform does not answer.').waitFor();
    // What was given up is not sent with the new key.
    await page.context().setOffline(false);
    await page.getByLabel('API key').fill(key());
    await enter.click();
    await page.locator('.box-row').waitFor();
    await drag(page, [200, 100], [250, 150]);
    await saved(page);
    expect(await boxesOf(id)).toEqual([
      ['RBC', 10, 10, 20, 20],
      ['RBC', 200, 100, 50, 50],
    ]);
    // Nothing is left to be asked for.
    await forget.click();
    await page.getByLabel('API key').waitFor();
  });

  test('a change whose answer was lost is no conflict', async () => {
    const id = await upload();
    await setBoxes(id, [['RBC', 10.25, 10, 20.1, 20]]);
    const { page } = await open(id);
    await page.locator('.box-row').waitFor();
    let lost = 0;
    await page.route('**/annotate/**', async (route) => {
      await route.fetch();
      lost += 1;
      await route.abort();
    });
    await drag(page, [100, 100], [150, 150]);
    await expect.poll(() => lost).toBe(1);
    await page.unroute('**/annotate/**');
    await saved(page);
    expect((await boxesOf(id))?.length).toBe(2);
    expect(await page.getByRole('button', { name: 'Keep mine' }).isVisible()).toBe(false);
  });

  test('the images that a search found come one after the other, whatever becomes of them', async () => {
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push(await upload('cells', ['queue']));
    const { page, problems } = await open('?q=tag%3Aqueue+annotated%3Afalse');
    const seen: string[] = [];
    for (const place of ['1 of 3', '2 of 3', '3 of 3']) {
      await page.getByText(place).waitFor();
      seen.push((await page.locator('main h2').textContent()) ?? '');
      await page.keyboard.press('e');
      await saved(page);
      await page.keyboard.press('n');
    }
    expect(new Set(seen).size).toBe(3);
    for (const id of ids) expect(await boxesOf(id)).toEqual([]);
    await page.keyboard.press('p');
    await page.getByText('2 of 3').waitFor();
    // A class that was named on one image is that of the next one; its boxes can be taken along.
    await page.getByLabel('New class').fill('Platelet');
    await page.keyboard.press('Enter');
    await drag(page, [100, 100], [150, 150]);
    await saved(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('n');
    await page.getByText('3 of 3').waitFor();
    await page.keyboard.press('c');
    await saved(page);
    expect(await page.locator('.box-row').allTextContents()).toEqual([
      'Platelet 50 × 50 at 100, 100',
    ]);
    await page.goto(`${url()}/#projects`);
    await page.getByRole('link', { name: 'Cells' }).waitFor();
    await page.goto(`${url()}/#project/cells/annotate/?q=tag%3Aqueue+annotated%3Afalse`);
    await page.getByText('No image matches tag:queue annotated:false.').waitFor();
    expect(problems).toEqual([]);
  });

  test('between two labelled frames F adds what both have, on its way; sort: gives their order', async () => {
    const ids: string[] = [];
    for (let frame = 0; frame < 4; frame += 1) ids.push(await upload('cells', ['frames']));
    const [first = '', second = '', third = '', last = ''] = ids;
    await setBoxes(first, [
      ['RBC', 0, 0, 20, 20],
      ['WBC', 200, 100, 40, 40],
    ]);
    await setBoxes(last, [['RBC', 90, 60, 50, 20]]);
    const { page, problems } = await open(`${second}?q=tag%3Aframes+sort%3Aname`);
    await page.getByText('2 of 4', { exact: true }).waitFor();
    await page.keyboard.press('f');
    await expect.poll(() => boxesOf(second)).toEqual([['RBC', 30, 20, 30, 20]]);
    await saved(page);
    // They are there already; and undo takes them back.
    await page.keyboard.press('f');
    await page.getByText('They are labelled here already.').waitFor();
    await page.keyboard.press('Control+z');
    await expect.poll(() => boxesOf(second)).toBeUndefined();
    await page.keyboard.press('Control+y');
    await expect.poll(() => boxesOf(second)).toEqual([['RBC', 30, 20, 30, 20]]);
    await saved(page);
    await page.keyboard.press('n');
    await page.getByText('3 of 4', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Fill in between' }).click();
    await expect.poll(() => boxesOf(third)).toEqual([['RBC', 60, 40, 40, 20]]);
    await saved(page);
    await page.keyboard.press('n');
    await page.getByText('4 of 4', { exact: true }).waitFor();
    await page.keyboard.press('f');
    await page.getByText('Label an image before and one after this one').waitFor();
    expect(await boxesOf(last)).toEqual([['RBC', 90, 60, 50, 20]]);
    expect(problems).toEqual([]);
  });

  test('names stay text, and the picture is zoomed and moved', async () => {
    const hostile = '<img src=x onerror="alert(1)">';
    const id = await upload();
    await setBoxes(id, [[hostile, 10, 10, 20, 20]]);
    const { page, problems } = await open(id);
    await page.locator('.box-row').waitFor();
    expect(await page.locator('.box-row').textContent()).toBe(`${hostile} 20 × 20 at 10, 10`);
    const before = await page.locator('.stage').boundingBox();
    await page.keyboard.press('+');
    const after = await page.locator('.stage').boundingBox();
    expect((after?.width ?? 0) / (before?.width ?? 1)).toBeCloseTo(1.5, 1);
    await page.keyboard.down('Space');
    await drag(page, [200, 100], [180, 100]);
    await page.keyboard.up('Space');
    const moved = await page.locator('.stage').boundingBox();
    expect((after?.x ?? 0) - (moved?.x ?? 0)).toBeCloseTo((20 / 400) * (after?.width ?? 0), -1);
    expect(await boxesOf(id)).toEqual([[hostile, 10, 10, 20, 20]]);
    const width = async () =>
      ((await page.locator('.stage').boundingBox())?.width ?? 0) / (before?.width ?? 1);
    for (const key of ['+', '-', '-']) await page.keyboard.press(key);
    expect(await width()).toBeCloseTo(1, 1);
    for (const key of ['+', '+']) await page.keyboard.press(key);
    expect(await width()).toBeCloseTo(2.25, 1);
    await page.keyboard.press('0');
    expect(await width()).toBeCloseTo(1, 2);
    expect(problems).toEqual([]);
  });

  test('a finger draws, moves and resizes a box, and chooses it by a tap', async () => {
    const id = await upload();
    await setBoxes(id, [['RBC', 300, 100, 60, 60]]);
    const options = { hasTouch: true, viewport: { width: 420, height: 800 } };
    const { page, problems } = await open(id, { options });
    await page.locator('.box-row').waitFor();
    const session = await page.context().newCDPSession(page);
    const swipe = async (from: readonly [number, number], to: readonly [number, number]) => {
      const [x, y] = await onScreen(page, from);
      const [endX, endY] = await onScreen(page, to);
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', at: readonly number[]) =>
        session.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: at.length > 0 ? [{ x: at[0] ?? 0, y: at[1] ?? 0 }] : [],
        });
      await touch('touchStart', [x, y]);
      await touch('touchMove', [(x + endX) / 2, (y + endY) / 2]);
      await touch('touchMove', [endX, endY]);
      await touch('touchEnd', []);
    };
    const second = async () => (await boxesOf(id))?.[1]?.slice(1).map(Number);
    await swipe([40, 40], [140, 140]);
    await saved(page);
    expect(near(await second(), [40, 40, 100, 100])).toBe(true);
    await swipe([90, 90], [110, 100]);
    await expect.poll(async () => near(await second(), [60, 50, 100, 100])).toBe(true);
    await swipe([160, 150], [200, 170]);
    await expect.poll(async () => near(await second(), [60, 50, 140, 120])).toBe(true);
    await page.touchscreen.tap(...(await onScreen(page, [330, 130])));
    const chosen = page.locator('.box-row[aria-pressed="true"]');
    expect(await chosen.textContent()).toBe('RBC 60 × 60 at 300, 100');
    await page.getByRole('button', { name: 'Delete box' }).tap();
    await expect.poll(async () => (await boxesOf(id))?.length).toBe(1);
    expect(problems).toEqual([]);
  });

  test('a second finger gives up what the first one began to draw', async () => {
    const id = await upload();
    await setBoxes(id, [['RBC', 300, 100, 60, 60]]);
    const options = { hasTouch: true, viewport: { width: 420, height: 800 } };
    const { page, problems } = await open(id, { options });
    await page.locator('.box-row').waitFor();
    const session = await page.context().newCDPSession(page);
    const at = async (x: number, y: number) => {
      const [left, top] = await onScreen(page, [x, y]);
      return { x: left, y: top };
    };
    const [start, moved] = [await at(80, 60), await at(120, 90)];
    const [other, apart] = [await at(200, 120), await at(260, 160)];
    const touch = (
      type: 'touchStart' | 'touchMove' | 'touchEnd',
      ...points: { x: number; y: number }[]
    ) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: points.map((point, id) => ({ ...point, id })),
      });
    await touch('touchStart', start);
    await touch('touchMove', moved);
    await touch('touchStart', moved, other);
    await touch('touchMove', moved, apart);
    await touch('touchEnd', apart);
    await touch('touchEnd');
    await page.keyboard.press('b');
    // The new one has a class of whatever test came before.
    const places = async () => (await boxesOf(id))?.map(([, ...place]) => place);
    await expect.poll(places).toEqual([
      [300, 100, 60, 60],
      [150, 75, 100, 50],
    ]);
    expect(problems).toEqual([]);
  });

  test('on a phone the picture leaves no room empty, and a long class moves nothing aside', async () => {
    const id = await upload();
    await setBoxes(id, [['W'.repeat(200), 300, 100, 60, 60]]);
    for (const width of [390, 1200]) {
      const { page, problems } = await open(id, { options: { viewport: { width, height: 800 } } });
      await page.locator('.box-row').waitFor();
      const wide = await page.evaluate(`document.documentElement.scrollWidth`);
      expect(wide).toBeLessThanOrEqual(width);
      const [canvas, picture] = await Promise.all(
        ['.canvas', '.canvas img'].map((part) => page.locator(part).first().boundingBox()),
      );
      // The picture is twice as wide as it is high; 30 % of the height are kept to zoom in.
      if (width === 390) {
        expect(canvas?.height).toBeCloseTo(240, 0);
        // As large as a finger.
        for (const part of [/Next|Before/, 'Add box', 'Zoom in']) {
          const control = page.locator('.annotate :is(a, button)', { hasText: part }).first();
          const { width: across = 0, height = 0 } = (await control.boundingBox()) ?? {};
          expect(Math.min(across, height)).toBeGreaterThanOrEqual(44);
        }
      }
      expect(picture?.width).toBeCloseTo(canvas?.width ?? 0, 0);
      expect(problems).toEqual([]);
    }
  });

  test('the wheel zooms where the pointer is, and a box drawn at once lies where it was drawn', async () => {
    const id = await upload();
    const { page, problems } = await open(id);
    await page.getByLabel('New class').fill('Cell');
    await page.keyboard.press('Enter');
    const before = await page.locator('.stage').boundingBox();
    await page.mouse.move(...(await onScreen(page, [300, 50])));
    await page.keyboard.down('Control');
    for (let turn = 0; turn < 4; turn += 1) await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    const width = () =>
      page.locator('.stage').evaluate((stage) => stage.getBoundingClientRect().width);
    const zoomed = (before?.width ?? 0) * Math.exp(4 * (100 / 200));
    await expect.poll(width).toBeCloseTo(zoomed, 0);
    const [x, y] = await onScreen(page, [300, 50]);
    await drag(page, [296, 46], [304, 54]);
    await saved(page);
    const settled = () => page.locator('.stage').evaluate((stage) => stage.getAttribute('style'));
    await expect.poll(settled).not.toContain('scale');
    const [laterX, laterY] = await onScreen(page, [300, 50]);
    expect([laterX, laterY]).toEqual([expect.closeTo(x, 0), expect.closeTo(y, 0)]);
    expect(await boxesOf(id)).toEqual([['Cell', 296, 46, 8, 8]]);
    // As small as it gets, it is where it was.
    await page.keyboard.down('Control');
    for (let turn = 0; turn < 6; turn += 1) await page.mouse.wheel(0, 100);
    await page.keyboard.up('Control');
    await expect.poll(settled).not.toContain('scale');
    expect(await page.locator('.stage').boundingBox()).toEqual(before);
    expect(problems).toEqual([]);
  });
});

/** Within three pixels of the picture: one pixel of a narrow screen is more than one of it. */
function near(found: readonly number[] | undefined, wanted: readonly number[]): boolean {
  return wanted.every((value, at) => Math.abs((found?.[at] ?? Number.NaN) - value) <= 3);
}
