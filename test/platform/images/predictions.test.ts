// What the deployed model, or else an evaluation, sees in an image of a project.

import { expect, it } from 'vitest';
import { activity } from '../../../src/contract/activity.ts';
import { evaluations } from '../../../src/contract/evaluations.ts';
import { imageExtensions, images } from '../../../src/contract/images.ts';
import { trash } from '../../../src/contract/trash.ts';
import { blue } from '../../fixtures/onnx-models.ts';
import { refusal } from '../labelled-projects.ts';
import { counted, redAt, squaresModel, startLabelling } from '../platform-with-model.ts';

const box = { width: 16, height: 16 };

it('runs the model, keeps nothing, and counts no inference', async () => {
  const labelling = await startLabelling({ model: squaresModel });
  const project = await labelling.newProject();
  const dim = { left: 32, top: 32, colour: { ...blue, b: 51 } };
  const imageId = await labelling.upload(project, await redAt(1, [dim]));
  const { client } = labelling.platform;
  const at = { workspace: 'acme', project, imageId };
  const { body } = await client.call(imageExtensions.images_predictions, at);
  expect(body).toEqual({
    model: 'local',
    confidence: 0.4,
    predictions: [
      { label: 'red', x: 24, y: 8, ...box, confidence: 1 },
      { label: 'blue', x: 40, y: 40, ...box, confidence: 0.2 },
    ],
  });
  expect(await counted(labelling)).toEqual({ inferences: 0, errors: 0 });
  expect((await labelling.image(project, imageId)).annotated).toBe(false);
  const wrong = { ...at, imageId: 'none' };
  const answer = client.call(imageExtensions.images_predictions, wrong);
  expect((await refusal(answer)).status).toBe(404);
});

it('keeps what a person refuses with the image, says who did it, and takes it back', async () => {
  const labelling = await startLabelling({ model: squaresModel });
  const project = await labelling.newProject();
  const imageId = await labelling.upload(project, await redAt(1));
  const { client } = labelling.platform;
  const at = { workspace: 'acme', project, imageId };
  const red = { label: 'red', x: 24, y: 8, ...box };
  const other = { label: 'blue', x: 8, y: 8, ...box };
  const change = (body: object) =>
    client.call(imageExtensions.images_refuse_predictions, { ...at, ...body });
  expect((await change({ refuse: [red, other] })).body).toEqual({ refused: [red, other] });
  // Once more changes nothing.
  expect((await change({ refuse: [other] })).body).toEqual({ refused: [red, other] });
  const seen = async () => (await client.call(imageExtensions.images_predictions, at)).body;
  expect(await seen()).toMatchObject({
    predictions: [{ ...red, confidence: 1 }],
    refused: [red, other],
  });
  expect((await labelling.image(project, imageId)).annotated).toBe(false);
  const log = await client.call(activity.activity_list, { workspace: 'acme', limit: 1 });
  expect(log.body.entries).toMatchObject([
    {
      action: 'images_refuse_predictions',
      kind: 'image',
      before: { refused_predictions: null },
      after: { refused_predictions: [red, other] },
    },
  ]);
  // Through the trash it stays.
  await client.call(images.images_delete, { workspace: 'acme', project, images: [imageId] });
  const { body: listed } = await client.call(trash.trash_list, { workspace: 'acme' });
  const [{ id = '' } = {}] = listed.items;
  await client.call(trash.trash_restore, { workspace: 'acme', type: 'image', id });
  expect((await seen()).refused).toEqual([red, other]);
  expect((await change({ restore: [red, other, other] })).body).toEqual({ refused: [] });
  expect(await seen()).not.toHaveProperty('refused');
  expect((await refusal(change({ refuse: [{ ...red, x: -1 }] }))).status).toBe(400);
  expect((await refusal(change({ imageId: 'none', refuse: [red] }))).status).toBe(404);
  const many = (from: number) =>
    Array.from({ length: 300 }, (_, n) => ({ ...red, x: from + n, y: 1 }));
  for (const from of [0, 300, 600]) await change({ refuse: many(from) });
  const full = await refusal(change({ refuse: many(900) }));
  expect(full.status).toBe(400);
  expect(full.message).toContain('more than 1000 refused boxes');
});

it('without a model gives what the newest evaluation of this very image found', async () => {
  const labelling = await startLabelling();
  const project = await labelling.newProject();
  const imageId = await labelling.upload(project, await redAt(0));
  const { client } = labelling.platform;
  const at = { workspace: 'acme', project };
  const seen = () => client.call(imageExtensions.images_predictions, { ...at, imageId });
  expect((await seen()).body).toEqual({ predictions: [] });
  await labelling.annotate(project, imageId);
  const { name } = await labelling.image(project, imageId);
  const evaluate = async (score: number) => {
    const results = [{ image_id: name, category_id: 'red', bbox: [2, 4, 8, 10], score }];
    const content = new TextEncoder().encode(JSON.stringify(results));
    const { body } = await client.call(evaluations.evaluations_create, {
      ...at,
      query: '*',
      predictions: { name: 'results.json', content },
    });
    expect(await labelling.ended(body.taskId)).toMatchObject({ status: 'completed' });
    return body.evaluationId;
  };
  await evaluate(0.5);
  const evaluationId = await evaluate(0.75);
  expect((await seen()).body).toMatchObject({
    evaluationId,
    predictions: [{ label: 'red', x: 6, y: 9, width: 8, height: 10, confidence: 0.75 }],
  });
});
