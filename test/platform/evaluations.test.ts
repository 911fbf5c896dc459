// Evaluations of a model and of files of predictions, through the API of the platform.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { deployment } from '../../src/contract/deployment.ts';
import { evaluations } from '../../src/contract/evaluations.ts';
import { search } from '../../src/contract/search.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { trainerProgram } from './isolation/owned-resources.ts';
import { file } from './judged-predictions.ts';
import { type Asked, evaluated, saying, send, squares, version, voc } from './judged-squares.ts';
import { redAt, sharedLabelling, squaresModel, startLabelling } from './platform-with-model.ts';

const labelling = sharedLabelling({ model: squaresModel });

it('judges the configured model by what a query finds', async () => {
  const fixture = labelling();
  const plain = await redAt(3);
  const judged = await squares(fixture, [{ name: 'unlabelled.png', image: plain }]);
  const { task, panel, evaluationId } = await evaluated(fixture, judged, { query: 'split:test' });
  expect(task).toMatchObject({
    status: 'completed',
    progress: { current: 3, total: 3 },
    result: { evaluationId, ap50: 0.2525 },
  });
  expect(await panel()).toMatchObject({
    panel: 'summary',
    status: 'completed',
    model: 'local',
    query: 'split:test',
    images: 3,
    unannotated: 1,
    groundTruths: 3,
    detections: 3,
    // Of two reds one is found, at every IoU; the blue is not.
    ap: 0.2525,
    ap50: 0.2525,
    best: { truePositives: 1, falsePositives: 2, misses: 2, f1: 0.3333 },
    bySize: { small: { groundTruths: 3 }, medium: { ap: null }, large: { ap: null } },
  });
  expect(await panel({ panel: 'per_class' })).toMatchObject({
    total: 2,
    classes: [
      { class: 'blue', groundTruths: 1, ap: 0, precision: 0, recall: 0, bestConfidence: null },
      { class: 'red', groundTruths: 2, ap: 0.505, precision: 1, recall: 0.5, f1: 0.6667 },
    ],
  });
  expect(await panel({ panel: 'confusion_matrix' })).toMatchObject({
    matrix: {
      labels: ['blue', 'red', 'background'],
      counts: [
        [0, 0, 1],
        [1, 1, 0],
        [1, 0, 0],
      ],
    },
    total: 3,
    confusions: [
      { truth: 'blue', found: 'background', count: 1 },
      { truth: 'red', found: 'blue', count: 1 },
      { truth: 'background', found: 'blue', count: 1 },
    ],
  });
  const { points } = await panel({ panel: 'confidence_sweep', class: 'red' });
  expect(points?.at(10)).toMatchObject({ confidence: 0.5, precision: 1, recall: 0.5 });
  expect(await panel({ panel: 'by_size' })).toMatchObject({
    bySize: { small: { ap: 0.2525 } },
    classes: [{ bySize: { small: { ap: 0 } } }, { bySize: { small: { ap: 0.505 } } }],
  });
  const { body } = await judged.client.call(evaluations.evaluations_list, judged.at);
  expect(body.evaluations).toMatchObject([{ evaluationId, model: 'local', ap50: 0.2525 }]);
});

it('shows the images with most errors, of all classes or one, and draws them', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { panel } = await evaluated(fixture, judged, { query: 'split:test', model: 'local' });
  const all = await panel({ panel: 'images', picture: true });
  expect(all).toMatchObject({
    total: 3,
    results: [
      { image: 'wrong.png', truePositives: 0, falsePositives: 1, misses: 1 },
      { image: 'missed.png', truePositives: 0, falsePositives: 1, misses: 1 },
      { image: 'right.png', truePositives: 1, falsePositives: 0, misses: 0 },
    ],
    contentType: 'image/jpeg',
  });
  expect(
    Buffer.from(all.sheet ?? '', 'base64')
      .subarray(0, 2)
      .toString('hex'),
  ).toBe('ffd8');
  const red = await panel({ panel: 'images', class: 'red', limit: 1, offset: 1 });
  expect(red).toMatchObject({ total: 2, results: [{ image: 'right.png', truePositives: 1 }] });
  await expect(panel({ panel: 'images', class: 'green' })).rejects.toMatchObject(
    saying('is none of the labels: "blue", "red"'),
  );
});

