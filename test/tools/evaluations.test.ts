// Evaluations as an agent makes and reads them: the sample's cells, and predictions in a file.

import { copyFile, mkdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';

const sample = 'sample/blood-cells';
const cells = { project: 'cells' };

let fovea: Fovea;

beforeAll(async () => {
  fovea = await launchFovea();
  await fovea.ok('projects_create', { name: 'Cells', type: 'object-detection', annotation: 'x' });
  await fovea.ok('images_upload', {
    ...cells,
    files: [`${sample}/JPEGImages`],
    annotations: `${sample}/Annotations`,
    split: 'test',
  });
});

afterAll(() => fovea.close());

/** Results with the labels of the sample, all found, but for the platelets, which are white. */
async function writeResults(name: string): Promise<string> {
  const { data } = await fovea.call('workspace_search', {
    query: 'project:cells',
    fields: ['name', 'annotations'],
    pageSize: 100,
  });
  const results = [data.results].flat().flatMap((image) => {
    const { name: image_id, annotations } = Object(image);
    return [Object(annotations).boxes ?? annotations].flat().map((box, place) => {
      const { label, x, y, width, height } = Object(box);
      return {
        image_id,
        category_id: label === 'Platelets' ? 'WBC' : label,
        bbox: [x - width / 2, y - height / 2, width, height],
        score: 0.9 - place / 1000,
      };
    });
  });
  expect(results).toHaveLength(159);
  const path = join(fovea.folder, name);
  await writeFile(path, JSON.stringify(results));
  return path;
}

async function evaluate(args: Facts): Promise<Facts> {
  const { evaluationId, taskId } = await fovea.ok('evaluations_create', { ...cells, ...args });
  await fovea.ok('tasks_wait', { taskId });
  return { ...cells, evaluationId };
}

it('tells from a file of predictions which classes are taken for which', async () => {
  const predictions = await writeResults('results.json');
  const which = await evaluate({ query: 'split:test', predictions });
  const { text, data } = await fovea.call('evaluations_get', which);
  expect(text).toContain('Evaluation of "cells", summary: AP 0.');
  expect(data).toMatchObject({
    status: 'completed',
    predictions: 'results.json',
    images: 12,
    groundTruths: 159,
    detections: 159,
    // The platelets, and two cells whose boxes have no area: nothing can find them.
    best: { truePositives: 136, falsePositives: 23, misses: 23 },
  });
  const confused = await fovea.call('evaluations_get', { ...which, panel: 'confusion_matrix' });
  expect(confused.data).toMatchObject({
    confusions: [
      { truth: 'Platelets', found: 'WBC', count: 21 },
      { truth: 'RBC', found: 'background', count: 2 },
      { truth: 'background', found: 'RBC', count: 2 },
    ],
    matrix: { labels: ['Platelets', 'RBC', 'WBC', 'background'] },
  });
  const classes = await fovea.call('evaluations_get', { ...which, panel: 'per_class', limit: 1 });
  expect(classes.data).toMatchObject({
    total: 3,
    paging: { total: 3, shown: 1, truncated: true, next: { offset: 1 } },
    classes: [{ class: 'Platelets', groundTruths: 21, ap: 0, recall: 0 }],
  });
  const { content } = Object(
    await fovea.client.callTool({
      name: 'evaluations_get',
      arguments: { ...which, panel: 'images', class: 'Platelets', picture: true, limit: 2 },
    }),
  );
  expect(content.map(({ type }: { type: string }) => type)).toEqual(['text', 'image']);
  const listed = await fovea.call('evaluations_list', cells);
  expect(listed.text).toContain('1 evaluation.');
  expect(listed.data).toMatchObject({ evaluations: [{ predictions: 'results.json' }] });
});

it('lists labels that may be wrong by their score, mends them, and takes that back', async () => {
  const predictions = await writeResults('mistakes.json');
  const which = await evaluate({ query: 'split:test', predictions });
  const wanted = { ...which, panel: 'label_mistakes' };
  const mistakes = await fovea.call('evaluations_get', { ...wanted, limit: 1 });
  expect(mistakes.text).toContain('Labels that may be wrong, in 11 images: 21 swapped.');
  expect(mistakes.text).toContain('evaluations_tag');
  expect(mistakes.data).toMatchObject({
    mistakes: { swapped: 21 },
    mislabelled: [
      {
        mistakes: expect.arrayContaining([
          expect.objectContaining({ kind: 'swapped', label: 'Platelets', found: 'WBC' }),
        ]),
      },
    ],
  });
  // The first boxes of an image have the highest scores: 0.899 is shown as 0.9, and found by that.
  const { mislabelled: [{ mistakes: [{ score } = { score: 0 }] = [] } = {}] = [] } = Object(
    mistakes.data,
  );
  expect(score).toBe(0.9);
  const shown = await fovea.call('evaluations_get', { ...wanted, scoreMin: 0.9, limit: 1 });
  expect(shown.data).toMatchObject({
    mislabelled: [{ mistakes: expect.arrayContaining([expect.objectContaining({ score: 0.9 })]) }],
  });
  const sure = await fovea.call('evaluations_get', { ...wanted, scoreMin: 0.91 });
  expect(sure.data).toMatchObject({ total: 0, mislabelled: [] });
  const [mend] = nextCalls(mistakes.data);
  expect(mend).toMatchObject({
    tool: 'evaluations_mend',
    arguments: { only: 'swapped', images: [expect.any(String)] },
  });
  const surer = await fovea.call('evaluations_mend', { ...mend?.arguments, scoreMin: 0.91 });
  expect(surer.data).toMatchObject({ labels: 0, total: 0 });
  const mended = await fovea.call('evaluations_mend', mend?.arguments);
  expect(mended.text).toMatch(/\d labels in 1 image are mended\./);
  const [back] = nextCalls(mended.data);
  expect(back).toMatchObject({ tool: 'evaluations_mend', arguments: { undo: true } });
  const undone = await fovea.call('evaluations_mend', back?.arguments);
  expect(undone.text).toMatch(/\d labels in 1 image are as before\./);
});

it('warns where predictions call a class by another name, and compares class by class', async () => {
  const path = await writeResults('right.json');
  const right: Facts[] = JSON.parse(await readFile(path, 'utf8'));
  const renamed = right.map((one) => ({
    ...one,
    category_id: one.category_id === 'RBC' ? 'red cell' : one.category_id,
  }));
  const others = join(fovea.folder, 'renamed.json');
  await writeFile(others, JSON.stringify(renamed));
  const strange = await evaluate({ query: 'split:test', predictions: others });
  const { data } = await fovea.call('evaluations_get', { ...strange, panel: 'recommendations' });
  expect(data).toMatchObject({
    warning: expect.stringMatching(
      /^nothing is found of "Platelets", "RBC", and predictions have "red cell"/,
    ),
  });
  const { recommendations = [] } = Object(data);
  const names = recommendations.map(({ name }: { readonly name: string }) => name);
  expect(names).not.toContain('missed_detection');
  const usual = await evaluate({ query: 'split:test', predictions: path });
  const ids = { baseline: usual.evaluationId, evaluationId: strange.evaluationId };
  const { text } = await fovea.call('evaluations_compare', { ...cells, ...ids });
  expect(text).toMatch(/Worse: "RBC" \(ap \d\.\d{3} to 0\.000/);
  const same = { baseline: usual.evaluationId, evaluationId: usual.evaluationId };
  const { text: alike } = await fovea.call('evaluations_compare', { ...cells, ...same });
  expect(alike).toContain('No class is worse.');
});

it('hands the images that it shows to a person, by a search', async () => {
  const predictions = await writeResults('confused.json');
  const which = await evaluate({ query: 'split:test', predictions });
  const shown = { ...which, panel: 'images', class: 'Platelets', found: 'WBC', limit: 1 };
  const cell = await fovea.call('evaluations_get', shown);
  const [review] = nextCalls(cell.data);
  expect(review).toMatchObject({
    tool: 'annotation_review',
    arguments: { query: `evaluation:${which.evaluationId}/Platelets>WBC` },
  });
  const asked = await fovea.call('annotation_review', review?.arguments);
  expect(asked.data).toMatchObject({ images: cell.data.total });
  expect(asked.text).toMatch(
    /^\d+ images of "cells" wait for a person, the worst first: tell them/,
  );
  const query = String(review?.arguments.query);
  const found = await fovea.call('workspace_search', { query, pageSize: 1 });
  expect(found.text).toContain('1 on this page, the worst first.');
  expect(found.data).toMatchObject({
    results: [{ name: String(z.array(z.looseObject({})).parse(cell.data.results)[0]?.image) }],
  });
  const unknown = await fovea.call('annotation_review', {
    ...cells,
    query: `evaluation:${which.evaluationId}/misses/Cell`,
  });
  expect(unknown.text).toContain('this evaluation has no class \\"Cell\\"');
  expect(unknown.text).toContain('Its classes: \\"Platelets\\", \\"RBC\\", \\"WBC\\".');
});

function nextCalls({ next }: Facts) {
  return z.array(z.looseObject({ tool: z.string(), arguments: z.looseObject({}) })).parse(next);
}

it('judges folders of YOLO and of VOC files with scores', async () => {
  const folder = join(fovea.folder, 'yolo');
  await mkdir(folder);
  // The first white cell of the image in the VOC file of the sample, in shares of 640 x 480.
  const voc = await readFile(`${sample}/Annotations/BloodImage_00086.xml`, 'utf8');
  const object = /<object>\s*<name>(\w+)<[\s\S]*?<\/object>/.exec(voc);
  const side = (name: string) =>
    Number(new RegExp(`<${name}>(\\d+)<`).exec(object?.[0] ?? '')?.[1]);
  const [left, top, right, bottom] = ['xmin', 'ymin', 'xmax', 'ymax'].map(side);
  const [x, y] = [(Number(left) + Number(right)) / 1280, (Number(top) + Number(bottom)) / 960];
  const [width, height] = [
    (Number(right) - Number(left)) / 640,
    (Number(bottom) - Number(top)) / 480,
  ];
  await writeFile(join(folder, 'BloodImage_00086.txt'), `1 ${x} ${y} ${width} ${height} 0.9\n`);
  await writeFile(join(folder, 'classes.txt'), `other\n${object?.[1]}\n`);
  const yolo = await evaluate({ query: 'split:test', predictions: folder });
  const { data } = await fovea.call('evaluations_get', yolo);
  expect(data).toMatchObject({
    predictions: 'yolo',
    detections: 1,
    best: { truePositives: 1, falsePositives: 0, misses: 158 },
  });
  const scored = join(fovea.folder, 'voc');
  await mkdir(scored);
  const text = voc.replaceAll('</name>', '</name><score>0.9</score>');
  await writeFile(join(scored, 'BloodImage_00086.xml'), text);
  const found = await fovea.call(
    'evaluations_get',
    await evaluate({ query: 'filename:BloodImage_00086*', predictions: scored }),
  );
  expect(found.data).toMatchObject({ best: { falsePositives: 0, misses: 0 } });
  await writeFile(join(folder, 'BloodImage_00086.txt'), `1 ${x} ${y} ${width} ${height}\n`);
  const unsure = { ...cells, query: 'split:test', predictions: folder };
  const { isError, text: words } = await fovea.call('evaluations_create', unsure);
  expect(isError).toBe(true);
  expect(words).toContain('has no confidence');
});

it('says what is wrong with a file, a split and a model', async () => {
  const path = join(fovea.folder, 'wrong.json');
  await writeFile(path, JSON.stringify([{ image_id: 1, category_id: 1, bbox: [1], score: 1 }]));
  const wrong = { ...cells, query: 'split:test', predictions: path };
  const before = await fovea.call('evaluations_list', cells);
  const { text } = await fovea.call('evaluations_create', wrong);
  expect(text).toContain('predictions[0].bbox: must be [left, top, width, height] in pixels');
  const after = await fovea.call('evaluations_list', cells);
  expect(after.data.evaluations).toEqual(before.data.evaluations);
  await truncate(path, 21 * 1024 * 1024);
  const large = await fovea.call('evaluations_create', wrong);
  expect(large.text).toContain('of predictions');
  expect(large.text).toContain('Leave out predictions of low scores');
  const outside = await fovea.call('evaluations_create', {
    ...cells,
    query: '*',
    predictions: '/etc/hosts',
  });
  expect(outside.isError).toBe(true);
  const unset = await fovea.call('evaluations_create', { ...cells, query: 'split:test' });
  expect(unset.text).toContain('No detection model is configured. Set FOVEA_MODEL');
  const empty = await fovea.call('evaluations_create', { ...cells, query: 'split:valid' });
  expect(empty.text).toContain('query: finds no image');
});

it('says the figures of an evaluation that is waited for, and how to see more', async () => {
  const predictions = await writeResults('waited.json');
  const created = await fovea.ok('evaluations_create', {
    ...cells,
    query: 'split:test',
    predictions,
  });
  const { text } = await fovea.call('tasks_wait', { taskId: created.taskId });
  expect(text).toMatch(/is completed: AP 0\.\d{3}, F1 0\.\d{3}/);
  expect(text).toContain('evaluations_get');
  expect(text).toContain(String(created.evaluationId));
});

it('warns of no predictions, and recommends nothing because of them', async () => {
  const path = join(fovea.folder, 'empty.json');
  await writeFile(path, '[]');
  const which = await evaluate({ query: 'split:test', predictions: path });
  expect((await fovea.call('evaluations_get', which)).text).toMatch(/Warning: \S*0 predictions/);
  const { data } = await fovea.call('evaluations_get', { ...which, panel: 'recommendations' });
  const names = [data.recommendations].flat().map((one) => Object(one).name);
  expect(names).not.toContain('all_low');
  expect(names).not.toContain('missed_detection');
});

it('says how many predictions were not judged', async () => {
  const predictions = await writeResults('strange.json');
  const results: readonly Facts[] = JSON.parse(await readFile(predictions, 'utf8'));
  const [first] = results;
  const strange = [
    { ...first, image_id: 'elsewhere.jpg' },
    { ...first, category_id: 'basophil' },
    { ...first, category_id: 'basophil' },
  ];
  await writeFile(predictions, JSON.stringify([...results, ...strange]));
  const which = await evaluate({ query: 'split:test', predictions });
  const { text } = await fovea.call('evaluations_get', which);
  expect(text).toContain('Not judged: 1 predictions of other images, 2 of other classes.');
});

it('offers no mend that is refused: of outlines, none of what was overlooked', async () => {
  const project = 'outlines';
  await fovea.ok('projects_create', {
    name: 'Outlines',
    type: 'instance-segmentation',
    annotation: 'x',
  });
  const folder = join(fovea.folder, 'outlined');
  await mkdir(folder);
  const file_name = 'BloodImage_00086.jpg';
  await copyFile(`${sample}/JPEGImages/${file_name}`, join(folder, file_name));
  const cell = { id: 1, image_id: 1, category_id: 1, segmentation: [[10, 10, 90, 10, 50, 90]] };
  const document = {
    images: [{ id: 1, file_name, width: 640, height: 480 }],
    categories: [{ id: 1, name: 'cell' }],
    annotations: [cell, { id: 2, image_id: 1, category_id: 1, bbox: [500, 20, 50, 50] }],
  };
  const annotations = join(folder, 'labels.json');
  await writeFile(annotations, JSON.stringify(document));
  await fovea.ok('images_upload', { project, files: [folder], annotations, split: 'test' });
  const found = { image_id: file_name, category_id: 'cell', score: 0.9 };
  const predictions = join(fovea.folder, 'outlined.json');
  const other = [[300, 300, 400, 300, 350, 400]];
  const results = [cell.segmentation, other].map((segmentation) => ({ ...found, segmentation }));
  await writeFile(predictions, JSON.stringify(results));
  const made = { project, query: 'split:test', predictions };
  const { evaluationId, taskId } = await fovea.ok('evaluations_create', made);
  const { text: ended } = await fovea.call('tasks_wait', { taskId });
  expect(ended).toContain('1 label judged by the box, without outline');
  const panel = { project, evaluationId, panel: 'label_mistakes' };
  const { data, text } = await fovea.call('evaluations_get', panel);
  expect(text).toContain('1 label without outline: the box is taken for the mask.');
  expect(data).toMatchObject({ mistakes: { overlooked: 1 } });
  expect(nextCalls(data).map(({ tool }) => tool)).toEqual(['evaluations_tag', 'annotation_review']);
});
