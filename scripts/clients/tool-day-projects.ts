// What the day does in a project of each kind: images, annotations, batches, jobs, versions.

import { join } from 'node:path';
import { type Kind, layOutCopy, layOutFolder, picture } from './day-folders.ts';
import { listOf } from './facts.ts';
import type { ToolCalls } from './tool-calls.ts';

const mail = 'labeler@example.com';

/** What the client calls a batch that has no name. */
const clientBatch = 'Pip Package Upload';

export const types: Readonly<Record<Kind, string>> = {
  'object-detection': 'object-detection',
  classification: 'single-label-classification',
  'instance-segmentation': 'instance-segmentation',
};

const formats: Readonly<Record<Kind, readonly string[]>> = {
  'object-detection': ['coco', 'yolov5', 'yolov8', 'voc', 'createml', 'tfrecord', 'multiclass'],
  classification: ['folder', 'multiclass'],
  'instance-segmentation': ['coco-segmentation', 'yolov8', 'voc'],
};

const settings = {
  preprocessing: {
    'auto-orient': true,
    resize: { width: 320, height: 320, format: 'Stretch to' },
  },
  augmentation: { flip: { horizontal: true, vertical: false }, image: { versions: 2 } },
};

export async function workOnProject(calls: ToolCalls, kind: Kind): Promise<void> {
  const project = `cells-${kind}`;
  await calls.ok('projects_create', {
    name: `cells ${kind}`,
    type: types[kind],
    license: 'MIT',
    annotation: 'cells',
  });
  const first = await uploadImages(calls, kind, project);
  await calls.ok('images_set_metadata', {
    imageId: first,
    metadata: { camera: 'north' },
    addTags: ['seen'],
  });
  await giveToLabel(calls, project);
  await makeVersion(calls, project, formats[kind]);
}

/** Returns the id of the first image. */
async function uploadImages(calls: ToolCalls, kind: Kind, project: string): Promise<string> {
  const of = { split: 'train', batch: 'morning', tags: ['first'] };
  const first = await calls.upload(picture(0), { project, ...of });
  await calls.ok('images_set_metadata', { imageId: first, metadata: { shift: 1 } });
  await calls.annotate(kind, first, picture(0), { project, jobName: 'morning' });
  const second = await calls.upload(picture(1), { project, split: 'valid', batch: clientBatch });
  await calls.annotate(kind, second, picture(1), { project });
  const third = await calls.upload(picture(2), { project, split: 'test', batch: 'noon' });
  await calls.annotate(kind, third, picture(2), { project });
  const bulk = bulkFolder(calls, kind);
  await layOutFolder(kind, bulk);
  await calls.ok('images_upload_zip', { project, path: bulk, batchName: 'evening' });
  const one = join(calls.folder, `one-${kind}`);
  await layOutCopy(one);
  await calls.ok('images_upload_zip', {
    project,
    path: one,
    tags: ['zipped'],
    batchName: 'night',
  });
  return first;
}

export function bulkFolder(calls: ToolCalls, kind: Kind): string {
  return join(calls.folder, `bulk-${kind}`);
}

async function giveToLabel(calls: ToolCalls, project: string): Promise<void> {
  const free = await calls.uploadPicture({ project, batch: 'to label' });
  await makeJob(calls, project, 'morning', 'to label');
  await calls.ok('images_delete', { project, images: [free], confirm: project });
}

/** A job with one image of a batch. */
export async function makeJob(calls: ToolCalls, project: string, name: string, batchName: string) {
  const { batches } = await calls.ok('batches_list', { project });
  const batch = listOf(batches).find((one) => one.name === batchName)?.id;
  const people = { labelerEmail: mail, reviewerEmail: mail };
  await calls.ok('annotation_jobs_create', { project, name, batch, num_images: 1, ...people });
}

export async function makeVersion(
  calls: ToolCalls,
  project: string,
  wanted: readonly string[],
  chosen: object = settings,
): Promise<number> {
  const { version } = await calls.ok('versions_generate', { project, ...chosen });
  await calls.wait({ project, version });
  for (const format of wanted) {
    const save_to = join(calls.folder, `${project}-${version}-${format}.zip`);
    await calls.ok('versions_export', { project, version, format, save_to });
  }
  return Number(version);
}