it('shows the images behind a cell of the matrix, and finds images as an evaluation judged them', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { panel, evaluationId } = await evaluated(fixture, judged, { query: 'split:test' });
  const cell = async (name: string, found: string) => {
    const { results = [] } = await panel({ panel: 'images', class: name, found });
    return results.map(({ image }) => image);
  };
  expect(await cell('red', 'blue')).toEqual(['wrong.png']);
  expect(await cell('red', 'red')).toEqual(['right.png']);
  expect(await cell('blue', 'background')).toEqual(['missed.png']);
  expect(await cell('background', 'blue')).toEqual(['missed.png']);
  expect(await cell('background', 'red')).toEqual([]);
  await expect(cell('red', 'green')).rejects.toMatchObject(saying('is none of the labels'));
  await expect(panel({ panel: 'images', found: 'red' })).rejects.toMatchObject(
    saying('goes with class'),
  );
  const both = { panel: 'images', class: 'red', found: 'blue', only: 'misses' };
  await expect(panel(both)).rejects.toMatchObject(saying('goes without only'));
  const found = async (wanted: string) => {
    const query = `project:${judged.project} evaluation:${evaluationId}${wanted} sort:name`;
    const { body } = await judged.client.call(search.workspace_search, {
      workspace: 'acme',
      query,
    });
    return body.results.map(({ name }) => name);
  };
  expect(await found('')).toEqual(['missed.png', 'right.png', 'wrong.png']);
  expect(await found('/errors')).toEqual(['missed.png', 'wrong.png']);
  expect(await found('/misses/red')).toEqual(['wrong.png']);
  expect(await found('/false_positives/red')).toEqual([]);
  expect(await found('/red>blue')).toEqual(['wrong.png']);
  expect(await found('/blue>')).toEqual(['missed.png']);
  expect(await found('/>blue')).toEqual(['missed.png']);
  expect(await found('/swapped/blue')).toEqual(['wrong.png']);
  expect(await found('/overlooked/red')).toEqual([]);
  expect(await found('/mistakes')).toContain('wrong.png');
  expect(await found('/overlooked>=0.5')).toEqual([]);
  expect(await found('/red>blue filename:right.png')).toEqual([]);
});

it('draws the confusion matrix and the sweep', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { panel } = await evaluated(fixture, judged, { query: 'split:test' });
  const sizeOf = async (wanted: object) => {
    const { sheet = '' } = await panel({ ...wanted, picture: true });
    const { width, height } = await sharp(Buffer.from(sheet, 'base64')).metadata();
    return [width, height];
  };
  // Two classes and the background.
  expect(await sizeOf({ panel: 'confusion_matrix' })).toEqual([478, 188]);
  expect(await sizeOf({ panel: 'confidence_sweep' })).toEqual([680, 440]);
  expect(await sizeOf({ panel: 'confidence_sweep', class: 'red' })).toEqual([680, 440]);
});

