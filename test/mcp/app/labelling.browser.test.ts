// The editor inside a host of MCP Apps, in Chromium: what a person draws is saved on a real
// platform by calls of tools, in the default profile, and nothing is asked of the network.

import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, inChromium, openBrowser } from '../../event-store/chromium.ts';
import { type Facts, type Fovea, launchFovea } from '../../fixtures/fovea.ts';
import { lookAway } from '../../platform/labelling-page.ts';
import { sendResult, showPage } from './shown-page.ts';

const require = createRequire(import.meta.url);
const hostile = '<img src=x onerror=parent.hacked=1>';
const withApps = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

let fovea: Fovea;
let browser: Browser;
const pages: Page[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  const settings = { FOVEA_TOOL_PROFILE: 'default' };
  fovea = await launchFovea(settings, { capabilities: withApps });
  browser = await openBrowser();
  await fovea.ok('projects_create', {
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
}, 60_000);

afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
});

afterAll(async () => {
  await browser?.close();
  await fovea?.close();
});

/** A box on an image, drawn while the host does not answer. */
async function drawWithoutHost() {
  const [id = ''] = await upload(1);
  const { page, frame } = await review([id]);
  await nameClass(frame, 'RBC');
  await page.evaluate('asked.isGone = true');
  await drag(page, frame, [40, 40], [120, 100]);
  await frame.getByText('Not saved yet, it is tried again').waitFor();
  return { id, page };
}

