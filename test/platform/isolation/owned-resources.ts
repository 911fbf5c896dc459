// One of everything that the platform can hold, made through its API by whoever owns it.

import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { embeddedOperations } from '../../../src/contract/index.ts';
import { testImage } from '../../fixtures/images.ts';
import { mp4 } from '../../fixtures/mp4-files.ts';
import { callOperation, type Input } from './call.ts';

type Id = keyof typeof embeddedOperations;

/** Where a call goes, and the ids that it may name. */
export interface Things {
  /** For the place of the workspace in an address. */
  readonly workspace: string;
  /** Slug of the workspace that holds `project`, for bodies that name both. */
  readonly owner: string;
  readonly project: string;
  readonly imageId: string;
  /** Which may be deleted. */
  readonly otherImageId: string;
  readonly batchId: string;
  readonly jobId: string;
  readonly autolabelId: string;
  readonly taskId: string;
  readonly zipTaskId: string;
  readonly exportTaskId: string;
  /** Waits, or runs for ever. */
  readonly trainingId: string;
  readonly otherTrainingId: string;
  /** Of a training that is done. */
  readonly modelId: string;
  readonly evaluationId: string;
  readonly folderId: string;
  readonly keyId: string;
  readonly otherKeyId: string;
  readonly workflow: string;
  readonly workflowId: string;
  readonly trashedProjectId: string;
  readonly videoJobId: string;
  readonly videoLink: string;
  readonly inferenceId: string;
  readonly sourceId: string;
  readonly useCaseId: string;
  readonly eventId: string;
  readonly continuationToken: string;
}

type MadeThings = Omit<Things, 'trainingId' | 'otherTrainingId'>;

/** What nobody else may ever read: it is in every name that is given here. */
export type Marker = `${string}canary`;

export interface Owner {
  readonly url: string;
  readonly key: string;
  readonly workspace: string;
  /** Also the slug of the project. */
  readonly project: string;
  readonly marker: Marker;
}

/** Calls that were refused: a matrix over ids that nobody has would prove nothing. */
export const unmade: string[] = [];

/** What cannot be made is in `unmade`, and has an id that nobody has. */
export async function makeThings(owner: Owner): Promise<MadeThings> {
  const { workspace, project } = owner;
  const ask = asker(owner);
  const at = { workspace, project };
  await ask('projects_create', { path: { workspace }, body: projectBody(project) });
  const images = await makeImages(owner, ask);
  const { batches } = await ask('batches_list', { path: at });
  const batchId = z
    .looseObject({ id: z.string() })
    .parse(z.array(z.unknown()).parse(batches)[0]).id;
  const folderId = await idOf(ask, 'folders_create', {
    path: { workspace },
    body: { name: `${owner.marker} folder`, projects: [project] },
  });
  return {
    workspace,
    owner: workspace,
    project,
    batchId,
    folderId,
    ...images,
    ...(await makeVersion(owner, ask)),
    ...(await makeJobs(owner, ask, batchId)),
    ...(await makeInWorkspace(owner, ask)),
    ...(await makeInferences(owner, ask)),
  };
}

type Ask = (id: Id, input: Input) => Promise<Readonly<Record<string, unknown>>>;

function asker({ url, key }: Owner): Ask {
  return async (id, input) => {
    const { status, text } = await callOperation(url, key, embeddedOperations[id], input);
    if (status >= 300) {
      unmade.push(`${id} ${JSON.stringify(input)}: ${status} ${text}`);
      return {};
    }
    return z.looseObject({}).parse(text === '' ? {} : JSON.parse(text));
  };
}

async function idOf(ask: Ask, id: Id, input: Input, member = 'id'): Promise<string> {
  const found = (await ask(id, input))[member];
  return typeof found === 'string' ? found : `unmade-${id}`;
}

/** Of all projects here. */
export const annotationGroup = 'things';

function projectBody(name: string) {
  return { name, type: 'object-detection', annotation: annotationGroup };
}

async function makeImages({ workspace, project, marker }: Owner, ask: Ask) {
  const upload = async (shade: number) =>
    idOf(ask, 'images_upload', {
      path: { project },
      query: { name: `${marker}-${shade}.png`, tag: `${marker}-tag`, batch: `${marker} batch` },
      body: { file: await testImage(shade) },
    });
  const ids: string[] = [];
  for (let shade = 1; shade <= imagesMade; shade += 1) ids.push(await upload(shade));
  const [imageId = '', otherImageId = ''] = ids;
  const box = '<bndbox><xmin>8</xmin><ymin>8</ymin><xmax>16</xmax><ymax>16</ymax></bndbox>';
  await ask('images_annotate', {
    path: { project, imageId },
    query: { name: 'one.xml' },
    body: { annotationFile: vocFile(`<object><name>${marker}-class</name>${box}</object>`) },
  });
  await ask('images_set_metadata', {
    path: { workspace, imageId },
    body: { metadata: { place: marker } },
  });
  return { imageId, otherImageId };
}

/** Enough for the jobs that are made here, and for those of the matrix. */
export const imagesMade = 7;

/** An annotation in Pascal VOC. */
export function vocFile(objects = ''): string {
  const size = '<size><width>64</width><height>48</height><depth>3</depth></size>';
  return `<annotation>${size}${objects}</annotation>`;
}