it('finds labels that are probably wrong, draws them and tags their images', async () => {
  const fixture = labelling();
  const twice = {
    name: 'twice.png',
    image: await redAt(7),
    objects: [['red', 7] as const, ['red', 7] as const],
  };
  const judged = await squares(fixture, [twice]);
  const number = await version(fixture, judged);
  const { panel, evaluationId } = await evaluated(fixture, judged, {
    version: number,
    model: 'local',
  });
  const shown = await panel({ panel: 'label_mistakes', picture: true });
  expect(shown).toMatchObject({
    total: 3,
    mistakes: { swapped: 1, overlooked: 1, duplicate: 1 },
    contentType: 'image/jpeg',
  });
  const found = new Map(shown.mislabelled?.map(({ image, mistakes }) => [image, mistakes]));
  expect(found.get('wrong.png')).toMatchObject([
    { kind: 'swapped', label: 'red', found: 'blue', labelBox: { x: 40, y: 8, width: 16 } },
  ]);
  expect(found.get('missed.png')).toMatchObject([
    { kind: 'overlooked', found: 'blue', box: { x: 24, y: 40, width: 16, height: 16 } },
  ]);
  expect(found.get('twice.png')).toMatchObject([{ kind: 'duplicate', score: 1, label: 'red' }]);
  expect(await panel({ panel: 'label_mistakes', class: 'red', only: 'swapped' })).toMatchObject({
    total: 1,
    mistakes: { swapped: 1 },
    mislabelled: [{ image: 'wrong.png', imageId: expect.any(String), total: 1 }],
  });
  expect(await panel({ panel: 'images', only: 'misses', class: 'blue' })).toMatchObject({
    total: 1,
    results: [{ image: 'missed.png' }],
  });
  await expect(panel({ panel: 'images', only: 'swapped' })).rejects.toMatchObject(
    saying('only: of the panel images is one of misses, false_positives'),
  );
  const tag = async (wanted: { only?: 'misses'; class?: string; tag: string }) => {
    const asked = { ...judged.at, evaluationId, ...wanted };
    const { body } = await judged.client.call(evaluations.evaluations_tag, asked);
    await fixture.ended(String(body.taskId));
    const query = `project:${judged.project} tag:${wanted.tag}`;
    const { body: have } = await fixture.tell('POST', '/acme/search/v1', { query });
    return [body.images, body.total, Number(have.total)];
  };
  expect(await tag({ tag: 'mend' })).toEqual([3, 3, 3]);
  // A label that is there twice is missed once.
  const missed = { only: 'misses', class: 'red', tag: 'missed' } as const;
  expect(await tag(missed)).toEqual([2, 2, 2]);
});

it('judges the deployed model that was trained here', async () => {
  const fixture = await startLabelling({ trainer: await copyingTrainer() });
  const judged = await squares(fixture);
  const number = await version(fixture, judged);
  const { at, client, project } = judged;
  const started = await fixture.tell('POST', `/acme/${project}/${number}/v2/trainings`, {});
  const trainingId = String(started.body.trainingId);
  expect(await fixture.ended(trainingId)).toMatchObject({ status: 'completed' });
  const modelId = `${project}/${number}/${trainingId}`;
  const model = { type: 'model_id', modelId } as const;
  await client.call(deployment.deployment_set_model, { ...at, model });
  const { panel } = await evaluated(fixture, judged, { version: number });
  expect(await panel()).toMatchObject({ model: modelId, split: 'test', ap: 0.2525, images: 3 });
  const trained = { project, version: number, trainingId, modelType: 'custom', split: 'train' };
  expect(await panel()).toMatchObject({ trained });
  const { body } = await client.call(evaluations.evaluations_create, { ...at, version: number });
  expect(body).toMatchObject({ model: modelId, trained });
});

/** A trainer whose model finds red and blue squares, without having learned. */
async function copyingTrainer() {
  const program = join(await temporaryFolder(), 'trainer.mjs');
  await writeFile(program, trainerProgram(squaresModel));
  return { path: process.execPath, args: [program], name: 'copy' };
}

it('judges predictions of a file by a split of a version, twice with the same figures', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const number = await version(fixture, judged, { width: 32, height: 32, format: 'Stretch to' });
  const results = [
    // By the ids of the COCO export, whose images have half of the size.
    { image_id: 1, category_id: 2, bbox: [8, 8, 8, 8], score: 0.9 },
    { image_id: 2, category_id: 2, bbox: [16, 0, 8, 8], score: 0.8 },
    { image_id: 3, category_id: 1, bbox: [0, 0, 8, 8], score: 0.7 },
    { image_id: 9, category_id: 1, bbox: [0, 0, 8, 8], score: 0.7 },
    { image_id: 3, category_id: 'green', bbox: [0, 0, 8, 8], score: 0.7 },
  ];
  const asked = { version: number, predictions: file(results) };
  const { panel } = await evaluated(fixture, judged, asked);
  const summary = await panel();
  expect(summary).toMatchObject({
    predictions: 'results.json',
    version: number,
    split: 'test',
    ap: 1,
    best: { f1: 1, falsePositives: 0, misses: 0 },
    notJudged: {
      ofUnknownImages: { count: 1, examples: ['9'] },
      ofUnknownClasses: { green: 1 },
    },
  });
  const again = await evaluated(fixture, judged, asked);
  const { evaluationId: _one, taskId: _two, created: _three, ...figures } = summary;
  expect(await again.panel()).toMatchObject(figures);
});

