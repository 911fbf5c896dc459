// Evaluations of classification through the API of the platform: classes of whole images.

import { expect, it } from 'vitest';
import { evaluations } from '../../src/contract/evaluations.ts';
import type { Input } from '../../src/contract/operation.ts';
import { file } from './judged-predictions.ts';
import { type Labelling, redAt, sharedLabelling, squaresModel } from './platform-with-model.ts';

type MendInput = Input<typeof evaluations.evaluations_mend>;

const inEvaluation = evaluations.evaluations_mend.pathParameters.shape;

const labelling = sharedLabelling({ model: squaresModel });

/** Images of the split test with these classes. */
async function classified(fixture: Labelling, type: string, labels: readonly string[][]) {
  const project = await fixture.newProject('Classified', type);
  for (const [place, classes] of labels.entries()) {
    const sent = { name: `${place}.png`, split: 'test' };
    const id = await fixture.send(project, await redAt(place), sent);
    const told = await fixture.tell('POST', `/dataset/${project}/annotate/${id}?name=a.json`, {
      annotationFile: JSON.stringify(classes),
    });
    expect(told.status).toBe(200);
  }
  return project;
}

async function judged(fixture: Labelling, project: string, asked: object) {
  const { client } = fixture.platform;
  const at = { workspace: 'acme', project };
  const given = { query: 'split:test', ...asked };
  const { body } = await client.call(evaluations.evaluations_create, { ...at, ...given });
  const task = await fixture.ended(body.taskId);
  const { evaluationId } = body;
  const panel = async (more: object = {}) =>
    (await client.call(evaluations.evaluations_get, { ...at, evaluationId, ...more })).body;
  return { task, panel, evaluationId, at };
}

function mender({ platform }: Labelling, at: Pick<MendInput, keyof typeof inEvaluation>) {
  return async (wanted: Omit<MendInput, keyof typeof inEvaluation>) =>
    (await platform.client.call(evaluations.evaluations_mend, { ...at, ...wanted })).body;
}

async function labelsOf({ tell }: Labelling, project: string) {
  const asked = { query: `project:${project}`, fields: ['name', 'annotations'] };
  const { body } = await tell('POST', '/acme/search/v1', asked);
  const images = [body.results].flat().map((image) => {
    const { name, annotations } = Object(image);
    return [String(name), annotations.labels ?? annotations] as const;
  });
  return Object.fromEntries(images);
}

function answer(place: number, category_id: string, score: number) {
  return { image_id: `${place}.png`, category_id, score };
}

/** Of cat, dog, dog and cat the third is taken for a cat, and the last has no answer. */
async function catsAndDogs(fixture: Labelling) {
  const project = await classified(fixture, 'single-label-classification', [
    ['cat'],
    ['dog'],
    ['dog'],
    ['cat'],
  ]);
  const made = await judged(fixture, project, {
    predictions: file([
      answer(0, 'cat', 0.9),
      answer(0, 'dog', 0.1),
      answer(1, 'dog', 0.8),
      answer(2, 'cat', 0.75),
      answer(2, 'dog', 0.25),
    ]),
  });
  return { project, ...made };
}

it('judges one class of each image, panel by panel', async () => {
  const { task, panel } = await catsAndDogs(labelling());
  expect(task).toMatchObject({ status: 'completed', result: { accuracy: 0.5 } });
  const summary = await panel();
  expect(summary).toMatchObject({
    modelTask: 'classification',
    images: 4,
    groundTruths: 4,
    detections: 3,
    accuracy: 0.5,
    macro: { precision: 0.75, recall: 0.5, f1: 0.5833 },
    point: { truePositives: 2, falsePositives: 1, misses: 2 },
  });
  expect(summary.ap).toBeUndefined();
  expect(summary.bySize).toBeUndefined();
  expect(await panel({ panel: 'per_class' })).toMatchObject({
    classes: [
      { class: 'cat', groundTruths: 2, precision: 0.5, recall: 0.5, f1: 0.5 },
      { class: 'dog', groundTruths: 2, precision: 1, recall: 0.5, f1: 0.6667 },
    ],
  });
  expect(await panel({ panel: 'confusion_matrix', picture: true })).toMatchObject({
    matrix: {
      labels: ['cat', 'dog', 'none'],
      counts: [
        [1, 0, 1],
        [1, 1, 0],
        [0, 0, 0],
      ],
    },
    contentType: expect.stringContaining('image/'),
  });
  expect(await panel({ panel: 'images', only: 'misses', picture: true })).toMatchObject({
    total: 2,
    results: [{ image: '2.png' }, { image: '3.png' }],
    contentType: 'image/jpeg',
  });
  expect(await panel({ panel: 'label_mistakes' })).toMatchObject({
    mislabelled: [
      {
        image: '2.png',
        mistakes: [{ kind: 'swapped', label: 'dog', found: 'cat', score: 0.56 }],
      },
    ],
  });
});

