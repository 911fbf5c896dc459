// Every tool once, through a host, on the embedded platform and an Event Store, with arguments that
// it must answer. None may be refused: what is refused, and why, is in the tests of each family.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isoTime, systemClock } from '../../src/clock.ts';
import list from '../../tools/list.json' with { type: 'json' };
import { type EventStoreProcess, startEventStoreProcess } from '../fixtures/event-store-process.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { hasFfmpeg } from '../fixtures/has-ffmpeg.ts';
import { testImage } from '../fixtures/images.ts';
import { avi, mp4 } from '../fixtures/mp4-files.ts';

let store: EventStoreProcess;
let fovea: Fovea;
let known: Known;

const cells = { project: 'cells' };
const deviceEvent = { event_schema: 'custom', event_data: { value: 'x' } };

beforeAll(async () => {
  store = await startEventStoreProcess();
  fovea = await launchFovea({
    // Many equal things are made here.
    FOVEA_REPEAT_WINDOW_SECONDS: '0',
    FOVEA_DEVICE_URL: store.url,
    FOVEA_MODEL: resolve('test/fixtures/squares.onnx'),
    FOVEA_TRAINER: await waitingTrainer(),
  });
  const kept = await makeFiles();
  const images = await makeProjects(kept);
  const [trained, running] = [await makeVersions(), await makeTrainings()];
  known = {
    ...kept,
    ...images,
    ...trained,
    ...running,
    ...(await makeWork(kept)),
    evaluationId: await text('evaluationId', 'evaluations_create', judgedBy(kept)),
    spareEvaluationId: await text('evaluationId', 'evaluations_create', judgedBy(kept)),
    ...(await makeManaged()),
    ...(await makeVideo()),
    event_id: await text('id', 'events_create', { ...deviceEvent, draft: true }),
  };
}, 90_000);

afterAll(async () => {
  await fovea.close();
  await store.stop();
  await rm(trainerFolder, { recursive: true, force: true });
});

let trainerFolder = '';

/** A trainer that trains until it is told to stop. */
async function waitingTrainer(): Promise<string> {
  trainerFolder = await mkdtemp(join(tmpdir(), 'fovea-every-tool-'));
  const path = join(trainerFolder, 'trainer.sh');
  await writeFile(path, '#!/bin/sh\nexec /bin/sleep 600\n', { mode: 0o755 });
  return path;
}

/** A member of the answer of a tool that must not fail. */
async function text(member: string, tool: string, args: Facts = {}): Promise<string> {
  return String((await fovea.ok(tool, args))[member]);
}

async function ids(tool: string, args: Facts, member: string): Promise<readonly string[]> {
  const found = (await fovea.ok(tool, args))[member];
  return Array.isArray(found) ? found.map((one) => String(Object(one).id)) : [];
}

/** Four pictures, a video, predictions of nothing, and a folder that holds a fifth picture. */
async function makeFiles() {
  const files = [1, 2, 3, 4].map((shade) => join(fovea.folder, `${shade}.png`));
  for (const [index, path] of files.entries()) await writeFile(path, await testImage(index + 1));
  const video = join(fovea.folder, 'a.mp4');
  await writeFile(video, mp4());
  const results = join(fovea.folder, 'results.json');
  await writeFile(results, '[]');
  const folder = join(fovea.folder, 'pictures');
  await mkdir(folder);
  await writeFile(join(folder, 'five.png'), await testImage(5));
  return { file: files[0] ?? '', files, video, results, folder };
}

/** `cells` is labelled; `queue` and `waiting` have a batch that waits for labels. */
async function makeProjects({ files }: Awaited<ReturnType<typeof makeFiles>>) {
  for (const name of ['Cells', 'Queue', 'Waiting', 'Spare']) {
    await fovea.ok('projects_create', { name, type: 'object-detection', annotation: 'x' });
  }
  const [imageId = '', spareImageId = '', ...more] = await ids(
    'images_upload',
    { ...cells, files },
    'images',
  );
  for (const id of [imageId, ...more]) await fovea.ok('images_annotate', labels(id));
  for (const project of ['queue', 'waiting']) await fovea.ok('images_upload', { project, files });
  const batchOf = async (project: string) =>
    (await ids('batches_list', { project }, 'batches'))[0] ?? '';
  const [batchId, jobBatchId] = [await batchOf('cells'), await batchOf('queue')];
  return { imageId, spareImageId, batchId, jobBatchId, labelBatchId: await batchOf('waiting') };
}