it('measures sizes in pixels of the original', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const number = await version(fixture, judged, { width: 256, height: 256, format: 'Stretch to' });
  const results = [{ image_id: 1, category_id: 2, bbox: [64, 64, 64, 64], score: 0.9 }];
  const { panel } = await evaluated(fixture, judged, {
    version: number,
    predictions: file(results),
  });
  // 16 x 16 in the original, 64 x 64 in the version.
  expect(await panel()).toMatchObject({
    bySize: { small: { groundTruths: 3 }, medium: { groundTruths: 0 } },
  });
});

it('recommends what to do, each with calls that can be sent', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const number = await version(fixture, judged);
  const asked = { version: number, model: 'local' };
  const { panel, evaluationId } = await evaluated(fixture, judged, asked);
  const { recommendations = [], total } = await panel({ panel: 'recommendations' });
  expect(total).toBe(recommendations.length);
  expect(recommendations.map(({ name }) => name)).toEqual([
    'dataset_health',
    'all_low',
    'class_imbalance',
    'class_imbalance',
    'missed_detection',
    'wrong_class',
  ]);
  const which = { project: judged.project, evaluationId };
  const found = new Map(recommendations.map((one) => [one.name, one]));
  expect(found.get('missed_detection')).toMatchObject({
    level: 'advice',
    class: 'blue',
    figures: { misses: 1, labels: 1, recall: 0 },
    look: {
      tool: 'evaluations_get',
      arguments: { ...which, panel: 'images', class: 'blue', only: 'misses', picture: true },
    },
    next: { tool: 'evaluations_tag', arguments: { ...which, only: 'misses', tag: 'missed' } },
  });
  expect(found.get('wrong_class')).toMatchObject({ class: 'red', other: 'blue' });
  expect(found.get('dataset_health')).toMatchObject({ level: 'warning', figures: { test: 3 } });
});

it('warns where a model is judged by images that it was trained on, and of leaks', async () => {
  const fixture = labelling();
  const project = await fixture.newProject('Trained');
  const picture = await redAt(5);
  const objects = [['red', 5]] as const;
  await send(fixture, project, { name: 'a.png', image: picture, objects }, 'train');
  const image = await sharp(picture).resize(96, 96).jpeg().toBuffer();
  await send(fixture, project, { name: 'b.jpg', image, objects }, 'test');
  const { client } = fixture.platform;
  const at = { workspace: 'acme', project };
  const { panel } = await evaluated(fixture, { project, client, at }, { query: '*' });
  const { recommendations = [] } = await panel({ panel: 'recommendations' });
  expect(recommendations.slice(0, 2)).toMatchObject([
    {
      name: 'judged_on_training_images',
      level: 'warning',
      figures: { trainedOn: 1, images: 2, isTrainingKnown: false },
      next: { tool: 'evaluations_create', arguments: { project, query: 'split:test' } },
    },
    {
      name: 'leak_across_splits',
      figures: { groups: 1 },
      next: {
        tool: 'projects_rebalance_splits',
        arguments: { project, splits: { train: 1, valid: 0, test: 1 } },
      },
    },
  ]);
});

