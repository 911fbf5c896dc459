// Active Learning on the platform: what is collected of a model's inferences, and its review.

import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { deployment } from '../../../src/contract/deployment.ts';
import { images } from '../../../src/contract/images.ts';
import { inference } from '../../../src/contract/inference.ts';
import { projects } from '../../../src/contract/projects.ts';
import { visionEvents } from '../../../src/contract/vision-events.ts';
import { testImage } from '../../fixtures/images.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { squareFinder } from './square-finder.ts';

let finder: Awaited<ReturnType<typeof squareFinder>>;
let shared: TestPlatform;

beforeAll(async () => {
  finder = await squareFinder();
  shared = await startTestPlatform({ model: finder.path });
});

afterAll(async () => {
  await shared.close();
  await finder.remove();
});

/** A project that runs a model which finds one square in every picture. */
async function deployed(name: string, platform = shared) {
  const { client } = platform;
  const type = 'object-detection' as const;
  await client.call(projects.projects_create, { workspace: 'acme', name, type, annotation: 'x' });
  const at = { workspace: 'acme', project: name };
  await client.call(deployment.deployment_set_model, {
    ...at,
    model: { type: 'model_id', modelId: 'local' },
  });
  return { platform, client, at };
}

async function infer({ client }: TestPlatform, project: string, shade: number) {
  const file = { name: 'new.png', content: await testImage(shade) };
  const { body } = await client.call(inference.inference_run, {
    project,
    version: 'deployed',
    file,
    confidence: 0.1,
  });
  return String(body.inference_id);
}

async function queuesOf({ client }: TestPlatform, project: string, input: object = {}) {
  const at = { workspace: 'acme', project, ...input };
  return (await client.call(deployment.active_learning_images, at)).body;
}

it('collects only where it is switched on, each image once, with what the model saw', async () => {
  const { platform, client, at } = await deployed('learning');
  await infer(platform, 'learning', 1);
  expect(await queuesOf(platform, at.project)).toMatchObject({ total: 0, images: [] });
  const { body: settings } = await client.call(deployment.active_learning_enable, at);
  expect(settings).toEqual({
    enabled: true,
    collectionLimits: {
      samplingRate: 1,
      perMinute: null,
      perHour: null,
      perDay: null,
      maxImageSize: null,
      jpegCompression: null,
      batchRecreation: 'daily',
      persistPredictions: true,
    },
    filters: [],
    batchesNamePrefix: 'Active Learning',
  });
  const first = await infer(platform, 'learning', 1);
  await infer(platform, 'learning', 1);
  await infer(platform, 'learning', 2);
  const { body: shown } = await client.call(projects.projects_get, at);
  expect(shown.project.images).toBe(2);
  const queues = await queuesOf(platform, at.project);
  expect(queues).toMatchObject({
    total: 1,
    images: [{ images: 2, annotated: 0, progress: 0, status: 'not_started', reviewer: null }],
  });
  const [sample] = samplesOf(queues);
  const { body } = await client.call(images.images_get, { ...at, imageId: String(sample?.id) });
  expect(body.image).toMatchObject({
    name: `${first}.png`,
    tags: ['active-learning'],
    inference_id: first,
    split: 'train',
    annotation: { boxes: [{ label: 'square', x: 32, y: 24, width: 32, height: 24 }] },
  });
  expect((await fetch(String(sample?.url))).status).toBe(200);
  // A person looks at it, and the queue knows.
  await client.call(images.images_annotate, {
    project: 'learning',
    imageId: String(sample?.id),
    name: 'box.txt',
    overwrite: true,
    annotationFile: '0 0.5 0.5 0.5 0.5',
    labelmap: { 0: 'square' },
  });
  expect(await queuesOf(platform, at.project, { status: 'in_progress' })).toMatchObject({
    images: [{ annotated: 1, progress: 0.5, status: 'in_progress' }],
  });
  expect((await queuesOf(platform, at.project, { status: 'not_started' })).total).toBe(0);
  expect((await queuesOf(platform, at.project, { reviewer: 'unassigned' })).total).toBe(1);
  expect((await queuesOf(platform, at.project, { reviewer: 'a@example.com' })).total).toBe(0);
  expect((await queuesOf(platform, at.project, { search: 'LEARN' })).total).toBe(1);
  expect((await queuesOf(platform, at.project, { search: '%' })).total).toBe(0);
  await client.call(deployment.active_learning_disable, at);
  await infer(platform, 'learning', 3);
  expect((await client.call(projects.projects_get, at)).body.project.images).toBe(2);
});

function samplesOf(body: { readonly images?: unknown }) {
  const [queue] = Array.isArray(body.images) ? body.images : [];
  const samples: { id: string; url: string }[] = queue?.samples ?? [];
  return samples;
}

