// What the tests of the labelling page work with: a platform with projects, a browser, pictures of
// 400 x 200 pixels, and the gestures of a person.

import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { annotationExtensions, reviews } from '../../src/contract/annotation.ts';
import { images } from '../../src/contract/images.ts';
import { projects, type projectTypes } from '../../src/contract/projects.ts';
import type { PlatformOptions } from '../../src/platform/platform.ts';
import { hasChromium, openBrowser, type Visit, visit } from '../event-store/chromium.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

let platform: TestPlatform;
let browser: Browser;
const visits: Visit[] = [];

/** For a file of tests: a browser, and a platform with some projects. */
export function labellingPage(options: Partial<PlatformOptions> = {}): {
  readonly url: () => string;
  readonly key: () => string;
  readonly otherWorkspace: () => ReturnType<TestPlatform['otherWorkspace']>;
} {
  beforeAll(async () => {
    if (!hasChromium) return;
    platform = await startTestPlatform(options);
    browser = await openBrowser();
    await create('Cells', 'object-detection');
    await create('Leaves', 'instance-segmentation');
    await create('Bees', 'keypoint-detection');
    await create('Roads', 'semantic-segmentation');
    await create('Moods', 'single-label-classification');
    await create('Scenes', 'multi-label-classification');
  }, 60_000);
  afterEach(async () => {
    for (const { page } of visits.splice(0)) await page.context().close();
  });
  afterAll(async () => {
    await browser?.close();
    await platform?.close();
  });
  return {
    url: () => platform.url,
    key: () => platform.key,
    otherWorkspace: () => platform.otherWorkspace(),
  };
}

/** As another program of the same workspace. */
export const call: TestPlatform['client']['call'] = (operation, input, options) =>
  platform.client.call(operation, input, options);

async function create(name: string, type: (typeof projectTypes)[number]) {
  const body = { workspace: 'acme', name, type, annotation: 'things' };
  await call(projects.projects_create, body);
}

let made = 0;

/** A picture of 400 x 200 pixels. */
export async function upload(project = 'cells', tag: string[] = []): Promise<string> {
  const background = { r: (made + 1) % 256, g: 80, b: 120 };
  const create = { width: 400, height: 200, channels: 3, background } as const;
  return uploadPicture(await sharp({ create }).png().toBuffer(), project, tag);
}

export async function uploadPicture(content: Uint8Array, project = 'cells', tag: string[] = []) {
  made += 1;
  const file = { name: `slide-${made}.png`, content };
  const { body } = await call(images.images_upload, { project, file, tag });
  return body.id;
}

export type Box = readonly [
  label: string,
  left: number,
  top: number,
  width: number,
  height: number,
];

/** As another program sets them. */
export async function setBoxes(imageId: string, boxes: readonly Box[]): Promise<void> {
  const annotations = boxes.map(([label, left, top, width, height]) => ({
    label,
    coordinates: { x: left + width / 2, y: top + height / 2, width, height },
  }));
  const { name } = await read(imageId);
  await call(images.images_annotate, {
    project: 'cells',
    imageId,
    name: 'a.json',
    overwrite: true,
    annotationFile: JSON.stringify([{ image: name, annotations }]),
  });
}

/** Images with one box each. */
export async function uploadLabelled(count: number, box: Box, tag: string[] = []) {
  const ids: string[] = [];
  for (let place = 0; place < count; place += 1) {
    const id = await upload('cells', tag);
    await setBoxes(id, [box]);
    ids.push(id);
  }
  return ids;
}

export async function read(imageId: string, project = 'cells') {
  const wanted = { workspace: 'acme', project, imageId };
  return (await call(images.images_get, wanted)).body.image;
}

export type Outline = readonly (readonly [x: number, y: number])[];

/** As another program sets them, in a project of segmentation. */
export async function setOutlines(
  imageId: string,
  outlines: readonly (readonly [label: string, points: Outline])[],
  project = 'leaves',
): Promise<void> {
  const { name } = await read(imageId, project);
  const labels = [...new Set(outlines.map(([label]) => label))];
  await call(images.images_annotate, {
    project,
    imageId,
    name: 'a.json',
    overwrite: true,
    annotationFile: JSON.stringify({
      images: [{ id: 1, file_name: name, width: 400, height: 200 }],
      categories: labels.map((label, id) => ({ id, name: label })),
      annotations: outlines.map(([label, points], id) => ({
        id,
        image_id: 1,
        category_id: labels.indexOf(label),
        segmentation: [points.flat()],
      })),
    }),
  });
}

/** What the platform has; undefined: not annotated. */
export async function outlinesOf(imageId: string, project = 'leaves') {
  const { annotation } = await read(imageId, project);
  return annotation?.boxes?.map(({ label, points }) => [label, points] as const);
}

