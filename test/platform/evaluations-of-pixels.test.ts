// Evaluations of semantic segmentation through the API of the platform: pixels are judged.

import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { evaluations } from '../../src/contract/evaluations.ts';
import { maskFinder, pixelPainter, red, squaresOn } from '../fixtures/onnx-models.ts';
import { file, judged } from './judged-predictions.ts';
import { saying } from './judged-squares.ts';
import {
  type Labelling,
  modelFile,
  redAt,
  sharedLabelling,
  squaresModel,
  startLabelling,
} from './platform-with-model.ts';

const labelling = sharedLabelling({ model: squaresModel });

const square = (left: number, top: number, side = 16) => [
  ...[left, top, left + side, top],
  ...[left + side, top + side, left, top + side],
];

interface Label {
  readonly name: string;
  readonly outline: readonly number[];
}

/** Images of 64 x 64 in the split test, each with these labels in their order. */
async function labelled(fixture: Labelling, images: readonly (readonly Label[])[]) {
  const project = await fixture.newProject('Pixels', 'semantic-segmentation');
  for (const [place, labels] of images.entries()) {
    const name = `${place}.png`;
    const id = await fixture.send(project, await redAt(place), { name, split: 'test' });
    const document = {
      images: [{ id: 1, file_name: name, width: 64, height: 64 }],
      categories: [
        { id: 1, name: 'cell' },
        { id: 2, name: 'core' },
      ],
      annotations: labels.map((one, at) => ({
        id: at + 1,
        image_id: 1,
        category_id: one.name === 'cell' ? 1 : 2,
        segmentation: [one.outline],
      })),
    };
    await fixture.tell('POST', `/dataset/${project}/annotate/${id}?name=a.json`, {
      annotationFile: JSON.stringify(document),
    });
  }
  return project;
}

/** A rectangle as runs down the columns of an image of 64 x 64. */
function runs(left: number, top: number, width: number, height: number) {
  const counts = [left * 64 + top];
  for (let column = 1; column < width; column++) counts.push(height, 64 - height);
  counts.push(height, 64 * 64 - ((left + width - 1) * 64 + top + height));
  return { size: [64, 64], counts };
}

const result = (image_id: string, category_id: string, segmentation: unknown, score = 1) => ({
  image_id,
  category_id,
  segmentation,
  score,
});

it('judges the class of each pixel, panel by panel', async () => {
  const fixture = labelling();
  const cell = { name: 'cell', outline: square(16, 16) };
  const core = { name: 'core', outline: square(24, 24, 8) };
  const project = await labelled(fixture, [[cell], [cell, core]]);
  const { panel, task } = await judged(fixture, project, {
    query: 'split:test',
    predictions: file([
      // Half of it, and as much beside it.
      result('0.png', 'cell', runs(16, 24, 16, 16)),
      // The cell lies above the core, which is found with a lower score.
      result('1.png', 'core', runs(24, 24, 8, 8), 0.8),
      result('1.png', 'cell', runs(16, 16, 16, 16), 0.9),
      result('1.png', 'core', runs(0, 0, 64, 64), 0.3),
    ]),
  });
  expect(task).toMatchObject({ status: 'completed' });
  const cellIou = (128 + 192) / (256 + 192 + 512 - 320);
  const background = (3712 + 3840) / (3840 + 128 + 3840);
  const rounded = (figure: number) => Math.round(figure * 1e4) / 1e4;
  expect(await panel()).toMatchObject({
    modelTask: 'semantic',
    images: 2,
    groundTruths: 3,
    detections: 3,
    meanIou: rounded((cellIou + 0 + background) / 3),
    meanIouOfClasses: rounded(cellIou / 2),
    pixelAccuracy: rounded((128 + 192 + 3712 + 3840) / 8192),
    meanAccuracy: rounded((320 / 448 + 0 + (3712 + 3840) / 7680) / 3),
    frequencyWeightedIou: rounded((448 * cellIou + 7680 * background) / 8192),
  });
  expect(await panel({ panel: 'per_class' })).toMatchObject({
    total: 2,
    classes: [
      { class: 'core', groundTruths: 1, pixels: 64, iou: 0, precision: null, recall: 0 },
      { class: 'cell', groundTruths: 2, pixels: 448, iou: rounded(cellIou) },
    ],
  });
  expect(await panel({ panel: 'confusion_matrix' })).toMatchObject({
    matrix: {
      labels: ['cell', 'core', 'background'],
      counts: [
        [320, 0, 128],
        [64, 0, 0],
        [128, 0, 7552],
      ],
    },
  });
  const shown = await panel({ panel: 'images', picture: true });
  expect(shown.results).toMatchObject([
    { image: '0.png', truePositives: 128, falsePositives: 128, misses: 128 },
    { image: '1.png', truePositives: 192, falsePositives: 64, misses: 64 },
  ]);
  const { width } = await sharp(Buffer.from(shown.sheet ?? '', 'base64')).metadata();
  expect(width).toBeGreaterThan(200);
  expect(await panel({ panel: 'images', class: 'core', found: 'cell' })).toMatchObject({
    total: 1,
    results: [{ image: '1.png' }],
  });
  const { recommendations = [] } = await panel({ panel: 'recommendations' });
  expect(recommendations.map(({ name }) => name)).toContain('class_imbalance');
  for (const other of ['by_size', 'confidence_sweep', 'label_mistakes']) {
    await expect(panel({ panel: other })).rejects.toMatchObject(saying(`${other} is of objects`));
  }
});