it('keeps to its limits as time goes by, and to its filters', async () => {
  let now = Date.parse('2026-11-22T10:00:00Z');
  const clock = { now: () => now, monotonic: () => performance.now() };
  const own = await startTestPlatform({ model: finder.path, clock });
  onTestFinished(() => own.close());
  const { platform, client, at } = await deployed('learning', own);
  const configure = (input: object) =>
    client.call(deployment.active_learning_configure, { ...at, ...input });
  await configure({ collectionLimits: { perMinute: 1, perHour: 2, persistPredictions: false } });
  await client.call(deployment.active_learning_enable, at);
  const count = async () => (await client.call(projects.projects_get, at)).body.project.images;
  const counts: unknown[] = [];
  for (const [shade, minutes] of [0, 0, 1, 1, 58, 1, 1].entries()) {
    now += minutes * 60_000;
    await infer(platform, 'learning', shade);
    counts.push(await count());
  }
  // Two in the first minutes; the hour of the first ends one minute before that of the second.
  expect(counts).toEqual([1, 1, 2, 2, 3, 4, 4]);
  const none = { collectionLimits: { perMinute: null, perHour: null } };
  await configure({ ...none, filters: [{ type: 'classConfidence', classes: ['circle'], min: 0 }] });
  await infer(platform, 'learning', 100);
  expect(await count()).toBe(4);
  await configure({ filters: [{ type: 'detectionSize', min: 0.25, max: 0.25 }] });
  await infer(platform, 'learning', 101);
  expect(await count()).toBe(5);
});

it('makes images smaller where the settings want that, boxes included', async () => {
  const { platform, client, at } = await deployed('smaller');
  const collectionLimits = { maxImageSize: 32, jpegCompression: 80, batchRecreation: 'never' };
  await client.call(deployment.active_learning_configure, { ...at, collectionLimits });
  await client.call(deployment.active_learning_enable, at);
  await infer(platform, 'smaller', 102);
  const queues = await queuesOf(platform, at.project);
  expect(queues).toMatchObject({ images: [{ name: 'Active Learning' }] });
  const [sample] = samplesOf(queues);
  const { body } = await client.call(images.images_get, { ...at, imageId: String(sample?.id) });
  expect(body.image).toMatchObject({
    name: expect.stringMatching(/\.jpg$/),
    width: 32,
    height: 24,
    annotation: { boxes: [{ label: 'square', x: 16, y: 12, width: 16, height: 12 }] },
  });
});

it('refuses settings that mean nothing, and says which there are', async () => {
  const { client, at } = await deployed('refusing');
  const refused: readonly [object, RegExp][] = [
    [{ collectionLimits: { sampling_rate: 1 } }, /sampling_rate: is not known; did you mean "samp/],
    [{ collectionLimits: { samplingRate: 2 } }, /collectionLimits\.samplingRate/],
    [{ collectionLimits: { batchRecreation: 'hourly' } }, /collectionLimits\.batchRecreation/],
    [{ filters: [{ type: 'classConfidence' }] }, /filters\[0\]: needs min or max/],
    [{ filters: [{ type: 'classConfidenc', min: 0 }] }, /filters\[0\]\.type/],
    [{ filters: [{ type: 'detectionSize', min: 40 }] }, /filters\[0\]\.min/],
  ];
  for (const [input, message] of refused) {
    const call = client.call(deployment.active_learning_configure, { ...at, ...input });
    await expect(call).rejects.toMatchObject({
      upstream: { status: 400, message: expect.stringMatching(message) },
    });
  }
  const { body } = await client.call(deployment.active_learning_get, at);
  expect(body).toMatchObject({
    enabled: false,
    filters: [],
    collectionLimits: { samplingRate: 1 },
  });
});

it('collects the images of vision events that name the project', async () => {
  const { platform, client, at } = await deployed('events');
  await client.call(deployment.active_learning_enable, at);
  const file = { name: 'seen.png', content: await testImage(7) };
  const { body } = await client.call(visionEvents.vision_events_upload_image, {
    workspace: 'acme',
    file,
  });
  const objectDetections = [
    { class: 'square', x: 20, y: 20, width: 10, height: 10, confidence: 0.4 },
  ];
  const event = {
    eventId: '0b0e7d1c-7d7f-4b52-9f5b-0d3a3b1c2d3e',
    eventType: 'custom' as const,
    useCaseId: 'events',
    timestamp: new Date().toISOString(),
    images: [{ sourceId: String(body.sourceId), objectDetections }],
  };
  await client.call(visionEvents.vision_events_create, { workspace: 'acme', ...event });
  await client.call(visionEvents.vision_events_create, { workspace: 'acme', ...event });
  expect(await queuesOf(platform, at.project)).toMatchObject({ total: 1, images: [{ images: 1 }] });
});
