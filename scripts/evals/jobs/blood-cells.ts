// What many jobs begin with: the sample as a project, and questions to its images.

import { join } from 'node:path';
import { at, type CallTool, type Facts, listAt, type Scene } from '../job.ts';

export const classCounts = { Platelets: 21, RBC: 125, WBC: 13 };

/** A project with the twelve labelled images, all in train; gives its slug. */
export async function importSample(
  call: CallTool,
  files: string,
  { name = 'Blood Cells', ...more }: Facts & { readonly name?: string } = {},
): Promise<string> {
  await call('projects_create', { name, type: 'object-detection', annotation: 'cells' });
  const project = name.toLowerCase().replaceAll(' ', '-');
  await call('images_upload', {
    project,
    files: [join(files, 'blood-cells/JPEGImages')],
    annotations: join(files, 'blood-cells/Annotations'),
    split: 'train',
    ...more,
  });
  return project;
}

export async function seedSample({ setUp, files }: Scene): Promise<void> {
  await importSample(setUp, files);
}

/** A project that is named, and nothing in it. */
export async function emptyProject(call: CallTool, name: string): Promise<void> {
  await call('projects_create', { name, type: 'object-detection', annotation: 'things' });
}

/** A finished version of the sample, 320 x 320. */
export async function frozenSample(call: CallTool, project = 'blood-cells'): Promise<number> {
  const { version } = await call('versions_generate', {
    project,
    preprocessing: { resize: { width: 320, height: 320, format: 'Stretch to' } },
    augmentation: {},
  });
  await finished(call, { project, version });
  return Number(version);
}

/** Waits for what goes on in the background. */
export async function finished(call: CallTool, what: Facts): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    const { status } = await call('tasks_wait', { ...what, timeout_s: 10 });
    if (status === 'completed' || status === 'failed') return;
  }
}

/** Without its extension. */
export function bareName(file: string): string {
  return file.replace(/\.\w+$/, '');
}

/** Names of the images that a query finds, without their extensions, in order. */
export async function found(scene: Scene, query: string): Promise<readonly string[]> {
  const answer = await scene.post('/search/v1', { query, fields: ['name'], pageSize: 1000 });
  return listAt(answer, 'results')
    .map((image) => bareName(String(at(image, 'name'))))
    .toSorted();
}

/** Ids of the images that a query finds, as an agent comes to them. */
export async function idsOf(call: CallTool, query: string): Promise<readonly string[]> {
  const facts = await call('workspace_search', { query, fields: ['name'], pageSize: 100 });
  return listAt(facts, 'results').map((image) => String(at(image, 'id')));
}

/** Tags the images that a query finds, one by one. */
export async function tagFound(
  call: CallTool,
  query: string,
  tag: string,
  project = 'blood-cells',
): Promise<void> {
  for (const imageId of await idsOf(call, query)) {
    await call('images_tag', { project, imageId, operation: 'add', tags: [tag] });
  }
}
