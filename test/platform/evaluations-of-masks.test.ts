// Evaluations of instance segmentation through the API of the platform: masks are judged.

import sharp from 'sharp';
import { expect, it } from 'vitest';
import { evaluations } from '../../src/contract/evaluations.ts';
import { file, judged } from './judged-predictions.ts';
import { type Labelling, redAt, sharedLabelling, squaresModel } from './platform-with-model.ts';

const labelling = sharedLabelling({ model: squaresModel });

const square = [16, 16, 32, 16, 32, 32, 16, 32];
/** Two thirds of the square of its box. */
const wedge = [0, 0, 32, 0, 32, 10, 0, 32];
const box = [0, 0, 32, 0, 32, 32, 0, 32];

/** Images of 64 x 64 with an outline each, in the split test. */
async function outlined(fixture: Labelling, outlines: readonly (readonly number[] | undefined)[]) {
  const project = await fixture.newProject('Outlined', 'instance-segmentation');
  for (const [place, outline] of outlines.entries()) {
    await sendOutlined(fixture, project, { place, label: 'cell', outline });
  }
  return project;
}

interface Outlined {
  readonly place: number;
  readonly label: string;
  /** Undefined: a box. */
  readonly outline: readonly number[] | undefined;
}

async function sendOutlined(fixture: Labelling, project: string, sent: Outlined) {
  const { place, label, outline } = sent;
  const name = `${place}.png`;
  const id = await fixture.send(project, await redAt(place), { name, split: 'test' });
  const shape = outline ? { segmentation: [outline] } : { bbox: [0, 0, 32, 32] };
  const document = {
    images: [{ id: 1, file_name: name, width: 64, height: 64 }],
    categories: [{ id: 1, name: label }],
    annotations: [{ id: 1, image_id: 1, category_id: 1, ...shape }],
  };
  await fixture.tell('POST', `/dataset/${project}/annotate/${id}?name=a.json`, {
    annotationFile: JSON.stringify(document),
  });
}

function result(image_id: string | number, score: number, segmentation: unknown) {
  return { image_id, category_id: 'cell', score, segmentation };
}

it('judges masks by their pixels, where boxes would be the same', async () => {
  const fixture = labelling();
  const project = await outlined(fixture, [square, wedge]);
  const { panel } = await judged(fixture, project, {
    query: 'split:test',
    predictions: file([
      // 16 columns of 16 pixels, from column 16 on.
      result('0.png', 0.9, {
        size: [64, 64],
        counts: [16 * 64 + 16, ...Array.from({ length: 31 }, (_, at) => [16, 48][at % 2]), 2080],
      }),
      result('1.png', 0.8, [box]),
    ]),
    confidence: 0.5,
  });
  expect(await panel()).toMatchObject({
    modelTask: 'segmentation',
    images: 2,
    groundTruths: 2,
    detections: 2,
    // The square at every IoU; the wedge is two thirds of what was found.
    ap50: 1,
    ap75: 0.505,
    bySize: { small: { groundTruths: 2 } },
    point: { truePositives: 2, falsePositives: 0 },
  });
  const shown = await panel({ panel: 'images', picture: true });
  const { width } = await sharp(Buffer.from(shown.sheet ?? '', 'base64')).metadata();
  expect(width).toBeGreaterThan(200);
  expect(await panel({ panel: 'label_mistakes' })).toMatchObject({
    mistakes: { badly_placed: 1 },
    mislabelled: [{ image: '1.png', mistakes: [{ labelBox: { width: 32, height: 32 } }] }],
  });
});

