// Evaluations of keypoint projects through the API of the platform: OKS judges.

import sharp from 'sharp';
import { expect, it } from 'vitest';
import { evaluations } from '../../src/contract/evaluations.ts';
import { file, judged } from './judged-predictions.ts';
import { type Labelling, redAt, sharedLabelling, squaresModel } from './platform-with-model.ts';

const labelling = sharedLabelling({ model: squaresModel });

interface Posed {
  readonly label?: string;
  readonly bbox?: readonly number[];
  /** x, y and visibility of head and foot. */
  readonly keypoints?: readonly number[];
}

const bbox = [8, 8, 40, 40];
const standing = [20, 10, 2, 20, 46, 2];

/** Images of 64 x 64 with an object each, in the split test. */
async function posed(fixture: Labelling, objects: readonly Posed[]) {
  const project = await fixture.newProject('Posed', 'keypoint-detection');
  for (const [place, { label = 'cell', ...shape }] of objects.entries()) {
    const name = `${place}.png`;
    const id = await fixture.send(project, await redAt(place), { name, split: 'test' });
    const document = {
      images: [{ id: 1, file_name: name, width: 64, height: 64 }],
      categories: [{ id: 1, name: label, keypoints: ['head', 'foot'], skeleton: [] }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, bbox, ...shape }],
    };
    await fixture.tell('POST', `/dataset/${project}/annotate/${id}?name=a.json`, {
      annotationFile: JSON.stringify(document),
    });
  }
  return project;
}

function result(image_id: string | number, score: number, keypoints: unknown, more: object = {}) {
  return { image_id, category_id: 'cell', score, keypoints, ...more };
}

it('judges keypoints by OKS, where boxes would be the same, and says by which sigmas', async () => {
  const fixture = labelling();
  const project = await posed(fixture, [
    { keypoints: standing },
    { keypoints: standing },
    { keypoints: [0, 0, 0, 0, 0, 0] },
  ]);
  const predictions = file([
    result('0.png', 0.9, standing, { bbox }),
    // 4 pixels beside the head: exp(-16 / 0.01 / 1600 / 2), which is 0.61; with the foot 0.80.
    result('1.png', 0.8, [24, 10, 2, 20, 46, 2], { bbox }),
    // On the object without keypoints: neither right nor wrong.
    result('2.png', 0.95, standing, { bbox }),
  ]);
  const asked = { query: 'split:test', predictions, confidence: 0.5 };
  const { task, panel } = await judged(fixture, project, asked);
  expect(task).toMatchObject({ status: 'completed', result: { withoutKeypoints: 1 } });
  expect(await panel()).toMatchObject({
    modelTask: 'keypoints',
    judgedBy: 'OKS with sigma 0.05 for each keypoint',
    withoutKeypoints: 1,
    groundTruths: 2,
    detections: 3,
    ap50: 1,
    ap75: 1,
    // Both up to 0.80, one beyond, with half of the recall: 51 of 101 points.
    ap: 0.8515,
    ar50: 1,
    ar75: 1,
    ar20: 0.85,
    bySize: { medium: { groundTruths: 2 } },
    point: { truePositives: 2, falsePositives: 0, misses: 0 },
  });
  expect(await panel()).not.toHaveProperty('ar100');
  const shown = await panel({ panel: 'images', picture: true });
  const { width } = await sharp(Buffer.from(shown.sheet ?? '', 'base64')).metadata();
  expect(width).toBeGreaterThan(200);
  const far = file([result('0.png', 0.9, [40, 40, 2, 40, 12, 2], { bbox })]);
  const missed = await judged(fixture, project, { ...asked, predictions: far });
  expect(await missed.panel()).toMatchObject({ ap50: 0, point: { falsePositives: 1, misses: 2 } });
});