function labels(imageId: string): Facts {
  const annotation = '0 .5 .5 .1 .1';
  return { ...cells, imageId, annotation, name: 'a.txt', labelmap: { 0: 'a' }, overwrite: true };
}

/** Five of them; the fourth is to be deleted, the fifth is in the trash. */
async function makeVersions() {
  let taskId = '';
  for (let number = 1; number <= 5; number += 1) {
    const settings = { ...cells, preprocessing: {}, augmentation: {} };
    taskId = await text('taskId', 'versions_generate', settings);
    await fovea.ok('tasks_wait', { taskId });
  }
  await fovea.ok('versions_delete', { ...cells, version: 5 });
  const { items, trash } = await fovea.ok('trash_list');
  const found = [items, trash].flat().find((one) => Object(one).type === 'version');
  const { id: trashId, parentId } = Object(found);
  return { taskId, trashId: String(trashId), parentId: String(parentId) };
}

/** One that runs, one that waits for it, and one that is over. */
async function makeTrainings() {
  const start = (version: number) => text('trainingId', 'trainings_start', trainingOf(version));
  const running = await start(2);
  const isRunning = async () =>
    JSON.stringify(await fovea.ok('trainings_list', { ...cells, version: 2 })).includes(
      '"running"',
    );
  while (!(await isRunning())) await delay(50);
  const queued = await start(3);
  const over = await start(3);
  const cancel = { ...cells, version: 3, trainingId: over, confirm: 'cells/3' };
  await fovea.ok('trainings_cancel', cancel);
  return { running, queued, over };
}

function trainingOf(version: number): Facts {
  return { ...cells, version, modelType: 'rfdetr-small', epochs: 1 };
}

const people = { labelerEmail: 'lea@example.com', reviewerEmail: 'rob@example.com' };

/** What goes on in the background, and what a model saw. */
async function makeWork({ file }: { readonly file: string }) {
  const [batch = ''] = await ids('batches_list', { project: 'queue' }, 'batches');
  const job = { project: 'queue', name: 'First', batch, num_images: 1, ...people };
  const [waiting = ''] = await ids('batches_list', { project: 'waiting' }, 'batches');
  const labelling = { project: 'waiting', batchId: waiting, modelType: 'local' };
  const seen = { ...cells, version: 'local', file };
  return {
    annotationJobId: await text('id', 'annotation_jobs_create', job),
    labelJobId: await text('jobId', 'autolabel_start', { ...labelling, numImagesToLabel: 1 }),
    zipTaskId: await text('taskId', 'images_upload_zip', cells),
    exportTaskId: await text('taskId', 'search_export_start', exported),
    inferenceId: await text('inference_id', 'inference_run', seen),
  };
}

const exported = { query: '*', format: 'coco', dataset: 'cells' };

function judgedBy({ results }: { readonly results: string }): Facts {
  return { ...cells, query: 'split:train', predictions: results };
}

/** Keys and folders: one to read and change, one to remove. */
async function makeManaged() {
  const key = () => text('keyId', 'api_keys_create', { scopes: [] });
  const folder = async (name: string) => {
    const made = await fovea.ok('folders_create', { name });
    return String(made.id ?? Object(made.folder).id ?? Object(made.group).id);
  };
  return {
    keyId: await key(),
    spareKeyId: await key(),
    folderId: await folder('Kept'),
    spareFolderId: await folder('Spare'),
  };
}

