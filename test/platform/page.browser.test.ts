// The page of the platform in a real browser: its views over real data, and what it lets nobody do.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { versions } from '../../src/contract/versions.ts';
import {
  hasChromium,
  inChromium,
  openBrowser,
  type Visit,
  visit,
} from '../event-store/chromium.ts';
import { rectOf, shapeOf } from '../event-store/open-pages.ts';
import { testImage } from '../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

let platform: TestPlatform;
let browser: Browser;
const visits: Visit[] = [];
const ids: string[] = [];
const inProject = { workspace: 'acme', project: 'cells' };

/** Text that would be an element or a program, were it not shown as text. */
const hostile = '<img src=x onerror="alert(1)">';

beforeAll(async () => {
  if (!hasChromium) return;
  platform = await startTestPlatform();
  browser = await openBrowser();
  await fillProject();
}, 60_000);

afterEach(async () => {
  for (const { page } of visits.splice(0)) await page.context().close();
});

afterAll(async () => {
  await browser?.close();
  await platform?.close();
});

async function fillProject(): Promise<void> {
  const { client } = platform;
  await client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  for (let shade = 0; shade < 30; shade += 1) {
    const name = shade === 0 ? `${hostile}.png` : `slide-${shade}.png`;
    const file = { name, content: await testImage(shade) };
    const split = shade < 20 ? 'train' : shade < 26 ? 'valid' : 'test';
    const tag = shade === 3 ? ['night'] : [];
    const { body } = await client.call(images.images_upload, {
      project: 'cells',
      file,
      split,
      tag,
    });
    ids.push(body.id);
  }
  await annotate(ids[0] ?? '', `${hostile}.png`, [
    ['RBC', 8, 6, 24, 18],
    [hostile, 40, 30, 16, 12],
  ]);
  await annotate(ids[1] ?? '', 'slide-1.png', [['RBC', 0, 0, 32, 24]]);
}

type Box = readonly [label: string, left: number, top: number, width: number, height: number];

async function annotate(imageId: string, name: string, boxes: readonly Box[]): Promise<void> {
  const categories = [...new Set(boxes.map(([label]) => label))];
  const annotationFile = JSON.stringify({
    images: [{ id: 1, file_name: name, width: 64, height: 48 }],
    categories: categories.map((name, id) => ({ id, name })),
    annotations: boxes.map(([label, ...bbox], id) => ({
      id,
      image_id: 1,
      category_id: categories.indexOf(label),
      bbox,
      area: 1,
      iscrowd: 0,
    })),
  });
  await platform.client.call(images.images_annotate, {
    project: 'cells',
    imageId,
    name: 'a.json',
    annotationFile,
  });
}

async function open(
  hash = '',
  key: string | null = platform.key,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const opened = await visit(browser, `${platform.url}/${hash}`, options);
  visits.push(opened);
  if (key !== null) await enter(opened.page, key);
  return opened;
}