it('reads keypoints in another order by their names, and pixels of a version', async () => {
  const fixture = labelling();
  const project = await posed(fixture, [{ keypoints: standing }]);
  const turned = [20, 46, 2, 20, 10, 2];
  const named = result('0.png', 0.9, turned, { keypoint_names: ['foot', 'head'] });
  const byName = await judged(fixture, project, { query: '*', predictions: file([named]) });
  expect(await byName.panel()).toMatchObject({ ap: 1 });
  const dataset = {
    images: [{ id: 7, file_name: '0.png' }],
    categories: [{ id: 3, name: 'cell', keypoints: ['foot', 'head'] }],
    annotations: [{ image_id: 7, category_id: 3, score: 0.9, keypoints: turned }],
  };
  const ofDataset = await judged(fixture, project, { query: '*', predictions: file(dataset) });
  expect(await ofDataset.panel()).toMatchObject({ ap: 1 });
  const made = await fixture.tell('POST', `/acme/${project}/generate`, {
    preprocessing: { resize: { width: 256, height: 256, format: 'Stretch to' } },
    augmentation: {},
  });
  await fixture.ended(String(made.body.taskId));
  const four = standing.map((value, at) => (at % 3 === 2 ? value : value * 4));
  const predictions = file([{ ...result(1, 0.9, four), category_id: 1 }]);
  const version = Number(made.body.version);
  const { panel } = await judged(fixture, project, { version, predictions });
  // Sizes are those of the original: 40 x 40.
  expect(await panel()).toMatchObject({ ap: 1, bySize: { medium: { groundTruths: 1, ap: 1 } } });
});

it('mends the class of keypoints, and no more', async () => {
  const fixture = labelling();
  const project = await posed(fixture, [
    { keypoints: standing },
    { keypoints: standing, label: 'other' },
  ]);
  const predictions = file([result('0.png', 0.9, standing), result('1.png', 0.9, standing)]);
  const asked = { query: '*', predictions, confidence: 0.5 };
  const { at, panel } = await judged(fixture, project, asked);
  expect(await panel({ panel: 'label_mistakes' })).toMatchObject({ mistakes: { swapped: 1 } });
  const { client } = fixture.platform;
  const { body } = await client.call(evaluations.evaluations_mend, { ...at, only: 'swapped' });
  expect(body).toMatchObject({ labels: 1 });
  const placed = client.call(evaluations.evaluations_mend, { ...at, only: 'badly_placed' });
  await expect(placed).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('is swapped for outlines and keypoints') },
  });
});

it('refuses what has no keypoints, or others', async () => {
  const fixture = labelling();
  const bare = await posed(fixture, [{}]);
  const predictions = file([result('0.png', 0.9, standing)]);
  expect((await judged(fixture, bare, { query: '*', predictions })).task).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('finds 1 images, and they have no keypoints'),
  });
  const project = await posed(fixture, [{ keypoints: standing }]);
  const failed = async (entries: unknown) =>
    (await judged(fixture, project, { query: '*', predictions: file(entries) })).task;
  expect(await failed([result('0.png', 0.9, [...standing, 1, 1, 2])])).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('[0].keypoints: has 3 keypoints; known are 2: "head", "foot"'),
  });
  expect(await failed([result('0.png', 0.9, [0.3, 0.2, 2, 0.3, 0.7, 2])])).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('each keypoint is below 1 pixel'),
  });
  const boxes = [{ image_id: '0.png', category_id: 'cell', score: 0.5, bbox: [0, 0, 9, 9] }];
  await expect(failed(boxes)).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('[0].keypoints: must be [x, y, visibility') },
  });
  await expect(judged(fixture, project, { query: '*' })).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('model: gives boxes, which a project of the') },
  });
});

it('reads YOLO text of poses, with visibility and without', async () => {
  const fixture = labelling();
  const project = await posed(fixture, [{ keypoints: standing }, { keypoints: standing }]);
  const share = (pixels: number) => pixels / 64;
  const head = [share(20), share(10)];
  const foot = [share(20), share(46)];
  const box = [share(28), share(28), share(40), share(40)];
  const folder = (...texts: readonly string[]) => ({
    name: 'labels',
    content: new TextEncoder().encode(
      JSON.stringify({
        files: texts.map((text, place) => ({ name: `${place}.txt`, text })),
        classes: { 0: 'cell' },
      }),
    ),
  });
  const lines = [[...head, 0.9, ...foot, 0.8].join(' '), [...head, ...foot].join(' ')];
  const predictions = folder(...lines.map((line) => `0 ${box.join(' ')} ${line} 0.75`));
  const { panel } = await judged(fixture, project, { query: '*', predictions });
  expect(await panel()).toMatchObject({ ap: 1, detections: 2 });
  await expect(
    judged(fixture, project, { query: '*', predictions: folder(`0 ${box.join(' ')} 0.75`) }),
  ).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('x y visibility of each keypoint, confidence') },
  });
});