/** A video that was uploaded, and a job over it. */
async function makeVideo() {
  const frame = await testImage(1, 'jpeg');
  const videoUrl = await text('signed_url', 'video_upload_url_create', { file_name: 'a.avi' });
  const frames = Array.from({ length: 60 }, () => frame);
  const content = new Uint8Array(avi(frames, 30, 64, 48));
  const put = await fetch(videoUrl, { method: 'PUT', body: content });
  expect(put.status).toBe(200);
  const job_id = await text('job_id', 'video_inference_start', videoJob(videoUrl));
  const film = join(fovea.folder, 'film.avi');
  await writeFile(film, content);
  return { videoUrl, job_id, film };
}

function videoJob(input_url: string): Facts {
  const model = { model_id: 'local', model_version: '1', inference_type: 'object-detection' };
  return { input_url, infer_fps: 5, models: [model] };
}

type Known = Readonly<Record<KnownName, string>>;

type KnownName =
  | 'file'
  | 'video'
  | 'results'
  | 'folder'
  | 'imageId'
  | 'spareImageId'
  | 'batchId'
  | 'jobBatchId'
  | 'labelBatchId'
  | 'taskId'
  | 'trashId'
  | 'parentId'
  | 'running'
  | 'queued'
  | 'over'
  | 'annotationJobId'
  | 'labelJobId'
  | 'zipTaskId'
  | 'exportTaskId'
  | 'inferenceId'
  | 'evaluationId'
  | 'spareEvaluationId'
  | 'keyId'
  | 'spareKeyId'
  | 'folderId'
  | 'spareFolderId'
  | 'videoUrl'
  | 'film'
  | 'job_id'
  | 'event_id';

/** Arguments with which a tool does what it is for. */
function argumentsFor(name: string): Facts {
  const { imageId, batchId, taskId, file, event_id, job_id, keyId, folderId } = known;
  const special: Record<string, Facts> = {
    ...catalogArguments(),
    ...trainingArguments(),
    ...managedArguments(),
    ...labellingArguments(),
    ...eventArguments(),
  };
  const tool = list.find((each) => each.name === name);
  const { required = [] }: { required?: string[] } = tool?.inputSchema ?? {};
  const plain: Facts = {
    ...cells,
    version: 1,
    imageId,
    batchId,
    taskId,
    event_id,
    job_id,
    keyId,
    folderId,
    file,
  };
  const needed = required.map((argument) => [argument, plain[argument] ?? 'x']);
  return { ...Object.fromEntries(needed), workspace: 'local', ...special[name] };
}

function catalogArguments(): Record<string, Facts> {
  const { imageId, spareImageId, file, folder, zipTaskId, exportTaskId } = known;
  return {
    projects_create: { name: 'Other', type: 'object-detection', annotation: 'x' },
    projects_delete: { project: 'spare' },
    projects_fork: { source_project: 'cells' },
    projects_rebalance_splits: { splits: { train: 1, valid: 1, test: 1 } },
    versions_export: { format: 'coco', version: 1 },
    projects_findings: { finding: 'leaks' },
    classes_change: { rename: { a: 'renamed' }, dry_run: true },
    versions_diff: { from: 1, to: 1 },
    versions_delete: { version: 4 },
    versions_generate: { preprocessing: {}, augmentation: {} },
    versions_preview: { ...cells, augmentation: { flip: { horizontal: true } } },
    images_upload: { files: [file] },
    images_upload_zip: { path: folder },
    images_upload_zip_status: { taskId: zipTaskId },
    images_annotate: labels(imageId),
    images_download: { imageId, save_to: join(folder, 'original.jpg') },
    images_delete: { images: [spareImageId], confirm: 'cells' },
    images_tag: { imageId, operation: 'add', tags: ['a'] },
    images_set_split: { images: [imageId], split: 'valid' },
    images_set_metadata: { imageId, metadata: { a: 1 } },
    images_set_metadata_bulk: { updates: [{ imageId, metadata: { a: 1 } }] },
    catalog_search_by_image: { image: file },
    annotation_review: { query: 'split:test' },
    tasks_wait: { taskId: known.taskId },
    search_export_start: exported,
    search_export_get: { taskId: exportTaskId },
    trash_restore: { type: 'version', id: known.trashId, parentId: known.parentId },
  };
}