it('judges masks in the pixels of a version, and sizes in those of the original', async () => {
  const fixture = labelling();
  const project = await outlined(fixture, [square, wedge]);
  const resize = { width: 256, height: 256, format: 'Stretch to' };
  const made = await fixture.tell('POST', `/acme/${project}/generate`, {
    preprocessing: { resize },
    augmentation: {},
  });
  await fixture.ended(String(made.body.taskId));
  const four = (outline: readonly number[]) => outline.map((pixels) => pixels * 4);
  const numbered = (one: object) => ({ ...one, category_id: 1 });
  const results = [result(1, 0.9, [four(square)]), result(2, 0.8, [four(wedge)])];
  const predictions = file(results.map(numbered));
  const version = Number(made.body.version);
  const { panel } = await judged(fixture, project, { version, predictions });
  expect(await panel()).toMatchObject({
    ap: 1,
    bySize: { small: { groundTruths: 2, ap: 1 }, medium: { groundTruths: 0 } },
  });
  const { task } = await judged(fixture, project, {
    version,
    predictions: file([result(1, 0.9, { size: [64, 64], counts: [4096] })]),
  });
  expect(task).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('segmentation.size: must be [256, 256], the height and width'),
  });
});

it('takes a box for the mask of a label without outline, and says so', async () => {
  const fixture = labelling();
  const project = await outlined(fixture, [square, undefined]);
  const predictions = file([result('0.png', 0.9, [square]), result('1.png', 0.9, [box])]);
  const { task, panel } = await judged(fixture, project, { query: 'split:test', predictions });
  expect(task).toMatchObject({ status: 'completed', result: { withoutOutline: 1 } });
  expect(await panel()).toMatchObject({ ap: 1, withoutOutline: 1 });
  expect(await panel({ panel: 'per_class' })).toMatchObject({ withoutOutline: 1 });
});

it('mends the classes of outlines with fractions, and takes that back', async () => {
  const fixture = labelling();
  const odd = [16.3, 16.7, 32.4, 16.2, 31.6, 32.9, 15.8, 31.1];
  const project = await outlined(fixture, [square, odd, wedge]);
  await sendOutlined(fixture, project, { place: 3, label: 'other', outline: box });
  const results = [square, odd, wedge].map((outline, place) => ({
    ...result(`${place}.png`, 0.9, [outline]),
    category_id: 'other',
  }));
  const asked = { query: 'split:test', predictions: file(results), confidence: 0.5 };
  const { at, panel } = await judged(fixture, project, asked);
  expect(await panel({ panel: 'label_mistakes' })).toMatchObject({ mistakes: { swapped: 3 } });
  const mend = async (undo: boolean) => {
    const wanted = { ...at, only: 'swapped' as const, undo };
    return (await fixture.platform.client.call(evaluations.evaluations_mend, wanted)).body;
  };
  expect(await mend(false)).toMatchObject({ labels: 3, left: { changed: 0 } });
  expect(await mend(false)).toMatchObject({ labels: 0, left: { already: 3 } });
  expect(await mend(true)).toMatchObject({ labels: 3 });
});

it('refuses what has no masks', async () => {
  const fixture = labelling();
  const project = await outlined(fixture, [undefined]);
  const predictions = file([result('0.png', 0.9, [box])]);
  const { task } = await judged(fixture, project, { query: 'split:test', predictions });
  expect(task).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('finds 1 images, and they have no outlines'),
  });
  const boxes = [{ image_id: '0.png', category_id: 'cell', score: 0.5, bbox: [0, 0, 9, 9] }];
  const other = await outlined(fixture, [square]);
  const withBoxes = await judged(fixture, other, {
    query: 'split:test',
    predictions: file(boxes),
  });
  expect(withBoxes.task).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('[0].segmentation: must be polygons or a run-length encoding'),
  });
  await expect(judged(fixture, other, { query: 'split:test' })).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('model: gives boxes, which a project of the') },
  });
  const texts = await fixture.newProject('Texts', 'text-image-pairs');
  await expect(judged(fixture, texts, { query: 'split:test' })).rejects.toMatchObject({
    upstream: {
      message: expect.stringContaining(
        'is of the type text-image-pairs: judged are object-detection, ',
      ),
    },
  });
});
