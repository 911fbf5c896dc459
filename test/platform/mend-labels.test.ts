// Labels are mended by the mistakes of an evaluation, through the API of the platform.

import { expect, it } from 'vitest';
import { evaluations } from '../../src/contract/evaluations.ts';
import type { Answer, Input } from '../../src/contract/operation.ts';
import { blue, red, squaresOn } from '../fixtures/onnx-models.ts';
import { file } from './judged-predictions.ts';
import { evaluated, saying, squares, version, voc } from './judged-squares.ts';
import { type Labelling, sharedLabelling, squaresModel } from './platform-with-model.ts';

type MendInput = Input<typeof evaluations.evaluations_mend>;

const labelling = sharedLabelling({ model: squaresModel });

it('mends labels by the mistakes that were found, and takes that back', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { at, client, project } = judged;
  const before = await labelsOf(fixture, project);
  expect(before).toMatchObject({ 'wrong.png': ['red 40 8'], 'missed.png': ['blue 8 8'] });
  const { evaluationId } = await evaluated(fixture, judged, { query: '*', model: 'local' });
  const mend = async (wanted: Omit<MendInput, 'workspace' | 'project' | 'evaluationId'>) => {
    const asked = { ...at, evaluationId, ...wanted };
    return (await client.call(evaluations.evaluations_mend, asked)).body;
  };
  const swapped = { only: 'swapped' } as const;
  expect(await mend(swapped)).toMatchObject({
    labels: 1,
    images: 1,
    total: 1,
    changed: [{ image: 'wrong.png', labels: 1 }],
  });
  expect(await mend({ only: 'overlooked' })).toMatchObject({ labels: 1, images: 1 });
  const mended = await labelsOf(fixture, project);
  expect(mended['wrong.png']).toEqual(['blue 40 8']);
  expect(mended['missed.png']).toEqual(['blue 8 8', 'blue 24 40']);
  for (const only of ['swapped', 'overlooked'] as const) {
    expect(await mend({ only })).toMatchObject({ labels: 0, left: { changed: 0, already: 1 } });
  }

  for (const only of ['swapped', 'overlooked'] as const) await mend({ only, undo: true });
  expect(await labelsOf(fixture, project)).toEqual(before);
});

it('adds no label that reaches beyond its image', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { at, client, project } = judged;
  const found = { image_id: 'missed.png', category_id: 'blue', score: 0.9 };
  const bbox = [48, 40, 24, 32];
  const predictions = file([
    { ...found, bbox },
    { ...found, bbox: [0, 0, 16, 16] },
  ]);
  const { evaluationId } = await evaluated(fixture, judged, { query: '*', predictions });
  const mend = { ...at, evaluationId, only: 'overlooked' as const };
  expect((await client.call(evaluations.evaluations_mend, mend)).body).toMatchObject({ labels: 1 });
  // From 48 to 64 and from 40 to 64.
  const mended = await labelsOf(fixture, project);
  expect(mended['missed.png']).toEqual(['blue 8 8', 'blue 56 52']);
  await client.call(evaluations.evaluations_mend, { ...mend, undo: true });
  expect((await labelsOf(fixture, project))['missed.png']).toEqual(['blue 8 8']);
});

it('adds no label to an image whose labels somebody has replaced', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { at, client, project } = judged;
  const { evaluationId, panel } = await evaluated(fixture, judged, { query: '*', model: 'local' });
  const overlooked = { ...at, evaluationId, only: 'overlooked' as const };
  const { mislabelled = [] } = await panel({ panel: 'label_mistakes', only: 'overlooked' });
  const [imageId] = mislabelled.flatMap((one) => one.imageId ?? []);
  await fixture.tell('POST', `/dataset/${project}/annotate/${imageId}?name=a.xml&overwrite=true`, {
    annotationFile: voc([['red', 15]]),
  });
  expect((await client.call(evaluations.evaluations_mend, overlooked)).body).toMatchObject({
    labels: 0,
    left: { changed: 1, already: 0 },
  });
  expect(await labelsOf(fixture, project)).toMatchObject({ 'missed.png': ['red 56 56'] });
});