describe.skipIf(!hasChromium)(`labelling inside a host ${inChromium}`, { timeout: 60_000 }, () => {
  it('boxes are drawn, named, moved and deleted, and images approved or sent back', async () => {
    const ids = await upload(3);
    const { page, frame, problems } = await review(ids, 'Is every cell there?');
    await frame.getByText('Is every cell there?').waitFor();
    await frame.getByText('1 of 3').waitFor();
    await nameClass(frame, 'RBC');
    await drag(page, frame, [40, 40], [120, 100]);
    await frame.getByText('Saved.').waitFor();
    expect(await boxesOf(ids[0])).toEqual([['RBC', 40, 40, 80, 60]]);
    await drag(page, frame, [80, 70], [100, 90]);
    await expect.poll(() => boxesOf(ids[0])).toEqual([['RBC', 60, 60, 80, 60]]);
    await nameClass(frame, 'WBC');
    await expect.poll(() => boxesOf(ids[0])).toEqual([['WBC', 60, 60, 80, 60]]);
    await frame.locator('.canvas').press('a');
    await frame.getByText('2 of 3').waitFor();
    await frame.locator('body').press('Delete');
    await drag(page, frame, [200, 20], [300, 180]);
    await expect.poll(() => boxesOf(ids[1])).toEqual([['WBC', 200, 20, 100, 160]]);
    await frame.locator('body').press('Delete');
    await expect.poll(() => boxesOf(ids[1])).toEqual([]);
    await frame.getByLabel('Why it is sent back').fill('too dark');
    await frame.getByRole('button', { name: 'Send back' }).click();
    await frame.getByText('3 of 3').waitFor();
    await frame.getByText('1 approved, 1 sent back, 1 left').waitFor();
    await frame.getByRole('link', { name: 'Before' }).click();
    await frame.getByText('sent it back: “too dark”').waitFor();
    expect(problems).toEqual([]);
  });

  it('what somebody else changed meanwhile is shown, and replaced only when asked', async () => {
    const [id = ''] = await upload(1);
    const { page, frame } = await review([id]);
    await nameClass(frame, 'RBC');
    await lookAway(frame);
    await annotate(id, 'WBC');
    await drag(page, frame, [40, 40], [120, 100]);
    await frame.getByText('Somebody else changed this image: they have 1 box').waitFor();
    expect(await boxesOf(id)).toEqual([['WBC', 10, 10, 20, 20]]);
    await frame.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(() => boxesOf(id)).toEqual([['RBC', 40, 40, 80, 60]]);
  });

  it('where the host is gone, changes wait, and are sent when it is back', async () => {
    const { id, page } = await drawWithoutHost();
    expect(await boxesOf(id)).toBe(undefined);
    const torn = page.evaluate('bridge.teardownResource({}).then(() => true)');
    await page.evaluate('asked.isGone = false');
    // The host takes the page away once all is saved.
    expect(await torn).toBe(true);
    expect(await boxesOf(id)).toEqual([['RBC', 40, 40, 80, 60]]);
    await expect
      .poll(() => page.evaluate('asked.told.at(-1)'))
      .toBe('The labelling page was closed, and all is saved.');
  });

  it('the next image that does not come leaves the one that is shown, and what is drawn is of that', async () => {
    const [first = '', next = ''] = await upload(2);
    const { page, frame } = await review([first, next]);
    await nameClass(frame, 'RBC');
    await page.evaluate('asked.isGone = true');
    await frame.getByRole('heading', { name: /^slide/ }).focus();
    await page.keyboard.press('n');
    await frame.getByText('The image that you asked for cannot be shown yet').waitFor();
    await drag(page, frame, [40, 40], [120, 100]);
    await frame.getByText('Not saved yet, it is tried again').waitFor();
    await page.evaluate('bridge.teardownResource({})');
    expect(await page.evaluate('asked.told')).toEqual([
      // As it was opened.
      expect.stringContaining('closed at #project/cells/annotate/?job='),
    ]);
    await page.evaluate('asked.isGone = false');
    await frame.getByText('2 of 2').waitFor();
    await expect.poll(() => boxesOf(first)).toEqual([['RBC', 40, 40, 80, 60]]);
    expect(await boxesOf(next)).toBe(undefined);
  });

  it('what is not saved when the host takes the page away is told to the model', async () => {
    const { id, page } = await drawWithoutHost();
    await page.evaluate('bridge.teardownResource({}).then(() => true)');
    expect(await page.evaluate('asked.told')).toEqual([
      expect.stringMatching(
        /^The labelling page was closed at #project\/cells\/annotate\/.* are lost/,
      ),
    ]);
    expect(await boxesOf(id)).toBe(undefined);
  });

  it('outlines and keypoints are drawn there as on the page of the platform', async () => {
    for (const [name, type] of [
      ['Leaves', 'instance-segmentation'],
      ['Bees', 'keypoint-detection'],
    ]) {
      await fovea.ok('projects_create', { name, type, annotation: 'things' });
    }
    const [leaf = ''] = await upload(1, 'leaves');
    const drawn = await review([leaf], 'Look.', 'dark', 'leaves');
    await nameClass(drawn.frame, 'leaf');
    const corners = [
      [40, 40],
      [120, 40],
      [80, 120],
    ] as const;
    for (const corner of [...corners, [41, 41] as const]) {
      await click(drawn.page, drawn.frame, corner);
    }
    await drawn.frame.getByText('Saved.').waitFor();
    expect(await pointsOf('leaves', leaf, 'points')).toEqual([corners]);
    const [bee = ''] = await upload(1, 'bees');
    const placed = await review([bee], 'Look.', 'dark', 'bees');
    await nameClass(placed.frame, 'bee');
    await drag(placed.page, placed.frame, [100, 50], [300, 150]);
    await placed.frame.getByText('Click where the next point is').waitFor();
    const points = [
      [120, 100],
      [280, 110],
    ] as const;
    for (const point of points) await click(placed.page, placed.frame, point);
    await expect.poll(() => pointsOf('bees', bee, 'keypoints')).toEqual([points]);
    expect([...drawn.problems, ...placed.problems]).toEqual([]);
  });

  it('the picture has its room before it is there, and the height of the frame moves nothing', async () => {
    const [id = ''] = await upload(1);
    const { page, frame } = await openPage('annotation_review');
    await page.setViewportSize({ width: 700, height: 720 });
    const answer = await fovea.client.callTool({
      name: 'annotation_review',
      arguments: { project: 'cells', images: [id], instructions: 'Look.' },
    });
    await page.evaluate('asked.isGone = true');
    await sendResult(page, answer);
    await frame.getByText('The host has lost its server.').waitFor();
    expect((await frame.locator('.editor').boundingBox())?.height).toBeGreaterThanOrEqual(320);
    await page.evaluate('asked.isGone = false');
    const stage = frame.locator('.stage');
    await stage.waitFor();
    const places = [];
    for (const height of [100, 800, 1_600]) {
      await page.evaluate(`document.querySelector('iframe').style.height = '${height}px'`);
      places.push(await stage.evaluate('(one) => one.getBoundingClientRect().toJSON()'));
    }
    expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(1);
  });

  it('one image is edited when the person says so; names and comments stay text', async () => {
    const [id = ''] = await upload(1);
    await annotate(id, hostile);
    const { page, frame, problems } = await shown('images_get', { project: 'cells', imageId: id });
    await frame.getByRole('button', { name: 'Edit labels' }).click();
    await frame.getByRole('button', { name: `1 ${hostile}` }).waitFor();
    await drag(page, frame, [100, 100], [140, 140]);
    await frame.getByText('Saved.').waitFor();
    expect(await boxesOf(id)).toEqual([
      [hostile, 10, 10, 20, 20],
      [hostile, 100, 100, 40, 40],
    ]);
    expect(await page.evaluate('globalThis.hacked')).toBe(undefined);
    expect(problems).toEqual([]);
  });

  it('a picture of many pixels comes smaller, and boxes keep its pixels', async () => {
    const path = join(fovea.folder, 'large.jpg');
    const raw = { width: 3_000, height: 2_000, channels: 3 } as const;
    const noise = randomBytes(raw.width * raw.height * raw.channels);
    await writeFile(path, await sharp(noise, { raw }).jpeg().toBuffer());
    const [id = ''] = await uploadFiles([path]);
    const { page, frame } = await review([id]);
    await nameClass(frame, 'RBC');
    const photo = frame.locator('.stage img');
    await expect.poll(() => photo.evaluate((one) => Reflect.get(one, 'complete'))).toBe(true);
    expect([1_024, 1_536, 2_048]).toContain(
      await photo.evaluate((one) => Reflect.get(one, 'naturalWidth')),
    );
    await drag(page, frame, [500, 500], [1_500, 1_300], 3_000);
    await frame.getByText('Saved.').waitFor();
    const [box] = (await boxesOf(id)) ?? [];
    expect(Math.abs(Number(box?.[1]) - 500)).toBeLessThan(20);
    expect(Math.abs(Number(box?.[3]) - 1_000)).toBeLessThan(20);
  });

  it.each(['light', 'dark'] as const)('axe finds nothing serious in %s colours', async (theme) => {
    const ids = await upload(2);
    await annotate(ids[0] ?? '', 'RBC');
    const { page, frame } = await review(ids, 'Look.', theme);
    await frame.getByText('1 of 2').waitFor();
    await frame.evaluate(await axe());
    const found: unknown = await frame.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
        .filter(({ impact }) => ['serious', 'critical'].includes(impact))
        .map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
    );
    expect(found).toEqual([]);
    await frame.getByRole('button', { name: 'Full screen' }).click();
    await expect.poll(() => page.evaluate('asked.modes')).toEqual(['fullscreen']);
  });

  it('hosts without pages are shown no tools of pages', async () => {
    const plain = await launchFovea({ FOVEA_TOOL_PROFILE: 'default' });
    try {
      const names = (await plain.client.listTools()).tools.map(({ name }) => name);
      const others = (await fovea.client.listTools()).tools.map(({ name }) => name);
      const ofPages = ['labelling_read', 'labelling_save', 'versions_preview'];
      expect(others.filter((name) => !names.includes(name)).toSorted()).toEqual(ofPages);
      const save = { name: 'labelling_save', arguments: { operation: 'images_annotate' } };
      await expect(plain.client.callTool(save)).rejects.toThrow('is not offered');
      const around = { operation: 'labelling_save', arguments: {} };
      expect((await fovea.call('operations_write', around)).text).toContain('is none');
    } finally {
      await plain.close();
    }
  });
});