async function makeVersion({ workspace, project, marker }: Owner, ask: Ask) {
  const path = { workspace, project, version: 1 };
  const body = { versionName: `${marker} version`, preprocessing: {}, augmentation: {} };
  const taskId = await idOf(ask, 'versions_generate', { path, body }, 'taskId');
  await ended(ask, workspace, taskId);
  const trainingId = await idOf(ask, 'trainings_start', { path, body: {} }, 'trainingId');
  await ended(ask, workspace, trainingId);
  await ask('deployment_set_model', {
    path,
    body: { model: { type: 'model_id', modelId: `${project}/1/${trainingId}` } },
  });
  const judged = {
    path: { workspace, project },
    body: { version: 1, split: 'train', predictions: noResults },
  };
  const evaluationId = await idOf(ask, 'evaluations_create', judged, 'evaluationId');
  await ended(ask, workspace, evaluationId);
  return { taskId, modelId: `${project}/1/${trainingId}`, evaluationId };
}

/** A file of predictions. */
export const noResults = Buffer.from('[]');

/** Two trainings that wait, or one runs for ever: to be started when all others are done. */
export async function startTrainings(
  owner: Owner,
): Promise<Pick<Things, 'trainingId' | 'otherTrainingId'>> {
  const path = { workspace: owner.workspace, project: owner.project, version: 1 };
  const body = { epochs: endlessEpochs };
  const start = () => idOf(asker(owner), 'trainings_start', { path, body }, 'trainingId');
  return { trainingId: await start(), otherTrainingId: await start() };
}

/** Trainings with so many do not end. */
const endlessEpochs = 299;

/** A program that trains: it copies a model, or waits for ever. */
export function trainerProgram(model: string): string {
  return `
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
const text = readFileSync(process.argv.at(-1), 'utf8');
const { output } = JSON.parse(text);
if (text.includes('"epochs":${endlessEpochs}')) setInterval(() => {}, 1e8);
else {
  copyFileSync(${JSON.stringify(model)}, output + '/model.onnx');
  writeFileSync(output + '/metrics.json', '{"map50": 1, "precision": 1, "recall": 1}');
}
`;
}

async function ended(ask: Ask, workspace: string, taskId: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const { status } = await ask('tasks_get', { path: { workspace, taskId } });
    if (status !== 'created' && status !== 'running') return;
    await delay(20);
  }
  throw new Error(`the task ${taskId} does not end`);
}

/** One image, so that others stay free. */
const labelling = { modelType: 'local', numImagesToLabel: 1 };

async function makeJobs(
  { workspace, project, marker }: Owner,
  ask: Ask,
  batchId: string,
): Promise<Pick<Things, 'jobId' | 'autolabelId' | 'zipTaskId' | 'exportTaskId'>> {
  const path = { workspace, project };
  const people = { labelerEmail: 'ada@example.com', reviewerEmail: 'bob@example.com' };
  return {
    jobId: await idOf(ask, 'annotation_jobs_create', {
      path,
      body: { name: `${marker} job`, batch: batchId, num_images: 1, ...people },
    }),
    autolabelId: await idOf(
      ask,
      'autolabel_start',
      { path, body: { ...labelling, batchId, ontology: { red: `${marker}-class` } } },
      'jobId',
    ),
    zipTaskId: await idOf(ask, 'images_upload_zip', { path, body: {} }, 'taskId'),
    exportTaskId: await idOf(
      ask,
      'search_export_start',
      { path: { workspace }, body: { query: '*', format: 'coco', dataset: project } },
      'taskId',
    ),
  };
}

async function makeInWorkspace(owner: Owner, ask: Ask) {
  const { workspace, project, marker } = owner;
  const path = { workspace };
  const keyId = () =>
    idOf(ask, 'api_keys_create', { path, body: { name: `${marker} key` } }, 'keyId');
  const { workflow } = await ask('workflows_create', {
    path,
    body: { name: `${project} flow`, config: { secret: marker } },
  });
  const trashed = `${project}-trashed`;
  await ask('projects_create', { path, body: projectBody(trashed) });
  const trashedProjectId = await idOf(ask, 'projects_delete', {
    path: { ...path, project: trashed },
  });
  const continuationToken = await idOf(
    ask,
    'workspace_search',
    { path, body: { query: '*', pageSize: 1 } },
    'continuationToken',
  );
  return {
    keyId: await keyId(),
    otherKeyId: await keyId(),
    workflow: `${project}-flow`,
    workflowId: String(Object(workflow).id ?? 'unmade-workflow'),
    trashedProjectId,
    continuationToken,
  };
}

async function makeInferences({ project, marker }: Owner, ask: Ask) {
  const file = await testImage(7);
  const sourceId = await idOf(
    ask,
    'vision_events_upload_image',
    { body: { file, name: `${marker}.png` } },
    'sourceId',
  );
  const useCaseId = await idOf(ask, 'use_cases_create', { body: { name: `${project} use` } });
  await ask('use_cases_rename', { path: { useCaseId }, body: { name: `${marker} use` } });
  const eventId = `${marker}-event`;
  await ask('vision_events_create', {
    body: {
      eventId,
      eventType: 'custom',
      useCaseId,
      timestamp: new Date().toISOString(),
      customMetadata: { [`${marker}-field`]: marker },
    },
  });
  const inferenceId = await idOf(
    ask,
    'inference_run',
    { path: { project, version: 'local' }, body: { file } },
    'inference_id',
  );
  const videoLink = await idOf(
    ask,
    'video_upload_url_create',
    { body: { file_name: `${marker}.mp4` } },
    'signed_url',
  );
  await fetch(videoLink, { method: 'PUT', body: new Uint8Array(mp4()) });
  const models = [{ model_id: project, model_version: '1', inference_type: 'object-detection' }];
  const started = { body: { input_url: videoLink, models } };
  const videoJobId = await idOf(ask, 'video_inference_start', started, 'job_id');
  return { sourceId, useCaseId, eventId, inferenceId, videoLink, videoJobId };
}
