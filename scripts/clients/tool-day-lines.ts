// What the day does by the command line: a second project of each kind, and images of one.

import { join } from 'node:path';
import { type Kind, picture } from './day-folders.ts';
import { listOf } from './facts.ts';
import type { ToolCalls } from './tool-calls.ts';
import { bulkFolder, makeJob, makeVersion, types } from './tool-day-projects.ts';

const formats: Readonly<Record<Kind, string>> = {
  'object-detection': 'coco',
  classification: 'folder',
  'instance-segmentation': 'coco-segmentation',
};

/** What the client calls a batch that has no name. */
const clientBatch = 'Pip Package Upload';

export async function workOnLine(calls: ToolCalls, kind: Kind): Promise<void> {
  const project = `line-${kind}`;
  await calls.ok('projects_create', {
    name: `line ${kind}`,
    type: types[kind],
    license: 'Private',
    annotation: 'cells',
  });
  const of = { split: 'train', batch: 'noon', tags: ['seen'] };
  const first = await calls.upload(picture(0), { project, ...of });
  if (kind !== 'classification') {
    await calls.annotate(kind, first, picture(0), { project, jobName: 'noon' });
  }
  const path = bulkFolder(calls, kind);
  await calls.ok('images_upload_zip', { project, path, batchName: clientBatch });
  await makeVersion(calls, project, [formats[kind]]);
}

/** Images of the project for object detection. */
export async function workOnImages(calls: ToolCalls): Promise<void> {
  const project = 'line-object-detection';
  const { results } = await calls.ok('images_search', { project, tag: 'seen' });
  const imageId = String(listOf(results)[0]?.id);
  const addTags = ['mended'];
  await calls.ok('images_set_metadata', { imageId, metadata: { line: 4 }, addTags });
  await calls.ok('images_tag', { project, imageId, operation: 'add', tags: ['again'] });
  await calls.uploadPicture({ project, batch: clientBatch });
  const save_to = join(calls.folder, 'found-in-line.zip');
  await exportSearch(calls, { query: 'tag:seen', format: 'coco', dataset: project, save_to });
  const of = { split: 'train', batch: clientBatch, tags: ['again'] };
  await calls.upload(picture(0), { project, ...of });
  const path = bulkFolder(calls, 'object-detection');
  await calls.ok('images_upload_zip', { project, path, batchName: clientBatch });
  await calls.uploadPicture({ project, batch: 'free' });
  await makeJob(calls, project, 'noon', 'free');
}

export async function exportSearch(
  calls: ToolCalls,
  { save_to, ...search }: { readonly save_to: string; readonly [name: string]: unknown },
): Promise<void> {
  const { link, taskId = link } = await calls.ok('search_export_start', search);
  await calls.wait({ taskId });
  await calls.ok('search_export_get', { taskId, save_to });
}