/** Places a bee, with these keypoints, in the project `bees`. */
export async function setBee(imageId: string, keypoints: readonly number[], names: string[]) {
  const { name } = await read(imageId, 'bees');
  await call(images.images_annotate, {
    project: 'bees',
    imageId,
    name: 'a.json',
    overwrite: true,
    annotationFile: JSON.stringify({
      images: [{ id: 1, file_name: name, width: 400, height: 200 }],
      categories: [{ id: 1, name: 'bee', keypoints: names }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, bbox: [100, 50, 200, 100], keypoints }],
    }),
  });
}

/** What the platform has of the keypoints of each box: name, place and visibility. */
export async function keypointsOf(imageId: string) {
  const boxes: readonly unknown[] = (await read(imageId, 'bees')).annotation?.boxes ?? [];
  return boxes.map((box) =>
    Object(box).keypoints?.map((point: unknown) => {
      const { label, x, y, visibility } = Object(point);
      return [label, x, y, visibility];
    }),
  );
}

/** What the platform has, by corners; undefined: not annotated. */
export async function boxesOf(imageId: string): Promise<Box[] | undefined> {
  const { annotation } = await read(imageId);
  return annotation?.boxes?.map(({ label, x, y, width, height }) => [
    label,
    x - width / 2,
    y - height / 2,
    width,
    height,
  ]);
}

interface OpenOptions {
  readonly key?: string;
  readonly project?: string;
  readonly options?: BrowserContextOptions;
}

export async function open(
  place: string,
  { key = platform.key, project = 'cells', options }: OpenOptions = {},
): Promise<Visit> {
  const address = `${platform.url}/#project/${project}/annotate/${place}`;
  const opened = await visit(browser, address, options);
  visits.push(opened);
  await opened.page.getByLabel('API key').fill(key);
  await opened.page.getByRole('button', { name: 'Open' }).click();
  // A page that loads has a heading too, and takes no keys.
  await opened.page.locator('main:not([aria-busy]) h2').waitFor();
  return opened;
}

/** Drags between two points of the picture, in its own pixels. */
export async function drag(
  page: Page,
  from: readonly [number, number],
  to: readonly [number, number],
) {
  // All before the first move: the picture may go along.
  const [x, y] = await onScreen(page, from);
  const [endX, endY] = await onScreen(page, to);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move((x + endX) / 2, (y + endY) / 2);
  await page.mouse.move(endX, endY);
  await page.mouse.up();
}

/** A point of a picture, of this size, on the screen. */
export async function onScreen(
  page: Page,
  [x, y]: readonly [number, number],
  [width, height]: readonly [number, number] = [400, 200],
): Promise<[number, number]> {
  const stage = await page.locator('.stage').boundingBox();
  if (stage === null) throw new Error('There is no picture.');
  return [stage.x + (x / width) * stage.width, stage.y + (y / height) * stage.height];
}

export async function click(page: Page, at: readonly [number, number]) {
  await page.mouse.click(...(await onScreen(page, at)));
}

/** From now on nobody looks at the page, which looks for no news then; or somebody does again. */
export async function lookAway(page: Page | Frame, isAway = true) {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${isAway}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

export async function saved(page: Page) {
  await page.getByRole('status').getByText('Saved.').waitFor();
}

/** A review of these images; `decisions` gives what is known of each, by its id. */
export async function createJob(instructions: string, ids: readonly string[], project = 'cells') {
  const where = { workspace: 'acme', project };
  const wanted = { ...where, images: [...ids], instructions };
  const { jobId, taskId } = (await call(reviews.annotation_review, wanted)).body;
  const decisions = async () => {
    const read = await call(annotationExtensions.annotation_jobs_images, {
      ...where,
      jobId,
    });
    return new Map(
      read.body.images.map(({ id, state, comment }) => [id, comment ? [state, comment] : [state]]),
    );
  };
  const decide = (imageId: string, decision: { decision: 'approve' } | SentBack) =>
    call(annotationExtensions.annotation_jobs_decide, {
      ...where,
      jobId,
      imageId,
      decisions: 0,
      ...decision,
    });
  return { jobId, taskId, decisions, decide };
}

/** A job of somebody whose labels are kept apart; gives its id. */
export async function createIndependentJob(ids: readonly string[], project = 'cells') {
  const { body } = await call(annotationExtensions.annotation_jobs_create_for_images, {
    workspace: 'acme',
    project,
    name: 'Once more',
    images: [...ids],
    independent: true,
    labelerEmail: 'bob@example.com',
    reviewerEmail: 'bob@example.com',
  });
  return String(body.id);
}

interface SentBack {
  readonly decision: 'send_back';
  readonly comment: string;
}
