// Answers that are too long for a model: cut in the result, and whole in a file.

import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EventStoreProcess, startEventStoreProcess } from '../fixtures/event-store-process.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { testImage } from '../fixtures/images.ts';

let store: EventStoreProcess;
let fovea: Fovea;
let event_id: string;

const box = { class: 'cell', x: 10, y: 10, width: 5, height: 5, confidence: 0.9 };
const objectDetections = Array(1_000).fill(box);

beforeAll(async () => {
  store = await startEventStoreProcess();
  fovea = await launchFovea({ FOVEA_DEVICE_URL: store.url });
  const file = join(fovea.folder, 'seen.png');
  await writeFile(file, await testImage(1));
  const images = [{ file, objectDetections }];
  const event = { event_schema: 'custom', event_data: { value: 'x' }, images };
  event_id = String((await fovea.ok('events_create', event)).id);
});

afterAll(async () => {
  await fovea.close();
  await store.stop();
});

test('the file has all of it, for its owner alone, and is linked', async () => {
  const result = await fovea.client.callTool({ name: 'events_get', arguments: { event_id } });
  const [words] = result.content;
  const link = result.content.find(({ type }) => type === 'resource_link');
  expect(words).toMatchObject({
    text: expect.stringMatching(
      /^Event .*\nToo long to show whole: "cut" says what is left out; the file has all of it\.\nFile: .*answers/,
    ),
  });
  expect(result.structuredContent).toMatchObject({ truncated: true, cut: [{ total: 1_000 }] });
  const path = fileURLToPath(link?.type === 'resource_link' ? link.uri : '');
  expect(path.startsWith(join(fovea.home, 'answers'))).toBe(true);
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({
    id: event_id,
    images: [{ object_detections: { length: 1_000 } }],
  });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(fovea.home, 'answers'))).mode & 0o777).toBe(0o700);
});

test('a short answer makes no file', async () => {
  const before = await readdir(join(fovea.home, 'answers'));
  await fovea.ok('events_count');
  expect(await readdir(join(fovea.home, 'answers'))).toEqual(before);
});

test('the newest hundred are kept, for a week', async () => {
  const folder = join(fovea.home, 'answers');
  await mkdir(folder, { recursive: true });
  const names = Array.from({ length: 120 }, (_, at) => `20200101T000000000Z-${at + 100}-x.json`);
  for (const name of names) await writeFile(join(folder, name), '{}');
  await fovea.call('events_get', { event_id });
  const left = await readdir(folder);
  expect(left).toHaveLength(100);
  expect(left.filter((name) => name.includes('events_get'))).toHaveLength(2);

  const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1_000);
  for (const name of left.filter((each) => each.endsWith('-x.json'))) {
    await utimes(join(folder, name), old, old);
  }
  await fovea.call('events_get', { event_id });
  expect((await readdir(folder)).filter((name) => name.endsWith('-x.json'))).toEqual([]);
});

test('where the folder cannot be written, the answer is cut alone', async () => {
  const other = await launchFovea({ FOVEA_DEVICE_URL: store.url });
  await mkdir(other.home, { recursive: true });
  await writeFile(join(other.home, 'answers'), 'a file in its place');
  const { isError, text } = await other.call('events_get', { event_id });
  expect([isError, text]).toEqual([false, expect.stringContaining('ask for less of it')]);
  await other.close();
});