function axe(): Promise<string> {
  return readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
}

let made = 0;

/** Pictures of 400 x 200 pixels. */
async function upload(count: number, project = 'cells'): Promise<string[]> {
  const files: string[] = [];
  for (let place = 0; place < count; place += 1) {
    made += 1;
    const background = { r: made % 256, g: 80, b: 120 };
    const create = { width: 400, height: 200, channels: 3, background } as const;
    const path = join(fovea.folder, `slide-${String(made).padStart(3, '0')}.png`);
    await writeFile(path, await sharp({ create }).png().toBuffer());
    files.push(path);
  }
  return uploadFiles(files, project);
}

async function uploadFiles(files: readonly string[], project = 'cells'): Promise<string[]> {
  await fovea.ok('images_upload', { project, files });
  const query = `project:${project}`;
  const found = await fovea.ok('workspace_search', { query, fields: ['name'] });
  const rows = Object(found).results.map((row: unknown) => Object(row));
  return files.map((path) => {
    const name = path.split('/').at(-1);
    return String(rows.find((row: Facts) => row.name === name)?.id);
  });
}

/** As another program does it. */
async function annotate(imageId: string, label: string): Promise<void> {
  const { image } = await fovea.ok('images_get', { project: 'cells', imageId });
  const coordinates = { x: 20, y: 20, width: 20, height: 20 };
  await fovea.ok('images_annotate', {
    project: 'cells',
    imageId,
    name: 'a.json',
    overwrite: true,
    annotation: JSON.stringify([
      { image: Object(image).name, annotations: [{ label, coordinates }] },
    ]),
  });
}

