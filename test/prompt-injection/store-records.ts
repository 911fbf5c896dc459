// Stores the records for real: through tools, on the embedded platform and an Event Store.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Facts, Fovea } from '../fixtures/fovea.ts';
import { testImage } from '../fixtures/images.ts';
import { textsOf } from './injected-records.ts';

/** Makes a call that must succeed, and gives its facts. */
export type Make = (tool: string, args: Facts) => Promise<Facts>;

/** The ids of what was stored, for reading it back. */
export interface Seeded {
  readonly projects: readonly string[];
  readonly imageIds: readonly string[];
  readonly batchId: string;
  readonly jobId: string;
  readonly taskId: string;
  readonly folderId: string;
  readonly keyId: string;
  readonly eventIds: readonly string[];
}

const type = 'object-detection';
const cells = { project: 'cells' };

export async function seedPlatform(
  make: Make,
  { folder }: Pick<Fovea, 'folder'>,
): Promise<Omit<Seeded, 'eventIds'>> {
  await make('projects_create', { name: 'Cells', type, annotation: 'cells' });
  const named = [];
  for (const name of textsOf('project-name')) {
    named.push(await make('projects_create', { name, type, annotation: 'cells' }));
  }
  for (const [at, annotation] of textsOf('annotation-group').entries()) {
    named.push(await make('projects_create', { name: `Group ${at}`, type, annotation }));
  }
  const projects = ['cells', ...named.map(({ id }) => String(id).split('/').at(-1) ?? '')];
  const imageIds = await seedImages(make, folder);
  await seedWords(make, imageIds);
  const { batches } = await make('batches_list', cells);
  const batchId = String(Object(Array.isArray(batches) ? batches[0] : undefined).id);
  const job = await make('annotation_jobs_create', {
    ...cells,
    name: textsOf('job-name')[0],
    batch: batchId,
    num_images: 1,
    labelerEmail: 'lea@example.com',
    reviewerEmail: 'rob@example.com',
  });
  const settings = { ...cells, preprocessing: {}, augmentation: {} };
  const { taskId } = await make('versions_generate', settings);
  await make('tasks_wait', { taskId });
  return {
    projects,
    imageIds,
    batchId,
    jobId: String(job.id),
    taskId: String(taskId),
    ...(await seedManaged(make)),
  };
}

/** Files whose names are the records, labelled with classes whose names are records. */
async function seedImages(make: Make, folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const [at, name] of textsOf('file-name').entries()) {
    const path = join(folder, name);
    await writeFile(path, await testImage(at + 1));
    files.push(path);
  }
  const batch = textsOf('batch-name')[0];
  const uploaded: string[] = [];
  for (const file of files) {
    const { images } = await make('images_upload', { ...cells, files: [file], batch });
    uploaded.push(...(Array.isArray(images) ? images.map(({ id }) => String(id)) : []));
  }
  const classes = textsOf('class-name');
  const annotation = classes.map((_, at) => `${at} .5 .5 .1 .1`).join('\n');
  const labelmap = Object.fromEntries(classes.entries());
  // The last one waits for a label, in the batch of the job.
  for (const imageId of uploaded.slice(0, -1)) {
    const labels = { annotation, name: 'a.txt', labelmap, overwrite: true };
    await make('images_annotate', { ...cells, imageId, ...labels });
  }
  return uploaded;
}

async function seedWords(make: Make, [imageId]: readonly string[]): Promise<void> {
  const tags = textsOf('tag');
  await make('images_tag', { ...cells, imageId, operation: 'add', tags });
  const keys = textsOf('metadata-key').map((key) => [key, 'a value']);
  const values = textsOf('metadata-value').map((value, at) => [`note${at}`, value]);
  const metadata = Object.fromEntries([...keys, ...values]);
  await make('images_set_metadata', { imageId, metadata });
}

async function seedManaged(make: Make) {
  const folders = [];
  for (const name of textsOf('folder-name')) folders.push(await make('folders_create', { name }));
  const { keyId } = await make('api_keys_create', { name: textsOf('key-name')[0], scopes: [] });
  return { folderId: String(folders[0]?.id), keyId: String(keyId) };
}

export async function seedEvents(
  make: Make,
  { folder }: Pick<Fovea, 'folder'>,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const create = async (event: Facts) => {
    const { id } = await make('events_create', { event_schema: 'custom', ...event });
    ids.push(String(id));
    return String(id);
  };
  for (const value of textsOf('event-data')) await create({ event_data: { value } });
  const image = join(folder, 'seen.png');
  await writeFile(image, await testImage(9));
  const box = { x: 10, y: 10, width: 5, height: 5, confidence: 0.9 };
  const objectDetections = textsOf('event-class').map((name) => ({ class: name, ...box }));
  const [note, other] = textsOf('event-metadata');
  const event_id = await create({
    event_data: { value: 'x' },
    custom_metadata: { note, other },
    draft: true,
    device_id: textsOf('device')[0],
    images: [{ file: image, objectDetections }],
  });
  const report = join(folder, 'report.csv');
  await writeFile(report, 'cell,count\n');
  const label = textsOf('attachment-label')[0];
  await make('events_attach_file', { event_id, file: report, label, content_type: 'text/csv' });
  await make('events_finalize', { event_id });
  await make('events_hold', { event_id, reason: textsOf('hold-reason')[0] });
  return ids;
}