it('says what to do about classes, and refuses a panel of objects', async () => {
  const { panel } = await catsAndDogs(labelling());
  const { recommendations = [] } = await panel({ panel: 'recommendations' });
  expect(recommendations.map(({ name }) => name)).toContain('wrong_class');
  expect(recommendations.map(({ name }) => name)).not.toContain('all_low');
  const missed = recommendations.find(({ name }) => name === 'missed_detection');
  expect(missed?.figures).toMatchObject({ misses: 1, labels: 2, recall: 0.5 });
  expect(missed?.figures).not.toHaveProperty('ap50');
  await expect(panel({ panel: 'by_size' })).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('panel: by_size is of objects') },
  });
});

it('compares classes by F1', async () => {
  const fixture = labelling();
  const { project, evaluationId, at } = await catsAndDogs(fixture);
  const right = await judged(fixture, project, {
    predictions: file(['cat', 'dog', 'dog', 'cat'].map((name, place) => answer(place, name, 1))),
  });
  const wanted = { ...at, evaluationId: right.evaluationId, baseline: evaluationId };
  const { body } = await fixture.platform.client.call(evaluations.evaluations_compare, wanted);
  expect(body).toMatchObject({
    baseline: { accuracy: 0.5 },
    compared: { accuracy: 1 },
    classes: [
      { class: 'cat', change: 0.5, before: { f1: 0.5 }, after: { f1: 1 } },
      { class: 'dog', change: 0.3333 },
    ],
    images: { better: 2, worse: 0, same: 2 },
  });
});

it('judges several classes of an image, all of which must be right', async () => {
  const fixture = labelling();
  const project = await classified(fixture, 'multi-label-classification', [
    ['cat', 'dog'],
    ['dog'],
  ]);
  const { panel } = await judged(fixture, project, {
    predictions: file([answer(0, 'cat', 0.9), answer(0, 'dog', 0.8), answer(1, 'cat', 0.7)]),
    confidence: 0.5,
  });
  expect(await panel()).toMatchObject({
    accuracy: 0.5,
    point: { truePositives: 2, falsePositives: 1, misses: 1 },
  });
  expect(await panel({ panel: 'label_mistakes' })).toMatchObject({
    mistakes: { overlooked: 1 },
  });
});

it('mends a swapped class, says what is mended already, and takes it back', async () => {
  const fixture = labelling();
  const { project, evaluationId, at } = await catsAndDogs(fixture);
  const mend = mender(fixture, { ...at, evaluationId });
  const before = await labelsOf(fixture, project);
  expect(before).toMatchObject({ '2.png': ['dog'] });
  expect(await mend({ only: 'swapped' })).toMatchObject({ labels: 1, images: 1 });
  expect(await labelsOf(fixture, project)).toMatchObject({ '2.png': ['cat'], '1.png': ['dog'] });
  const again = { labels: 0, left: { changed: 0, already: 1 } };
  expect(await mend({ only: 'swapped' })).toMatchObject(again);
  expect(await mend({ only: 'swapped', undo: true })).toMatchObject({ labels: 1 });
  expect(await labelsOf(fixture, project)).toEqual(before);
  await expect(mend({ only: 'badly_placed' })).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('only: is swapped or overlooked: classes of') },
  });
});

it('adds a class where several are, but not where somebody has changed them', async () => {
  const fixture = labelling();
  const project = await classified(fixture, 'multi-label-classification', [
    ['dog'],
    ['dog'],
    ['cat'],
  ]);
  const predictions = file([answer(0, 'cat', 0.9), answer(1, 'cat', 0.8), answer(2, 'cat', 0.9)]);
  const asked = { predictions, confidence: 0.5 };
  const { at, evaluationId, panel } = await judged(fixture, project, asked);
  const { mislabelled = [] } = await panel({ panel: 'label_mistakes' });
  const other = mislabelled.find(({ image }) => image === '1.png')?.imageId;
  await fixture.tell('POST', `/dataset/${project}/annotate/${other}?name=a.json&overwrite=true`, {
    annotationFile: JSON.stringify([]),
  });
  const before = await labelsOf(fixture, project);
  const mend = mender(fixture, { ...at, evaluationId });
  expect(await mend({ only: 'overlooked' })).toMatchObject({
    labels: 1,
    left: { changed: 1, already: 0 },
  });
  expect(await labelsOf(fixture, project)).toMatchObject({ '0.png': ['dog', 'cat'], '1.png': [] });
  expect(await mend({ only: 'overlooked' })).toMatchObject({ left: { changed: 1, already: 1 } });
  await mend({ only: 'overlooked', undo: true });
  expect(await labelsOf(fixture, project)).toEqual(before);
});

it('refuses a model that finds boxes, and says what would be right', async () => {
  const fixture = labelling();
  const project = await classified(fixture, 'single-label-classification', [['cat']]);
  await expect(judged(fixture, project, {})).rejects.toMatchObject({
    upstream: {
      message: expect.stringContaining(
        'model: gives boxes, which a project of the type single-label',
      ),
    },
  });
  const unscored = judged(fixture, project, { predictions: file([{ image_id: '0.png' }]) });
  await expect(unscored).rejects.toMatchObject({
    upstream: { message: expect.stringContaining('[0].score: must be a number') },
  });
});
