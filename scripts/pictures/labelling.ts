// docs/labelling.png and docs/labelling-review.png: the page on which people label the sample.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { systemClock } from '../../src/clock.ts';
import { reviews } from '../../src/contract/annotation.ts';
import { evaluations } from '../../src/contract/evaluations.ts';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import { tasks } from '../../src/contract/tasks.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import { createLog } from '../../src/log.ts';
import { startPlatform } from '../../src/platform/platform.ts';
import { Secret } from '../../src/secret.ts';
import { openBrowser, visit } from '../../test/event-store/chromium.ts';
import { labelledBoxes } from '../measure-labelling/seed.ts';
import { allLoaded, savePicture } from './save-picture.ts';

const sample = join(import.meta.dirname, '../../sample/blood-cells/JPEGImages');
const at = { workspace: 'haematology', project: 'blood-cells' };
const labelled = 'BloodImage_00343.jpg';
const reviewed = 'BloodImage_00254.jpg';

const data = await mkdtemp(join(tmpdir(), 'fovea-pictures-'));
const key = 'a-key-for-the-picture';
const service = await startPlatform({
  data,
  host: '127.0.0.1',
  port: 0,
  workspace: at.workspace,
  keys: [new Secret(key)],
  log: createLog('warn'),
  clock: systemClock,
});
const upstream = async () => ({ url: service.url, credential: new Secret(key) });
const client = createClient({
  upstreams: { base: upstream, device: upstream },
  clock: systemClock,
  timeoutMs: 20_000,
});
const boxes = new Map(
  [...(await labelledBoxes())].map(([name, labels]) => [
    name,
    labels.filter(({ width }) => width > 0),
  ]),
);

await client.call(projects.projects_create, {
  workspace: at.workspace,
  name: 'Blood cells',
  type: 'object-detection',
  annotation: 'cells',
});
const ids = [await upload(reviewed)];
for (const name of [...boxes.keys()].slice(0, 5)) {
  if (name !== labelled && name !== reviewed) ids.push(await upload(name));
}
// Some labels are missing, which a model sees.
const first = await upload(labelled, (n) => n % 3 !== 1);
await evaluate(labelled);
const { jobId } = (
  await client.call(reviews.annotation_review, {
    ...at,
    images: ids,
    instructions: 'Are all platelets labelled? They are the small ones.',
  })
).body;

const browser = await openBrowser();
const page = await signedIn(browser, { colorScheme: 'dark' });
await show(page, `#project/blood-cells/annotate/${first}`);
await page.getByText('to decide about').waitFor();
await savePicture(page, 'labelling');
const other = await signedIn(browser, { colorScheme: 'light' });
await show(other, `#project/blood-cells/annotate/${ids[0]}?job=${jobId}`);
await other.keyboard.press('s');
await other.keyboard.type('The cells at the lower edge have no boxes.');
await savePicture(other, 'labelling-review');
await browser.close();
await client.close();
await service.close();
await rm(data, { recursive: true });

/** With those of its labels that `isLabelled`. */
async function upload(name: string, isLabelled: (n: number) => boolean = () => true) {
  const content = new Uint8Array(await readFile(join(sample, name)));
  const { body } = await client.call(images.images_upload, {
    project: at.project,
    file: { name, content },
  });
  const annotations = (boxes.get(name) ?? []).filter((_, n) => isLabelled(n)).map(inPixels);
  await client.call(images.images_annotate, {
    project: at.project,
    imageId: body.id,
    name: 'labels.json',
    annotationFile: JSON.stringify([{ image: name, annotations }]),
  });
  return body.id;
}

interface Labelled {
  readonly class: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

function inPixels({ class: label, left, top, width, height }: Labelled) {
  return { label, coordinates: { x: left + width / 2, y: top + height / 2, width, height } };
}

/** A model sees all labels of an image, of one more surely than of the next. */
async function evaluate(name: string): Promise<void> {
  const seen = (boxes.get(name) ?? []).map(({ class: label, left, top, width, height }, n) => ({
    image_id: name,
    category_id: label,
    bbox: [left, top, width, height],
    score: 0.97 - 0.01 * n,
  }));
  const content = new TextEncoder().encode(JSON.stringify(seen));
  const predictions = { name: 'predictions.json', content };
  const { taskId } = (
    await client.call(evaluations.evaluations_create, { ...at, query: '*', predictions })
  ).body;
  const task = { workspace: at.workspace, taskId };
  for (;;) {
    const { status } = (await client.call(tasks.tasks_get, task)).body;
    if (status === 'completed') return;
    if (status === 'failed') throw new Error('The evaluation failed.');
    await sleep(200);
  }
}

async function signedIn(from: Browser, options: BrowserContextOptions): Promise<Page> {
  const viewport = { width: 1120, height: 700 };
  const opened = await visit(from, service.url, { viewport, ...options });
  await opened.page.getByLabel('API key').fill(key);
  await opened.page.getByRole('button', { name: 'Open' }).click();
  await opened.page.getByRole('link', { name: 'Blood cells' }).waitFor();
  return opened.page;
}

async function show(shown: Page, address: string): Promise<void> {
  await shown.evaluate(`location.hash = ${JSON.stringify(address)}`);
  await shown.locator('.canvas .label').first().waitFor();
  await allLoaded(shown);
}