it('gives 1 for predictions that are the labels, and the same whatever their order', async () => {
  const fixture = labelling();
  const cell = { name: 'cell', outline: square(16, 16) };
  const core = { name: 'core', outline: square(24, 24, 8) };
  const project = await labelled(fixture, [[cell, core], [core]]);
  const right = [
    result('0.png', 'cell', runs(16, 16, 16, 16), 0.8),
    result('0.png', 'core', runs(24, 24, 8, 8), 0.9),
    result('1.png', 'core', runs(24, 24, 8, 8), 0.9),
  ];
  const query = 'split:test';
  const one = await judged(fixture, project, { query, predictions: file(right) });
  const other = await judged(fixture, project, { query, predictions: file(right.toReversed()) });
  const whole = { meanIou: 1, pixelAccuracy: 1, meanAccuracy: 1, frequencyWeightedIou: 1 };
  expect(await one.panel()).toMatchObject(whole);
  expect(await other.panel()).toMatchObject(whole);
  const less = await judged(fixture, project, { query, predictions: file(right.slice(1)) });
  const { body } = await fixture.platform.client.call(evaluations.evaluations_compare, {
    ...less.at,
    baseline: one.at.evaluationId,
  });
  // The cell has 192 pixels that its core does not cover; all of them are the background now.
  expect(body).toMatchObject({
    baseline: { meanIou: 1 },
    classes: [
      { class: 'cell', change: -1, before: { iou: 1 }, after: { iou: 0 } },
      { class: 'core', change: 0 },
    ],
    images: { better: 0, worse: 1, same: 1 },
    changed: [{ image: '0.png', before: { misses: 0 }, after: { misses: 192 } }],
  });
});

it('judges by the version as it is exported, in its pixels', async () => {
  const fixture = labelling();
  const project = await labelled(fixture, [[{ name: 'cell', outline: square(16, 16) }]]);
  const resize = { width: 128, height: 128, format: 'Stretch to' };
  const made = await fixture.tell('POST', `/acme/${project}/generate`, {
    preprocessing: { resize },
    augmentation: {},
  });
  await fixture.ended(String(made.body.taskId));
  const { panel } = await judged(fixture, project, {
    version: 1,
    predictions: file([
      { image_id: 1, category_id: 1, score: 1, segmentation: [square(32, 32, 32)] },
    ]),
  });
  expect(await panel()).toMatchObject({ status: 'completed', meanIou: 1 });
  expect(await panel({ panel: 'per_class' })).toMatchObject({ classes: [{ pixels: 1024 }] });
});

it('refuses a model that gives boxes, and says what would be right', async () => {
  const fixture = labelling();
  const project = await labelled(fixture, [[{ name: 'cell', outline: square(16, 16) }]]);
  await expect(judged(fixture, project, { query: 'split:test' })).rejects.toMatchObject(
    saying('a project of the type semantic-segmentation cannot take'),
  );
});

