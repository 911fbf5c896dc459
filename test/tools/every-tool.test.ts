// Every tool once, through a host, on the embedded platform and an Event Store: it answers, or it
// says in its error what keeps it from answering. None fails unforeseen.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isoTime, systemClock } from '../../src/clock.ts';
import { notYet } from '../../src/platform/not-yet.ts';
import list from '../../tools/list.json' with { type: 'json' };
import { type EventStoreProcess, startEventStoreProcess } from '../fixtures/event-store-process.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { picture } from '../fixtures/pictures.ts';
import { mp4 } from '../fixtures/videos.ts';

let store: EventStoreProcess;
let fovea: Fovea;
let known: Facts;

beforeAll(async () => {
  store = await startEventStoreProcess();
  fovea = await launchFovea({ FOVEA_DEVICE_URL: store.url });
  const [file, other] = [join(fovea.folder, 'one.png'), join(fovea.folder, 'two.png')];
  await writeFile(file, await picture(1));
  await writeFile(other, await picture(2));
  await fovea.ok('projects_create', { name: 'Cells', type: 'object-detection', annotation: 'x' });
  const { images } = await fovea.ok('images_upload', {
    project: 'cells',
    files: [file, other],
  });
  const settings = { project: 'cells', preprocessing: {}, augmentation: {} };
  const { taskId } = await fovea.ok('versions_generate', settings);
  await fovea.ok('tasks_wait', { taskId });
  await fovea.ok('versions_generate', settings);
  const { batches } = await fovea.ok('batches_list', { project: 'cells' });
  const [imageId, spareImageId] = Object(images).map(({ id }: { id: string }) => id);
  const video = join(fovea.folder, 'a.mp4');
  await writeFile(video, mp4());
  const { id: event_id } = await fovea.ok('events_create', { ...deviceEvent, draft: true });
  const batchId = Object(batches)[0].id;
  known = { file, imageId, spareImageId, taskId, batchId, video, event_id };
});

afterAll(async () => {
  await fovea.close();
  await store.stop();
});

const deviceEvent = { event_schema: 'custom', event_data: { value: 'x' } };

/** Arguments that the schema of a tool accepts. */
function argumentsFor(name: string): Facts {
  const { imageId, spareImageId, batchId, taskId, file, video, event_id } = known;
  const split = { train: 1, valid: 1, test: 1 };
  const event = {
    eventId: '1',
    eventType: 'custom',
    useCaseId: 'u',
    timestamp: isoTime(systemClock.now()),
  };
  const special: Record<string, Facts> = {
    projects_create: { name: 'Other', type: 'object-detection', annotation: 'x' },
    projects_delete: { project: 'other' },
    projects_fork: { url: 'https://example.com/x/y' },
    projects_rebalance_splits: { splits: split },
    versions_export: { format: 'coco', version: 1 },
    versions_delete: { version: 2 },
    versions_generate: { preprocessing: {}, augmentation: {} },
    versions_preview: { project: 'cells', augmentation: { flip: { horizontal: true } } },
    images_upload: { files: [file] },
    images_annotate: { imageId, annotation: '0 .5 .5 .1 .1', name: 'a.txt', labelmap: { 0: 'a' } },
    images_delete: { images: [spareImageId], confirm: 'cells' },
    images_tag: { imageId, operation: 'add', tags: ['a'] },
    images_set_metadata: { imageId, metadata: { a: 1 } },
    images_set_metadata_bulk: { updates: [{ imageId, metadata: { a: 1 } }] },
    batches_get: { batchId },
    tasks_get: { taskId },
    tasks_wait: { taskId },
    trash_restore: { type: 'version', id: '1', parentId: 'p' },
    api_keys_revoke: { keyId: 'k', confirm: 'k' },
    folders_delete: { folderId: 'f', confirm: 'f' },
    folders_set_projects: { folderId: 'f', projects: ['cells'] },
    trainings_cancel: { version: 1, confirm: 'cells/1' },
    trainings_stop: { version: 1, confirm: 'cells/1' },
    trainings_recipe: { version: 1, modelType: 'x' },
    autolabel_start: { batchId, modelType: 'sam3', ontology: { cell: 'cell' } },
    catalog_search_by_image: { image: file },
    search_export_start: { query: '*', format: 'coco', dataset: 'cells' },
    deployment_set_model: { model: { type: 'model_id', modelId: 'm' } },
    annotation_jobs_create: {
      name: 'a',
      batch: batchId,
      num_images: 1,
      labelerEmail: 'a@example.com',
      reviewerEmail: 'a@example.com',
    },
    inference_stats_set_metadata: {
      data: [{ inference_ids: ['a'], field_name: 'b', field_value: 'c' }],
    },
    vision_events_create: event,
    vision_events_create_batch: { events: [{ ...event, eventId: '2' }] },
    vision_events_upload_image: { file },
    video_inference_start: {
      input_url: 'https://example.com/a.mp4',
      infer_fps: 5,
      models: [{ model_id: 'm', model_version: '1', inference_type: 'object-detection' }],
    },
    events_create: { ...deviceEvent, inference_timestamp: '2026-11-21T00:00:00Z' },
    events_attach_video: { event_id, file: video },
    events_attach_file: { event_id, file },
    events_hold: { event_id, reason: 'x' },
  };
  const tool = list.find((each) => each.name === name);
  const { required = [] }: { required?: string[] } = tool?.inputSchema ?? {};
  const plain: Facts = { project: 'cells', version: 1, imageId, batchId, taskId, event_id };
  const needed = required.map((argument) => [argument, plain[argument] ?? 'x']);
  return { ...Object.fromEntries(needed), workspace: 'local', ...special[name] };
}

function fits(name: string, args: Facts): Facts {
  const tool = list.find((each) => each.name === name);
  const properties = Object.keys(tool?.inputSchema.properties ?? {});
  return Object.fromEntries(Object.entries(args).filter(([key]) => properties.includes(key)));
}

it.each(list.map(({ name }) => name))('%s', async (name) => {
  const { isError, data, text } = await fovea.call(name, fits(name, argumentsFor(name)));
  const { code } = Object(data.error ?? {});
  const isMissing = notYet.some((id) => id === name);
  if (isMissing) expect([code, text]).toEqual(['not_implemented', expect.stringContaining(name)]);
  else if (name === 'trash_restore') expect(code).toBe('not_found');
  else expect([isError, text]).toEqual([false, expect.anything()]);
});