/** What the platform has, by corners; undefined: not annotated. */
async function boxesOf(imageId = '') {
  const { image } = await fovea.ok('images_get', { project: 'cells', imageId });
  return Object(image).annotation?.boxes?.map((box: unknown) => {
    const { label, x, y, width, height } = Object(box);
    // A pixel of the picture is more than one of the screen: where a drag begins is known to one.
    return [
      label,
      ...[x - width / 2, y - height / 2, width, height].map((value) => Math.round(value / 5) * 5),
    ];
  });
}

/** Points of outlines, or keypoints, to five pixels, as `boxesOf`. */
async function pointsOf(project: string, imageId: string, member: 'points' | 'keypoints') {
  const { image } = await fovea.ok('images_get', { project, imageId });
  return Object(image).annotation?.boxes?.map((box: Facts) =>
    Object(box)[member]?.map((point: unknown) => {
      const [x, y] = Array.isArray(point) ? point : [Object(point).x, Object(point).y];
      return [x, y].map((value) => Math.round(value / 5) * 5);
    }),
  );
}

async function review(
  images: readonly string[],
  instructions = 'Look.',
  theme: 'light' | 'dark' = 'dark',
  project = 'cells',
) {
  const opened = await shown('annotation_review', { project, images, instructions }, theme);
  await opened.frame.locator('.stage img').waitFor();
  return opened;
}

async function shown(tool: string, args: Facts, theme: 'light' | 'dark' = 'dark') {
  const answer = await fovea.client.callTool({ name: tool, arguments: args });
  const opened = await openPage(tool, theme);
  await sendResult(opened.page, answer);
  return opened;
}

/** Before the tool has answered. */
async function openPage(tool: string, theme: 'light' | 'dark' = 'dark') {
  const opened = await showPage({ client: fovea.client, browser }, tool, {
    capabilities: { serverTools: {}, updateModelContext: { text: {} } },
    relays: true,
    theme,
  });
  pages.push(opened.page);
  return opened;
}

async function nameClass(frame: Frame, name: string): Promise<void> {
  await frame.getByLabel('New class').fill(name);
  await frame.getByRole('button', { name: 'Add class' }).click();
}

type At = readonly [x: number, y: number];

/** From one place of the picture to another, in its pixels. */
async function drag(page: Page, frame: Frame, from: At, to: At, width = 400): Promise<void> {
  const onScreen = await screenOf(frame, width);
  await page.mouse.move(...onScreen(from));
  await page.mouse.down();
  await page.mouse.move(...onScreen(to), { steps: 4 });
  await page.mouse.up();
}

async function click(page: Page, frame: Frame, at: At): Promise<void> {
  const onScreen = await screenOf(frame, 400);
  await page.mouse.click(...onScreen(at));
}

/** Where a place of the picture is on the screen. */
async function screenOf(frame: Frame, width: number) {
  const stage = frame.locator('.stage');
  await stage.scrollIntoViewIfNeeded();
  const place = await stage.boundingBox();
  if (place === null) throw new Error('There is no picture.');
  const scale = place.width / width;
  return ([x, y]: At): [number, number] => [place.x + x * scale, place.y + y * scale];
}