it('runs a model of outlines, from the confidence with which it is deployed', async () => {
  const fixture = await startLabelling({ model: await modelFile(maskFinder()) });
  const project = await fixture.newProject('Red', 'semantic-segmentation');
  const dim = { left: 48, top: 48, colour: { r: 160, g: 0, b: 0 } };
  const id = await fixture.send(project, await redAt(5, [dim]), { name: 'a.png', split: 'test' });
  const document = {
    images: [{ id: 1, file_name: 'a.png', width: 64, height: 64 }],
    categories: [{ id: 1, name: 'red' }],
    annotations: [{ id: 1, image_id: 1, category_id: 1, segmentation: [square(16, 16)] }],
  };
  const annotationFile = JSON.stringify(document);
  await fixture.tell('POST', `/dataset/${project}/annotate/${id}?name=a.json`, { annotationFile });
  const surest = await judged(fixture, project, { query: 'split:test', confidence: 0.7 });
  // An outline that is traced between cells cuts off corners: 254 of 256 pixels.
  expect(await surest.panel()).toMatchObject({
    status: 'completed',
    detections: 1,
    meanIou: 0.9958,
    judgedBy: 'class of each pixel, by objects from confidence 0.7',
  });
  const usual = await judged(fixture, project, { query: 'split:test' });
  expect(await usual.panel()).toMatchObject({ confidence: 0.4, detections: 2 });
  // The mask of a dim square is smaller.
  const of = { truePositives: 254, falsePositives: 224, misses: 2 };
  expect(await usual.panel({ panel: 'images' })).toMatchObject({ results: [of] });
});

describe('a model of pixels', () => {
  const start = async () => startLabelling({ model: await modelFile(pixelPainter()) });

  it('is judged on the split of a version by every pixel, also in holes', async () => {
    const fixture = await start();
    const project = await fixture.newProject('Painted', 'semantic-segmentation');
    const ring = [
      { left: 8, top: 8, width: 32, height: 32, colour: red },
      { left: 16, top: 16, colour: { r: 0, g: 0, b: 0 } },
    ];
    const name = 'ring.png';
    const more = { name, split: 'test' };
    const id = await fixture.send(project, await squaresOn(64, 64, ring), more);
    const document = {
      images: [{ id: 1, file_name: name, width: 64, height: 64 }],
      categories: [{ id: 1, name: 'red' }],
      annotations: [{ id: 1, image_id: 1, category_id: 1, segmentation: [square(8, 8, 32)] }],
    };
    await fixture.tell('POST', `/dataset/${project}/annotate/${id}?name=a.json`, {
      annotationFile: JSON.stringify(document),
    });
    const made = await fixture.tell('POST', `/acme/${project}/generate`, {
      preprocessing: {},
      augmentation: {},
    });
    await fixture.ended(String(made.body.taskId));
    const asked = { version: 1, split: 'test', model: 'local' };
    const { panel, task } = await judged(fixture, project, asked);
    expect(task).toMatchObject({ status: 'completed' });
    const rounded = (figure: number) => Math.round(figure * 1e4) / 1e4;
    // The label covers the hole: 256 of its 1,024 pixels are missed.
    expect(await panel()).toMatchObject({
      modelTask: 'semantic',
      detections: 1,
      judgedBy: 'class of each pixel, as the model gives it',
      pixelAccuracy: rounded((4096 - 256) / 4096),
      meanIouOfClasses: 0.75,
      meanIou: rounded((0.75 + 3072 / 3328) / 2),
    });
    expect(await panel({ panel: 'confusion_matrix' })).toMatchObject({
      matrix: {
        labels: ['red', 'background'],
        counts: [
          [768, 256],
          [0, 3072],
        ],
      },
    });
    await expect(judged(fixture, project, { ...asked, confidence: 0.5 })).rejects.toMatchObject(
      saying('gives the class of each pixel: leave it out'),
    );
  });

  it('is refused where objects are told apart', async () => {
    const fixture = await start();
    for (const type of ['object-detection', 'instance-segmentation']) {
      const project = await fixture.newProject('Objects', type);
      await fixture.annotate(
        project,
        await fixture.send(project, await redAt(1), { name: 'a.png' }),
      );
      await expect(judged(fixture, project, { query: '*', model: 'local' })).rejects.toMatchObject(
        saying(`gives the class of each pixel, which a project of the type ${type} cannot take`),
      );
    }
  });

  it('labels pieces by Auto Label', async () => {
    const fixture = await start();
    const project = await fixture.newProject('Labelled', 'semantic-segmentation');
    const id = await fixture.upload(project, await redAt(5));
    const { body } = await fixture.tell('POST', `/acme/${project}/autolabel`, {
      modelType: 'local',
      batchId: await fixture.batchOf(project),
      ontology: { red: 'cell' },
    });
    await fixture.ended(String(body.taskId));
    const { annotation } = await fixture.image(project, id);
    const [box] = annotation.boxes;
    expect(box).toMatchObject({ label: 'cell', x: 24, y: 24, width: 16, height: 16 });
    expect(box.points.length).toBeGreaterThanOrEqual(4);
  });
});