async function enter(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Open' }).click();
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('asks for a key, keeps it in the tab alone, and forgets one that is refused', async () => {
    const { page, problems } = await open('', 'a-wrong-key');
    await page.getByText('This key is unknown or no longer valid. Enter another one.').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(await page.getByLabel('API key').isVisible()).toBe(true);
    await enter(page, platform.key);
    await page.getByRole('link', { name: 'Cells' }).waitFor();
    expect(await page.evaluate('sessionStorage.getItem("fovea-key")')).toBe(platform.key);
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await page.getByRole('link', { name: 'Cells' }).waitFor();
    await page.getByRole('button', { name: 'Forget the key' }).click();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(await page.getByRole('link', { name: 'Cells' }).count()).toBe(0);
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });

  test('a key that ends while a part of a page loads leads to the sign-in', async () => {
    const { page, problems } = await open();
    await page.getByRole('link', { name: 'Cells' }).waitFor();
    const body = JSON.stringify({ error: 'The credential is unknown.' });
    const json = { status: 401, contentType: 'application/json', body };
    await page.route('**/cells/health', (route) => route.fulfill(json));
    await page.getByRole('link', { name: 'Cells' }).click();
    await page.getByText('This key is unknown or no longer valid').waitFor();
    expect(await page.getByLabel('API key').isVisible()).toBe(true);
    expect(await page.locator('main').isVisible()).toBe(false);
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.unrouteAll();
    await enter(page, platform.key);
    await page.getByRole('heading', { name: 'Classes' }).waitFor();
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
  });

  test('shows the projects with counts, splits and classes', async () => {
    const { page, problems, requests } = await open();
    const card = page.locator('.card', { hasText: 'Cells' });
    await card.waitFor();
    expect(await card.textContent()).toContain('30 images · 2 classes · 28 unannotated');
    expect(await card.locator('figcaption span').allTextContents()).toEqual([
      'train 20 (67 %)',
      'valid 6 (20 %)',
      'test 4 (13 %)',
    ]);
    await card.getByRole('link').click();
    await page.getByRole('heading', { name: 'Classes' }).waitFor();
    const bars = page.locator('.bars li');
    expect(await bars.allTextContents()).toEqual(['RBC2', `${hostile}1`]);
    const [first, second] = await Promise.all([
      rectOf(bars.nth(0).locator('.fill')),
      rectOf(bars.nth(1).locator('.fill')),
    ]);
    expect(second.width / first.width).toBeCloseTo(0.5, 1);
    expect(requests.every((path) => !path.includes(platform.key))).toBe(true);
    expect(problems).toEqual([]);
  });

  test('shows images page by page, with boxes, and by class or tag', async () => {
    const { page, problems } = await open('#project/cells/images');
    await page.locator('.tile').first().waitFor();
    expect(await page.locator('.tile').count()).toBe(24);
    await page.getByText('1–24 of 30').waitFor();
    await page.getByRole('link', { name: 'After ›' }).click();
    await page.getByText('25–30 of 30').waitFor();
    expect(await page.locator('.tile').count()).toBe(6);
    await page.evaluate('location.hash = "project/cells/images?offset=999"');
    await page.getByText('The list ends before this page').waitFor();
    await page.getByText('none of 30', { exact: true }).waitFor();
    await page.getByRole('link', { name: '‹ Before' }).click();
    await page.getByText('25–30 of 30').waitFor();
    await page.getByLabel('Class').selectOption('RBC');
    await page.getByText('1–2 of 2').waitFor();
    const tile = page.locator('.tile', { hasText: 'slide-1.png' });
    const [frame, shape] = [
      await rectOf(tile.locator('.frame')),
      await shapeOf(tile.locator('path.shape').first()),
    ];
    expect(shape.width / frame.width).toBeCloseTo(0.5, 2);
    expect(shape.height / frame.height).toBeCloseTo(0.5, 2);
    await expect
      .poll(() => tile.locator('img').evaluate((img: { naturalWidth: number }) => img.naturalWidth))
      .toBe(64);
    await page.getByLabel('Class').selectOption('');
    await page.getByText('1–24 of 30').waitFor();
    await page.getByLabel('Tag').fill('night');
    await page.keyboard.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    expect(await page.locator('.tile-name').textContent()).toBe('slide-3.png');
    // And by the search language, whose address can be shared.
    await page.getByLabel('Tag').fill('');
    await page.getByLabel('Search').fill('class:RBC OR tag:night sort:name');
    await page.keyboard.press('Enter');
    await page.getByText('1–3 of 3').waitFor();
    await page.reload();
    await page.getByText('1–3 of 3').waitFor();
    expect(await page.getByLabel('Search').inputValue()).toContain('OR tag:night');
    await page.getByLabel('Class').selectOption('RBC');
    await page.getByText('1–2 of 2').waitFor();
    await page.getByRole('link', { name: 'Annotate these' }).click();
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await page.goBack();
    await page.getByLabel('Search').fill('tag:nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('take a condition away').waitFor();
    expect(problems).toEqual([]);
  });

  test('says what is wrong with a search where it was typed, and shows no other images', async () => {
    const { page, problems } = await open('#project/cells');
    await page.getByRole('link', { name: 'Images', exact: true }).click();
    await page.getByText('1–24 of 30').waitFor();
    const search = page.getByLabel('Search');
    const refusal = page.locator('main').getByRole('alert');
    const isRefused = () => problems.filter((problem) => problem.includes('status of 400')).length;
    for (const [words, said] of [
      ['tag:night (', 'at character 12: a condition is missing here tag:night (→'],
      ['tag:night)', 'at character 10: this ")" closes no bracket tag:night→)'],
      ['sort:name size:big tag:night', 'at character 11: there is no field "size"'],
      ['tag:night sort:colour', 'at character 16: there is no order "colour"'],
      ['split:(', 'at character 7: the split is missing here split:→('],
    ] as const) {
      const before = isRefused();
      await search.fill(words);
      await page.keyboard.press('Enter');
      await refusal.getByText(said).waitFor();
      // It was sent once.
      expect(isRefused() - before, words).toBe(1);
    }
    // The same for whoever opens the address.
    await page.reload();
    await refusal.waitFor();
    expect(await search.inputValue()).toBe('split:(');
    expect(await page.getByRole('link', { name: 'Annotate these' }).count()).toBe(0);
    expect(await page.locator('.tile').count()).toBe(0);
    await search.fill('tag:night');
    await page.keyboard.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    expect(await refusal.count()).toBe(0);
    // A browser notes each refused call by itself.
    expect(problems.filter((problem) => !problem.includes('status of 400'))).toEqual([]);
  });

  test('draws each box of an image where it is, and lets no name become an element', async () => {
    const { page, problems } = await open(`#project/cells/image/${ids[0]}`);
    await page.locator('.stage.is-loaded').waitFor();
    expect(await page.locator('main h2').textContent()).toBe(`${hostile}.png`);
    const photo = await rectOf(page.locator('.stage img'));
    const scale = photo.width / 64;
    for (const [index, [left, top, width, height]] of [
      [8, 6, 24, 18],
      [40, 30, 16, 12],
    ].entries()) {
      const shape = await shapeOf(page.locator(`.finding[data-index="${index}"] .shape`));
      expect((shape.x - photo.x) / scale).toBeCloseTo(Number(left), 1);
      expect((shape.y - photo.y) / scale).toBeCloseTo(Number(top), 1);
      expect(shape.width / scale).toBeCloseTo(Number(width), 1);
      expect(shape.height / scale).toBeCloseTo(Number(height), 1);
    }
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('shows versions with their contact sheet, and tasks with their progress', async () => {
    const { body } = await platform.client.call(versions.versions_generate, {
      ...inProject,
      versionName: 'first',
      preprocessing: { resize: { width: 32, height: 32, format: 'Stretch to' } },
      augmentation: { flip: { horizontal: true, vertical: false }, image: { versions: 2 } },
    });
    const { page, problems } = await open('#project/cells/versions');
    await page.getByRole('heading', { name: '1 · first' }).waitFor();
    const versionCard = page.locator('[data-version="1"]');
    await expect
      .poll(
        async () => {
          await page.clock.runFor(2_000);
          return versionCard.textContent();
        },
        { timeout: 30_000 },
      )
      .toContain('train 40');
    await versionCard.getByText('Contact sheet').click();
    const sheet = versionCard.locator('img.sheet');
    await sheet.waitFor();
    expect(
      await sheet.evaluate((img: { naturalWidth: number }) => img.naturalWidth),
    ).toBeGreaterThan(300);
    await page.getByRole('link', { name: 'Tasks' }).click();
    const row = page.locator('tbody tr', { hasText: 'version' });
    await row.waitFor();
    expect(await row.getByRole('rowheader').getAttribute('title')).toBe(body.taskId);
    expect(await row.textContent()).toContain('completed');
    expect(await row.textContent()).toContain('30 of 30');
    expect(problems).toEqual([]);
  });

  test('brings back from the trash, and shows folders', async () => {
    const { client } = platform;
    await client.call(projects.projects_create, {
      workspace: 'acme',
      name: 'Gone',
      type: 'object-detection',
      annotation: 'cells',
    });
    await client.call(projects.projects_delete, { workspace: 'acme', project: 'gone' });
    const { page, problems } = await open('#trash');
    const row = page.locator('tbody tr', { hasText: 'Gone' });
    await row.getByRole('button', { name: 'Restore' }).click();
    await row.getByText('Restored').waitFor();
    await page.getByRole('link', { name: 'Projects' }).click();
    await page.getByRole('link', { name: 'Gone' }).waitFor();
    await page.getByRole('link', { name: 'Folders' }).click();
    await page.getByText('No folders yet').waitFor();
    expect(problems).toEqual([]);
  });

  test('says when an address names nothing, and goes on', async () => {
    const { page } = await open('#project/nothing');
    const problem = page.locator('main').getByRole('alert');
    await problem.waitFor();
    expect(await problem.textContent()).toMatch(/project.*"nothing"|"nothing".*project/);
    await page.getByRole('link', { name: 'Projects', exact: true }).click();
    await page.getByRole('link', { name: 'Cells' }).waitFor();
    expect(await problem.isVisible()).toBe(false);
  });

  test('says when the platform is gone', async () => {
    const own = await startTestPlatform();
    onTestFinished(() => own.close());
    const opened = await visit(browser, own.url);
    visits.push(opened);
    await enter(opened.page, own.key);
    // A person without an agent makes one too.
    await opened.page
      .getByText('No projects yet')
      .getByText('fovea call projects_create')
      .waitFor();
    await own.close();
    await opened.page.getByRole('link', { name: 'Trash' }).click();
    await opened.page.getByText('The platform does not answer.').waitFor();
  });

  test('is used with the keyboard alone, and fits a narrow screen', async () => {
    const { page } = await open('', null, { viewport: { width: 360, height: 700 } });
    expect(await page.evaluate('document.activeElement.id')).toBe('key');
    await page.keyboard.type(platform.key);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Cells' }).waitFor();
    await page.getByRole('link', { name: 'Cells' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Classes' }).waitFor();
    const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(wide)).toBe(0);
  });
});
