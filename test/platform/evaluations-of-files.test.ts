// Which files of predictions are refused at once, and what names and numbers mean in them.

import { expect, it } from 'vitest';
import { evaluations } from '../../src/contract/evaluations.ts';
import { file } from './judged-predictions.ts';
import { type Asked, evaluated, saying, squares, version } from './judged-squares.ts';
import { sharedLabelling, squaresModel } from './platform-with-model.ts';

const labelling = sharedLabelling({ model: squaresModel });

it('refuses at once predictions of which none is of a known image, with the nearest names', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const number = await version(fixture, judged);
  const create = (image_id: string | number, asked: Asked) => {
    const results = [{ image_id, category_id: 'red', bbox: [0, 0, 8, 8], score: 0.7 }];
    const predictions = file(results);
    return judged.client.call(evaluations.evaluations_create, {
      ...judged.at,
      ...asked,
      predictions,
    });
  };
  await expect(create('rihgt.png', { query: 'split:test' })).rejects.toMatchObject(
    saying(
      'predictions: no prediction is of a known image: ["rihgt.png"]. Did you mean "right.png"?',
    ),
  );
  await expect(create(77, { version: number })).rejects.toMatchObject(
    saying('they are known by their file names, or by the ids of the COCO export.'),
  );
  const { body } = await judged.client.call(evaluations.evaluations_list, judged.at);
  expect(body.evaluations).toEqual([]);
});

it('refuses at once predictions of which none is of a known class', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const number = await version(fixture, judged);
  const results = (category_id: number | string) =>
    file([{ image_id: 'right.png', category_id, bbox: [0, 0, 8, 8], score: 0.7 }]);
  const create = (asked: Asked) =>
    judged.client.call(evaluations.evaluations_create, { ...judged.at, ...asked });
  await expect(create({ query: 'split:test', predictions: results(1) })).rejects.toMatchObject(
    saying(
      'predictions: no prediction is of a known class: ["1"]. The labels have "blue", "red"; give the name',
    ),
  );
  await expect(create({ version: number, predictions: results(90) })).rejects.toMatchObject(
    saying('a number is that of the COCO export'),
  );
  await expect(create({ version: number, predictions: results('green') })).rejects.toMatchObject(
    saying('no prediction is of a known class: ["green"]'),
  );
  const { body } = await judged.client.call(evaluations.evaluations_list, judged.at);
  expect(body.evaluations).toEqual([]);
});

it('takes numbers of classes by the categories of a COCO dataset, and those of the export', async () => {
  const fixture = labelling();
  const judged = await squares(fixture);
  const number = await version(fixture, judged);
  const of = { bbox: [0, 0, 8, 8], score: 0.7 };
  const dataset = {
    images: [{ id: 7, file_name: 'right.png' }],
    categories: [{ id: 90, name: 'red' }],
    annotations: [{ image_id: 7, category_id: 90, ...of }],
  };
  const byDataset = await evaluated(fixture, judged, {
    query: 'split:test',
    predictions: file(dataset),
  });
  expect(await byDataset.panel()).toMatchObject({ status: 'completed', detections: 1 });
  const byExport = await evaluated(fixture, judged, {
    version: number,
    predictions: file([{ image_id: 'right.png', category_id: 2, ...of }]),
  });
  expect(await byExport.panel()).toMatchObject({ status: 'completed', detections: 1 });
});