it('adds no label again that it added and somebody removed, unless the mend is undone', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { at, client, project } = judged;
  const { evaluationId, panel } = await evaluated(fixture, judged, { query: '*', model: 'local' });
  const mend = async (undo?: true) => {
    const asked = { ...at, evaluationId, only: 'overlooked' as const, ...(undo && { undo }) };
    return (await client.call(evaluations.evaluations_mend, asked)).body;
  };
  const { mislabelled = [] } = await panel({ panel: 'label_mistakes', only: 'overlooked' });
  const [imageId] = mislabelled.flatMap((one) => one.imageId ?? []);
  expect(await mend()).toMatchObject({ labels: 1 });
  await fixture.tell('POST', `/dataset/${project}/annotate/${imageId}?name=a.xml&overwrite=true`, {
    annotationFile: voc([['blue', 0]]),
  });
  expect(await mend()).toMatchObject({ labels: 0, left: { reverted: 1, changed: 0 } });
  expect(await labelsOf(fixture, project)).toMatchObject({ 'missed.png': ['blue 8 8'] });

  expect(await mend(true)).toMatchObject({ labels: 0, left: { already: 1 } });
  expect(await mend()).toMatchObject({ labels: 1 });
});

it('takes back no correction of people, where nothing was mended', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { at, client, project } = judged;
  const { evaluationId, panel } = await evaluated(fixture, judged, { query: '*', model: 'local' });
  const save = await saver(fixture, project, await panel({ panel: 'label_mistakes' }));
  await save('wrong.png', [['blue', 2]]);
  await save('missed.png', [
    ['blue', 0],
    ['blue', 9],
  ]);
  const corrected = await labelsOf(fixture, project);
  for (const only of ['swapped', 'overlooked'] as const) {
    const asked = { ...at, evaluationId, only };
    const { body } = await client.call(evaluations.evaluations_mend, { ...asked, undo: true });
    expect(body).toMatchObject({ labels: 0, left: { already: 1, changed: 0 } });
    expect((await client.call(evaluations.evaluations_mend, asked)).body).toMatchObject({
      labels: 0,
      left: { already: 1 },
    });
    await client.call(evaluations.evaluations_mend, { ...asked, undo: true });
  }
  expect(await labelsOf(fixture, project)).toEqual(corrected);
});

it('tells of each mistake what became of it since', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { at, client, project } = judged;
  const { evaluationId, panel } = await evaluated(fixture, judged, { query: '*', model: 'local' });
  const since = async () => {
    const { mislabelled = [] } = await panel({ panel: 'label_mistakes' });
    return Object.fromEntries(
      mislabelled.map(({ image, mistakes }) => [image, mistakes.map((one) => one.since)]),
    );
  };
  expect(await since()).toEqual({ 'wrong.png': [undefined], 'missed.png': [undefined] });
  const asked = { ...at, evaluationId, only: 'overlooked' as const };
  await client.call(evaluations.evaluations_mend, asked);
  const save = await saver(fixture, project, await panel({ panel: 'label_mistakes' }));
  await save('wrong.png', [['green', 2]]);
  expect(await since()).toEqual({ 'wrong.png': ['changed'], 'missed.png': ['mended'] });
  await save('wrong.png', [['blue', 2]]);
  expect(await since()).toMatchObject({ 'wrong.png': ['mended'] });
});

it('takes back what it mended alone, and not where somebody saved labels since', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { at, client, project } = judged;
  const { evaluationId, panel } = await evaluated(fixture, judged, { query: '*', model: 'local' });
  const save = await saver(fixture, project, await panel({ panel: 'label_mistakes' }));
  const mend = async (only: MendInput['only'], undo = false) =>
    (await client.call(evaluations.evaluations_mend, { ...at, evaluationId, only, undo })).body;
  await mend('swapped');
  await mend('overlooked');
  // The same labels again: somebody has looked at them.
  await save('wrong.png', [['blue', 2]]);
  const mended = await labelsOf(fixture, project);
  expect(await mend('swapped', true)).toMatchObject({ labels: 0, left: { changed: 1 } });
  expect(await labelsOf(fixture, project)).toEqual(mended);
  expect(await mend('overlooked', true)).toMatchObject({ labels: 1, left: { changed: 0 } });
  expect((await labelsOf(fixture, project))['missed.png']).toEqual(['blue 8 8']);
});

