// Labels are mended by the mistakes of an evaluation, through the API of the platform.

import { expect, it } from 'vitest';
import { evaluations } from '../../src/contract/evaluations.ts';
import type { Input } from '../../src/contract/operation.ts';
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
