// Whether everybody can use the page of the platform: axe looks at each of its views, light, dark
// and narrow, and one walk is done by keys alone.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { annotationExtensions } from '../../src/contract/annotation.ts';
import { folders } from '../../src/contract/folders.ts';
import { images } from '../../src/contract/images.ts';
import { versions } from '../../src/contract/versions.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { narrow, violationsOn } from './axe-violations.ts';
import {
  call,
  createIndependentJob,
  createJob,
  labellingPage,
  open,
  setBee,
  setBoxes,
  setOutlines,
  upload,
  uploadPicture,
} from './labelling-page.ts';
import { redAt, squaresModel } from './platform-with-model.ts';

const { url } = labellingPage({ model: squaresModel });

let image = '';
let bee = '';
let leaf = '';
let squares = '';
let job = '';
let apart = '';

beforeAll(async () => {
  if (!hasChromium) return;
  const ids = [await upload('cells', ['dark']), await upload('cells', ['dark']), await upload()];
  image = ids[0] ?? '';
  for (const id of ids) {
    await setBoxes(id, [
      ['RBC', 10, 10, 60, 60],
      ['WBC', 100, 40, 80, 80],
      ['Platelets', 300, 20, 30, 30],
    ]);
  }
  squares = await uploadPicture(await redAt(1));
  bee = await upload('bees');
  await setBee(bee, [110, 60, 2, 0, 0, 0], ['head', 'sting']);
  leaf = await upload('leaves');
  const outline = [
    [100, 50],
    [180, 50],
    [140, 130],
  ] as const;
  await setOutlines(leaf, [['leaf', outline]]);
  const review = await createJob('Is every cell there?', ids.slice(0, 2));
  job = review.jobId;
  await review.decide(image, { decision: 'send_back', comment: 'One is missing.' });
  const where = { workspace: 'acme', project: 'cells' };
  apart = await labelledApart(ids);
  await call(versions.versions_generate, { ...where, preprocessing: {}, augmentation: {} });
  await call(folders.folders_create, { workspace: 'acme', name: 'Clinic' });
  const gone = await upload();
  await call(images.images_delete, { ...where, images: [gone] });
}, 60_000);

/** A job of somebody who labelled the first image apart, and sees less there. */
async function labelledApart(ids: readonly string[]): Promise<string> {
  const where = { workspace: 'acme', project: 'cells' };
  const jobId = await createIndependentJob(ids);
  const annotationFile = '<annotation/>';
  const label = { ...where, jobId, imageId: image, name: 'a.xml', annotationFile };
  await call(annotationExtensions.annotation_jobs_label, label);
  return jobId;
}

const views: readonly (readonly [name: string, place: () => string])[] = [
  ['projects', () => 'projects'],
  ['a project', () => 'project/cells'],
  ['its images', () => 'project/cells/images'],
  ['no image', () => 'project/cells/images?tag=none'],
  ['an image', () => `project/cells/image/${image}`],
  ['annotating', () => `project/cells/annotate/${image}?q=tag:dark`],
  ['outlines', () => `project/leaves/annotate/${leaf}`],
  ['keypoints', () => `project/bees/annotate/${bee}`],
  ['reviewing', () => `project/cells/annotate/${image}?job=${job}`],
  ['labelling apart', () => `project/cells/annotate/${image}?job=${apart}`],
  ['agreement', () => `project/cells/agreement/${apart}`],
  ['versions', () => 'project/cells/versions'],
  ['no trainings', () => 'project/cells/trainings'],
  ['no events', () => 'events'],
  ['activity', () => 'activity'],
  ['no keys', () => 'keys'],
  ['tasks', () => 'tasks'],
  ['filtered tasks', () => 'tasks?q=nowhere'],
  ['folders', () => 'folders'],
  ['the trash', () => 'trash'],
];

describe.skipIf(!hasChromium)(inChromium, { timeout: 90_000 }, () => {
  test.each(['light', 'dark', 'narrow'] as const)('axe finds nothing serious: %s', async (look) => {
    const { page } = await open(`${image}?job=${job}`);
    const colorScheme = look === 'dark' ? 'dark' : 'light';
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (look === 'narrow') await page.setViewportSize(narrow);
    for (const [name, place] of views) {
      await page.goto(`${url()}/#${place()}`);
      await page.locator('main:not([aria-busy]) h2').waitFor();
      expect([name, await violationsOn(page)]).toEqual([name, []]);
    }
    await page.goto(`${url()}/#project/cells/annotate/${squares}`);
    await page.getByText('1 prediction to decide about').waitFor();
    expect(['predictions', await violationsOn(page)]).toEqual(['predictions', []]);
    await page.goto(`${url()}/#project/bees/annotate/${bee}`);
    // Rows of the page before are no sign of this one.
    await page.reload();
    await page.locator('.box-row').first().waitFor();
    // On a busy machine a key may come before the page listens.
    const isChosen = async () => {
      await page.keyboard.press('j');
      return page.getByText('sting: not placed').isVisible();
    };
    await expect.poll(isChosen).toBe(true);
    expect(['points', await violationsOn(page)]).toEqual(['points', []]);
    await page.goto(`${url()}/#project/leaves/annotate/${leaf}`);
    await page.reload();
    await page.locator('.box-row').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('.');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(['the keys', await violationsOn(page)]).toEqual(['the keys', []]);
    await page.keyboard.press('Escape');
    if (look === 'narrow') {
      await page.getByRole('button', { name: 'Menu' }).click();
      expect(['the menu', await violationsOn(page)]).toEqual(['the menu', []]);
    }
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByLabel('API key').waitFor();
    expect(['the key form', await violationsOn(page)]).toEqual(['the key form', []]);
    // It would find something: a picture without words.
    await page.evaluate('document.querySelector("form").append(document.createElement("img"))');
    expect((await violationsOn(page)).map(({ id }) => id)).toEqual(['image-alt']);
  });

  test('by keys alone: from the projects to an image, which is labelled and decided', async () => {
    const ids = [await upload('cells', ['walk'])];
    const { jobId, decisions } = await createJob('By keys', ids);
    const { page } = await open(`?job=${jobId}`);
    await page.goto(`${url()}/#projects`);
    await page.getByRole('link', { name: 'Cells' }).waitFor();
    await follow(page, 'Cells');
    await page.getByRole('link', { name: 'By keys' }).waitFor();
    await follow(page, 'By keys');
    await page.getByText('Nobody has decided about this image.').waitFor();
    await tabTo(page, 'New class');
    await page.keyboard.type('RBC');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('b');
    await page.locator('.box-row').waitFor();
    await tabTo(page, 'Approve');
    await page.keyboard.press('Enter');
    await page.getByText('Every image of this job is decided.').waitFor();
    expect((await decisions()).get(ids[0] ?? '')).toEqual(['approved']);
  });
});

/** Goes on by Tab until the element of that name has the focus, as all that have it must show. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab');
    // Beyond the last one it is the body's turn.
    const focused = await page.evaluate(`(() => {
      const at = document.activeElement;
      if (at === document.body) return ['', ''];
      return [at.getAttribute('aria-label') ?? at.textContent.trim(), getComputedStyle(at).outlineStyle];
    })()`);
    const [seen = '', outline] = Object.values(Object(focused)).map(String);
    if (!seen.includes(name)) continue;
    expect(outline).not.toBe('none');
    return;
  }
  throw new Error(`Tab never comes to ${name}.`);
}

async function follow(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}