it('takes back mends of two evaluations in one image, the last one first', async () => {
  const fixture = labelling();
  const image = await squaresOn(64, 64, [
    { left: 0, top: 0, colour: blue },
    { left: 32, top: 32, colour: red },
  ]);
  const judged = await squares(fixture, [{ name: 'two.png', image, objects: [['red', 0]] }]);
  const { at, client, project } = judged;
  const before = await labelsOf(fixture, project);
  const mend = async (evaluationId: string, only: MendInput['only'], undo = false) =>
    (await client.call(evaluations.evaluations_mend, { ...at, evaluationId, only, undo })).body;
  const asked = { query: 'filename:*two*', model: 'local' };
  const first = await evaluated(fixture, judged, asked);
  expect(await mend(first.evaluationId, 'swapped')).toMatchObject({ labels: 1 });
  const second = await evaluated(fixture, judged, asked);
  expect(await mend(second.evaluationId, 'overlooked')).toMatchObject({ labels: 1 });
  const mended = await labelsOf(fixture, project);
  expect(mended['two.png']).toEqual(['blue 8 8', 'red 40 40']);

  expect(await mend(first.evaluationId, 'swapped', true)).toMatchObject({
    labels: 0,
    left: { changed: 1 },
  });
  expect(await mend(second.evaluationId, 'overlooked', true)).toMatchObject({ labels: 1 });
  expect(await mend(first.evaluationId, 'swapped', true)).toMatchObject({ labels: 1 });
  expect(await labelsOf(fixture, project)).toEqual(before);
});

it('mends in chosen images', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { at, client } = judged;
  const { evaluationId, panel } = await evaluated(fixture, judged, { query: '*', model: 'local' });
  const { mislabelled = [] } = await panel({ panel: 'label_mistakes', only: 'swapped' });
  const [imageId = ''] = mislabelled.flatMap((one) => one.imageId ?? []);
  const { results = [] } = await panel({ panel: 'images' });
  const other = results.find((one) => one.imageId !== imageId)?.imageId ?? '';
  const mend = async (images: readonly string[]) => {
    const asked = { ...at, evaluationId, only: 'swapped' as const, images: [...images] };
    return (await client.call(evaluations.evaluations_mend, asked)).body.labels;
  };
  expect(await mend([other])).toBe(0);
  expect(await mend([other, imageId])).toBe(1);
});

it('names an image that the project does not have', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const { at, client } = judged;
  const { evaluationId } = await evaluated(fixture, judged, { query: '*', model: 'local' });
  const images = ['0123456789abcdef0123'];
  const asked = { ...at, evaluationId, only: 'swapped' as const, images };
  await expect(client.call(evaluations.evaluations_mend, asked)).rejects.toMatchObject({
    code: 'invalid_input',
    upstream: {
      message: 'images: the project has no image with the id "0123456789abcdef0123"',
    },
  });
});

it('mends no labels by an evaluation of a version', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const number = await version(fixture, judged);
  const { evaluationId } = await evaluated(fixture, judged, { version: number, model: 'local' });
  const asked = { ...judged.at, evaluationId, only: 'swapped' as const };
  await expect(judged.client.call(evaluations.evaluations_mend, asked)).rejects.toMatchObject(
    saying('of images of a version, not of a project'),
  );
});

/** Saves labels as a person does, of an image that a panel names. */
async function saver(
  fixture: Labelling,
  project: string,
  { mislabelled = [] }: Answer<typeof evaluations.evaluations_get>,
) {
  const ids = new Map(mislabelled.map(({ image, imageId }) => [image, imageId]));
  return async (name: string, objects: Parameters<typeof voc>[0]) => {
    const query = 'name=a.xml&overwrite=true';
    const annotationFile = voc(objects);
    const path = `/dataset/${project}/annotate/${ids.get(name)}?${query}`;
    expect(await fixture.tell('POST', path, { annotationFile })).toMatchObject({ status: 200 });
  };
}

/** Of each image, `class x y`. */
async function labelsOf(fixture: Labelling, project: string) {
  const asked = { query: `project:${project}`, fields: ['name', 'annotations'] };
  const { body } = await fixture.tell('POST', '/acme/search/v1', asked);
  const images = [body.results].flat().map((image): [string, readonly string[]] => {
    const { name, annotations } = Object(image);
    const boxes = [annotations.boxes ?? annotations].flat();
    return [String(name), boxes.map((box) => `${box.label} ${box.x} ${box.y}`)];
  });
  return Object.fromEntries(images);
}
