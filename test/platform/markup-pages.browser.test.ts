// Markup in names, classes, comments and addresses: each page of the platform shows it as text.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { annotationExtensions, reviews } from '../../src/contract/annotation.ts';
import { apiKeys } from '../../src/contract/api-keys.ts';
import { folders } from '../../src/contract/folders.ts';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { versions } from '../../src/contract/versions.ts';
import { visionEvents } from '../../src/contract/vision-events.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { evaluated, type Squares, squares } from './judged-squares.ts';
import { goTo, hostile, useOpenedPages } from './opened-pages.ts';
import { redAt, sharedLabelling, squaresModel } from './platform-with-model.ts';

const open = useOpenedPages();
const labelling = sharedLabelling({ model: squaresModel });
const address = encodeURIComponent(hostile);

let judged: Squares;
let image = '';
let job = '';
let apart = '';
let evaluation = '';

beforeAll(async () => {
  if (!hasChromium) return;
  const fixture = labelling();
  const { client } = fixture.platform;
  judged = await squares(fixture, [
    { name: `${hostile}.png`, image: await redAt(7), objects: [[hostile, 7]] },
  ]);
  const { project, at } = judged;
  const made = await client.call(images.images_upload, {
    project,
    file: { name: `${hostile}-2.png`, content: await redAt(3) },
    batch: hostile,
  });
  image = made.body.id;
  const label = { label: hostile, coordinates: { x: 30, y: 20, width: 20, height: 20 } };
  await client.call(images.images_annotate, {
    project,
    imageId: image,
    name: 'a.json',
    annotationFile: JSON.stringify([{ image: `${hostile}-2.png`, annotations: [label] }]),
  });
  const metadata = { station: hostile };
  await client.call(images.images_set_metadata, { ...at, imageId: image, metadata });
  const person = { labelerEmail: 'bob@example.com', reviewerEmail: 'bob@example.com' };
  const independent = { name: hostile, images: [image], independent: true, ...person };
  const other = await client.call(annotationExtensions.annotation_jobs_create_for_images, {
    ...at,
    ...independent,
  });
  apart = String(other.body.id);
  const asked = { ...at, images: [image], instructions: hostile };
  job = (await client.call(reviews.annotation_review, asked)).body.jobId;
  await client.call(annotationExtensions.annotation_jobs_decide, {
    ...at,
    jobId: job,
    imageId: image,
    decisions: 0,
    decision: 'send_back',
    comment: hostile,
  });
  evaluation = (await evaluated(fixture, judged, { query: 'split:test' })).evaluationId;
  await client.call(versions.versions_generate, { ...at, preprocessing: {}, augmentation: {} });
  const workspace = 'acme';
  const named = { workspace, name: hostile, annotation: hostile };
  await client.call(projects.projects_create, { ...named, type: 'object-detection' });
  await client.call(folders.folders_create, { workspace, name: hostile });
  await client.call(apiKeys.api_keys_create, { workspace, name: hostile });
  await client.call(visionEvents.vision_events_create, {
    eventId: hostile,
    eventType: 'custom',
    useCaseId: hostile,
    timestamp: new Date().toISOString(),
    eventData: { [hostile]: hostile },
  });
  const gone = { name: `${hostile}-3.png`, content: await redAt(4) };
  const { body } = await client.call(images.images_upload, { project, file: gone });
  await client.call(images.images_delete, { ...at, images: [body.id] });
}, 60_000);

const within = (rest: string) => `project/${judged.project}/${rest}`;

/** By the files of the pages: where each shows what others wrote. */
const places: Readonly<Record<string, () => readonly string[]>> = {
  activity: () => ['activity', `activity?project=${address}`, `activity?from=${address}`],
  agreement: () => [within(`agreement/${apart}`), within(`agreement/${address}`)],
  annotate: () => [
    within(`annotate/${image}`),
    within(`annotate/${image}?job=${job}`),
    within(`annotate/${image}?job=${apart}`),
    within(`annotate/?q=${address}`),
    within(`annotate/${address}`),
  ],
  comparison: () => [within(`comparison/${evaluation}/${address}`)],
  evaluation: () => [
    within(`evaluation/${evaluation}?class=${address}`),
    within(`evaluation/${address}`),
  ],
  evaluations: () => [within('evaluations'), within(`evaluations?q=${address}`)],
  event: () => [`event/${address}/${address}`],
  events: () => [`events/${address}`, `events/${address}?data=${address}`],
  folders: () => ['folders'],
  image: () => [within(`image/${image}`), within(`image/${address}`)],
  images: () => [within('images'), within(`images?q=${address}`), within(`images?tag=${address}`)],
  jobs: () => [within('jobs'), within(`jobs?person=${address}`)],
  'judged-images': () => [
    within(`judged/${evaluation}?class=${address}`),
    within(`judged/${address}`),
  ],
  keys: () => ['keys', `keys?q=${address}`],
  project: () => [`project/${judged.project}`, `project/${address}`],
  projects: () => ['projects', `projects?q=${address}`, address],
  tasks: () => ['tasks', `tasks?q=${address}`],
  training: () => [within(`training/1/${address}`)],
  trainings: () => [within('trainings'), within(`trainings?q=${address}`)],
  trash: () => ['trash'],
  'use-cases': () => ['events'],
  versions: () => [within('versions'), within(`versions?q=${address}`)],
};

/** Pages of what nobody names, which show markup of their address alone, or none. */
const nameless = ['evaluations', 'tasks', 'training', 'trainings', 'versions'];

describe.skipIf(!hasChromium)(inChromium, { timeout: 90_000 }, () => {
  test('shows markup as text, and runs none', async () => {
    const { page, problems } = await open(labelling().platform, 'tasks?q=start');
    for (const [name, placesOf] of Object.entries(places)) {
      const [first = '', ...others] = placesOf();
      await goTo(page, first);
      const shown = () => page.locator('main').textContent();
      if (!nameless.includes(name)) await expect.poll(shown).toContain(hostile);
      for (const place of [first, ...others]) {
        if (place !== first) await goTo(page, place);
        const made = page.locator('img[src="x"], [onerror]');
        expect([place, await made.count()]).toEqual([place, 0]);
      }
    }
    // A page that is not there answers with 404, which the console tells.
    expect(problems.filter((problem) => !problem.includes('Failed to load'))).toEqual([]);
  });
});

describe.skipIf(!hasChromium)(`turned text ${inChromium}`, { timeout: 60_000 }, () => {
  test('is shown as it is: a name turns neither itself nor what stands beside it', async () => {
    const { platform } = labelling();
    const { project } = judged;
    const name = 'plant\u202egnp.exe';
    const file = { name: `${name}.png`, content: await redAt(13) };
    const { body } = await platform.client.call(images.images_upload, { project, file });
    const { page } = await open(platform, 'activity');
    const places = [within(`image/${body.id}`), within('images'), within(`annotate/${body.id}`)];
    for (const place of ['activity?kind=image', ...places]) {
      await goTo(page, place);
      await expect.poll(() => page.locator('main').textContent()).toContain('plant\ufffdgnp.exe');
      expect(await page.locator('html').innerHTML()).not.toContain('\u202e');
      expect(await page.title()).not.toContain('\u202e');
    }
  });
});

test('every page is among them', () => {
  const main = join(import.meta.dirname, '../../src/platform/platform-page/main.js');
  const imported = readFileSync(main, 'utf8').matchAll(
    /View } from '\.\/(?:pages|labelling)\/(.+)\.js'/g,
  );
  expect([...imported].map(([, name]) => name).toSorted()).toEqual(Object.keys(places).toSorted());
});