function trainingArguments(): Record<string, Facts> {
  const { running, queued, over, inferenceId, file } = known;
  return {
    trainings_start: trainingOf(1),
    trainings_recipe: { version: 1, modelType: 'rfdetr-small' },
    trainings_cancel: { version: 3, trainingId: queued, confirm: 'cells/3' },
    trainings_stop: { version: 2, trainingId: running, confirm: 'cells/2' },
    trainings_delete: { version: 3, trainingId: over },
    evaluations_create: judgedBy(known),
    evaluations_get: { evaluationId: known.evaluationId },
    evaluations_compare: {
      evaluationId: known.evaluationId,
      baseline: known.spareEvaluationId,
    },
    evaluations_tag: { evaluationId: known.evaluationId, only: 'misses', tag: 'odd' },
    evaluations_mend: { evaluationId: known.evaluationId, only: 'swapped' },
    evaluations_delete: {
      evaluationId: known.spareEvaluationId,
      confirm: known.spareEvaluationId,
    },
    deployment_set_model: { model: { type: 'model_id', modelId: 'local' } },
    inference_run: { version: 'local', file },
    inference_stats_set_metadata: {
      data: [{ inference_ids: [inferenceId], field_name: 'b', field_value: 'c' }],
    },
  };
}

function managedArguments(): Record<string, Facts> {
  const { keyId, spareKeyId, folderId, spareFolderId } = known;
  return {
    api_keys_update: { keyId, name: 'renamed' },
    api_keys_revoke: { keyId: spareKeyId, confirm: spareKeyId },
    folders_update: { folderId, name: 'Renamed' },
    folders_delete: { folderId: spareFolderId, confirm: spareFolderId },
    folders_set_projects: { folderId, projects: ['cells'] },
  };
}

function labellingArguments(): Record<string, Facts> {
  const { annotationJobId, labelJobId, jobBatchId, labelBatchId, videoUrl, film } = known;
  return {
    annotation_jobs_create: {
      project: 'queue',
      name: 'Second',
      batch: jobBatchId,
      num_images: 1,
      ...people,
    },
    annotation_jobs_get: { project: 'queue', jobId: annotationJobId },
    autolabel_start: {
      project: 'waiting',
      batchId: labelBatchId,
      modelType: 'local',
      ontology: { red: 'stamp' },
    },
    autolabel_get: { jobId: labelJobId },
    video_upload_url_create: { file_name: 'a.mp4' },
    video_inference_start: videoJob(videoUrl),
    video_frames_upload: { ...cells, file: film },
  };
}

function eventArguments(): Record<string, Facts> {
  const { event_id, file, video } = known;
  const timestamp = isoTime(systemClock.now());
  const event = { eventId: '1', eventType: 'custom', useCaseId: 'u', timestamp };
  return {
    vision_events_create: event,
    vision_events_create_batch: { events: [{ ...event, eventId: '2' }] },
    vision_events_upload_image: { file },
    events_create: { ...deviceEvent, inference_timestamp: '2026-11-21T00:00:00Z' },
    events_attach_video: { event_id, file: video },
    events_attach_file: { event_id, file },
    events_hold: { event_id, reason: 'x' },
  };
}

/** Without what the tool does not know. */
function fits(name: string, args: Facts): Facts {
  const tool = list.find((each) => each.name === name);
  const properties = Object.keys(tool?.inputSchema.properties ?? {});
  return Object.fromEntries(Object.entries(args).filter(([key]) => properties.includes(key)));
}

/** What cannot run here. */
const without = hasFfmpeg ? [] : ['video_frames_upload'];

const called = list
  .filter((tool) => !('appOnly' in tool))
  .flatMap(({ name }) => (without.includes(name) ? [] : [name]));

it.each(called)('%s', async (name) => {
  const { isError, text: words } = await fovea.call(name, fits(name, argumentsFor(name)));
  expect({ isError, words }).toEqual({ isError: false, words: expect.stringMatching(/\S/) });
});
