// docs/evaluation-*.png: the panels of an evaluation that have a picture, as `picture` draws them.
// The images are those of the sample, with some labels damaged; the predictions are made.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { evaluations } from '../../src/contract/evaluations.ts';
import type { Input } from '../../src/contract/operation.ts';
import { projects } from '../../src/contract/projects.ts';
import type { Region } from '../../src/evaluation/image-region.ts';
import { randomFrom } from '../../src/seeded-random.ts';
import { damage } from '../../test/evaluation/damaged-labels.ts';
import { readVocLabels } from '../../test/evaluation/voc-labels.ts';
import { startTestPlatform } from '../../test/fixtures/platform.ts';
import { saveImage } from './save-picture.ts';

const sample = 'sample/blood-cells';
/** Those that can be looked at in a picture as wide as a page. */
const width = 900;
const classes: string[] = [];
const names = readdirSync(join(sample, 'Annotations')).map((name) => name.replace('.xml', ''));
const truth = names.map((name) =>
  readVocLabels(join(sample, 'Annotations', `${name}.xml`), classes),
);
const judged = damage(truth, classes.length, 0.05, randomFrom('pictures of an evaluation'));
const platform = await startTestPlatform();
const { client, url, key } = platform;
const at = { workspace: 'acme', project: 'blood-cells' };
const settings = { name: 'Blood cells', type: 'object-detection', annotation: 'cells' } as const;
await client.call(projects.projects_create, { workspace: 'acme', ...settings });
for (const [place, name] of names.entries()) await send(place, `${name}.jpg`);
const { body: made } = await client.call(evaluations.evaluations_create, {
  ...at,
  query: '*',
  predictions: { name: 'results.json', content: new TextEncoder().encode(resultsText()) },
});
await ended();
await save('confusion_matrix', 'evaluation-confusions');
await save('confidence_sweep', 'evaluation-sweep');
await save('images', 'evaluation-images', 2);
await save('label_mistakes', 'evaluation-mistakes', 2);
await platform.close();

type Panel = Input<typeof evaluations.evaluations_get>['panel'];

async function save(panel: Panel, name: string, limit?: number): Promise<void> {
  const asked = { ...at, evaluationId: made.evaluationId, panel, limit, picture: true };
  const { body } = await client.call(evaluations.evaluations_get, asked);
  await saveImage(Buffer.from(body.sheet ?? '', 'base64'), name, width);
}

/** An image of the sample with its damaged labels. */
async function send(place: number, name: string): Promise<void> {
  const { id } = Object(
    await ask(
      `/dataset/blood-cells/upload?${new URLSearchParams({ name })}`,
      'application/x-www-form-urlencoded',
      readFileSync(join(sample, 'JPEGImages', name)).toString('base64'),
    ),
  );
  const document = {
    images: [{ id: 1, file_name: name }],
    categories: classes.map((label, index) => ({ id: index, name: label })),
    annotations: (judged[place]?.groundTruths ?? []).map((one, index) => ({
      id: index,
      image_id: 1,
      category_id: one.classIndex,
      bbox: boxOf(one),
    })),
  };
  const annotation = JSON.stringify({ annotationFile: JSON.stringify(document) });
  await ask(`/dataset/blood-cells/annotate/${id}?name=a.json`, 'application/json', annotation);
}

async function ask(path: string, type: string, body: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': type };
  const answer = await fetch(url + path, { method: 'POST', headers, body });
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return answer.json();
}

function resultsText(): string {
  const results = judged.flatMap(({ detections }, place) =>
    detections.map((one) => ({
      image_id: `${names[place]}.jpg`,
      category_id: classes[one.classIndex],
      bbox: boxOf(one),
      score: one.score,
    })),
  );
  return JSON.stringify(results);
}

function boxOf(region: Region): readonly number[] {
  const { left, top, width: across, height } = region;
  return [left, top, across, height].map((value) => Math.round(value * 10) / 10);
}

async function ended(): Promise<void> {
  for (;;) {
    const wanted = { ...at, evaluationId: made.evaluationId };
    const { status, error } = (await client.call(evaluations.evaluations_get, wanted)).body;
    if (status === 'completed') return;
    if (status === 'failed') throw new Error(error);
    await sleep(100);
  }
}
