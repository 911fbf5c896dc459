// What the day does in the whole workspace: search, folders, keys, events, the trash.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { picture } from './day-folders.ts';
import { listOf } from './facts.ts';
import type { ToolCalls } from './tool-calls.ts';
import { exportSearch } from './tool-day-lines.ts';

const detection = 'cells-object-detection';

export async function workOnWorkspace(calls: ToolCalls): Promise<void> {
  const { results } = await calls.ok('workspace_search', { query: 'tag:first', fields: ['id'] });
  const ids = listOf(results).map(({ id }) => String(id));
  await calls.ok('images_set_metadata', { imageId: ids[0], metadata: { line: 2 } });
  const updates = ids.map((imageId) => ({ imageId, addTags: ['bulk'] }));
  await calls.wait({ taskId: (await calls.ok('images_set_metadata_bulk', { updates })).taskId });
  const one = join(calls.folder, 'found-one.zip');
  const found = { format: 'coco', dataset: detection };
  await exportSearch(calls, { query: 'tag:first', ...found, save_to: one });
  const all = join(calls.folder, 'found.zip');
  await exportSearch(calls, { query: 'class:Platelets', ...found, save_to: all });
  await calls.uploadPicture({ project: detection, batch: 'Pip Package Upload' });
  await fork(calls);
  const folder = (await calls.ok('folders_create', { name: 'line 1' })).id;
  await inAndOut(calls, folder, ['cells-classification']);
}

async function fork(calls: ToolCalls): Promise<void> {
  const { taskId } = await calls.ok('projects_fork', { source_project: detection });
  await calls.wait({ taskId });
}

async function inAndOut(calls: ToolCalls, folderId: unknown, projects: readonly string[]) {
  await calls.ok('folders_set_projects', { folderId, projects, operation: 'add' });
  await calls.ok('folders_set_projects', { folderId, projects, operation: 'remove' });
}

/** Events of one use case: one with an image, then five at once. */
export async function recordEvents(calls: ToolCalls): Promise<void> {
  const file = picture(0);
  const { sourceId } = await calls.ok('vision_events_upload_image', {
    file,
    metadata: { line: 2 },
  });
  await calls.ok('vision_events_create', { ...event('cells'), images: [{ sourceId }] });
  const events = Array.from({ length: 5 }, () => event('cells'));
  await calls.ok('vision_events_create_batch', { events });
}

/** What the day does by the command line. */
export async function recordEventsByCommand(calls: ToolCalls): Promise<void> {
  await calls.ok('vision_events_create', event('line-2'));
  const events = [event('line-2'), event('line-2')];
  await calls.ok('vision_events_create_batch', { events });
  await calls.ok('vision_events_upload_image', { file: picture(0) });
}

function event(useCaseId: string) {
  return {
    eventId: randomUUID(),
    eventType: 'quality_check',
    useCaseId,
    timestamp: new Date().toISOString(),
    eventData: { result: 'pass' },
    customMetadata: { line: 2 },
  };
}

export async function writeKeysAndFolders(calls: ToolCalls): Promise<void> {
  const folderId = (await calls.ok('folders_create', { name: 'line 2' })).id;
  await inAndOut(calls, folderId, ['line-classification']);
  await calls.ok('folders_update', { folderId, name: 'line 3' });
  await calls.ok('folders_delete', { folderId, confirm: folderId });
  const scopes = ['image:read'];
  const { keyId } = await calls.ok('api_keys_create', { name: 'camera', scopes });
  await calls.ok('api_keys_update', { keyId, name: 'camera 2' });
  await calls.ok('api_keys_update', { keyId, disabled: true });
  await calls.ok('api_keys_revoke', { keyId, confirm: keyId });
  const kept = await calls.ok('api_keys_create', { name: 'kept', scopes: [] });
  await calls.ok('api_keys_update', { keyId: kept.keyId, protected: true });
  await fork(calls);
}

/** Each thing goes into the trash and comes back. */
export async function useTrash(calls: ToolCalls): Promise<void> {
  for (const project of ['cells-classification', 'line-classification']) {
    await calls.ok('versions_delete', { project: detection, version: 1 });
    await restoreAll(calls);
    await calls.ok('projects_delete', { project });
    await restoreAll(calls);
  }
}

async function restoreAll(calls: ToolCalls): Promise<void> {
  for (const { type, id, parentId } of listOf((await calls.ok('trash_list', {})).items)) {
    // The client cannot bring images back.
    if (type === 'image') continue;
    await calls.ok('trash_restore', { type, id, ...(parentId !== undefined && { parentId }) });
  }
}