it('compares two evaluations of the same images, class by class and image by image', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { client, at } = judged;
  const before = await evaluated(fixture, judged, { query: 'split:test', model: 'local' });
  const results = [
    { image_id: 'right.png', category_id: 'blue', bbox: [16, 16, 16, 16], score: 0.9 },
    { image_id: 'wrong.png', category_id: 'red', bbox: [32, 0, 16, 16], score: 0.8 },
    { image_id: 'missed.png', category_id: 'blue', bbox: [0, 0, 16, 16], score: 0.7 },
  ];
  const asked = { query: 'split:test', predictions: file(results) };
  const after = await evaluated(fixture, judged, asked);
  const compare = async (evaluationId: string, baseline: string) =>
    (await client.call(evaluations.evaluations_compare, { ...at, evaluationId, baseline })).body;
  const compared = await compare(after.evaluationId, before.evaluationId);
  expect(compared).toMatchObject({
    baseline: { model: 'local', ap50: 0.2525 },
    compared: { predictions: 'results.json', ap50: 0.5025 },
    classes: [
      { class: 'blue', change: 0.5, before: { ap: 0 }, after: { ap: 0.5 } },
      { class: 'red', change: 0, before: { recall: 0.5 }, after: { recall: 0.5 } },
    ],
    images: { better: 2, worse: 1, same: 0 },
    total: 3,
    changed: [
      {
        image: 'right.png',
        before: { truePositives: 1, falsePositives: 0, misses: 0 },
        after: { truePositives: 0, falsePositives: 1, misses: 1 },
      },
      { image: 'wrong.png', after: { misses: 0 } },
      { image: 'missed.png', after: { falsePositives: 0 } },
    ],
  });
  expect(compared.labelsDiffer).toBeUndefined();
  // Somebody mends a label between the two.
  const [mended] = Object(
    (
      await fixture.tell('POST', '/acme/search/v1', {
        query: `project:${judged.project} filename:missed.png`,
        fields: ['id'],
      })
    ).body,
  ).results;
  const path = `/dataset/${judged.project}/annotate/${mended.id}?name=a.xml&overwrite=true`;
  await fixture.tell('POST', path, {
    annotationFile: voc([
      ['blue', 0],
      ['blue', 9],
    ]),
  });
  const later = await evaluated(fixture, judged, { query: 'split:test', model: 'local' });
  expect(await compare(later.evaluationId, before.evaluationId)).toMatchObject({
    labelsDiffer: true,
    images: { better: 1, worse: 0, same: 2 },
  });
  const fewer = await evaluated(fixture, judged, { query: 'split:test filename:right.png' });
  await expect(compare(after.evaluationId, fewer.evaluationId)).rejects.toMatchObject(
    saying('has other images: 0 images are in the baseline alone, 2 in the other'),
  );
});

it('deletes an evaluation with its images, once it is done', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { panel, evaluationId } = await evaluated(fixture, judged, {
    query: 'split:test',
    predictions: file([]),
  });
  const which = { ...judged.at, evaluationId };
  await judged.client.call(evaluations.evaluations_delete, which);
  await expect(panel()).rejects.toMatchObject(saying('There is no evaluation'));
  const { body } = await judged.client.call(evaluations.evaluations_list, judged.at);
  expect(body.evaluations).toEqual([]);
});

it('refuses what cannot be judged, before anything begins', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const number = await version(fixture, judged);
  const create = (asked: Asked) =>
    judged.client.call(evaluations.evaluations_create, { ...judged.at, ...asked });
  await expect(create({})).rejects.toMatchObject(
    saying('version: give either a version or a query'),
  );
  await expect(create({ version: 77 })).rejects.toMatchObject(saying('There is no version "77"'));
  await expect(create({ query: 'class:nothing' })).rejects.toMatchObject(
    saying('query: finds no image'),
  );
  await expect(create({ query: 'split:test', split: 'test' })).rejects.toMatchObject(
    saying('split: goes with'),
  );
  await expect(create({ version: number, model: 'judged/9' })).rejects.toMatchObject(
    saying('There is no model'),
  );
  const both = { version: number, model: 'local', predictions: file([]) };
  await expect(create(both)).rejects.toMatchObject(saying('model: give either a model or a file'));
  const nothing = { version: number, split: 'valid', predictions: file([]) } as const;
  await expect(create(nothing)).rejects.toMatchObject(
    saying(`the split valid of version ${number} has no images`),
  );
  const { task } = await evaluated(fixture, judged, { version: number, split: 'valid' });
  expect(task).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(`the split valid of version ${number} has no images`),
  });
});
