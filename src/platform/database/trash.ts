// The trash: deleted items that can be restored.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { TrashItem, TrashStore } from '../store/trash.ts';
import { resumeVersions } from './cancel-and-resume-versions.ts';
import { listTrashedImages, restoreImages } from './trashed-images.ts';

export function trashStore(
  database: AsyncDatabase,
  index: ImageIndex,
  queue: TaskQueue,
): TrashStore {
  return {
    list: async (workspaceId, before) => {
      const lists = [listProjects, listVersions, listTrainings, listWorkflows, listTrashedImages];
      const items = await Promise.all(lists.map((list) => list(database, workspaceId, before)));
      return items.flat().sort((a, b) => b.deletedAt - a.deletedAt);
    },
    restore: (workspaceId, item, before) =>
      database.transaction(() => {
        const { id, projectId } = item;
        const place = { database, queue, workspaceId, before };
        if (item.type === 'project') return restoreProject(place, id);
        if (item.type === 'image') return restoreOfProject(place, index, id);
        if (item.type === 'version') return restoreVersion(place, projectId ?? '', Number(id));
        return item.type === 'training' ? restoreTraining(place, id) : restoreWorkflow(place, id);
      }),
  };
}

function listProjects(
  database: AsyncDatabase,
  workspaceId: string,
  before: number,
): Promise<readonly TrashItem[]> {
  return database.all(
    'SELECT * FROM projects WHERE workspace_id = ? AND deleted_at > ?',
    [workspaceId, before],
    (row) => ({
      ...readDeletion(row),
      type: 'project',
      id: row.text('id'),
      name: row.text('name'),
      parent: undefined,
      path: [row.text('slug')],
      projectId: row.text('id'),
    }),
  );
}

function listVersions(
  database: AsyncDatabase,
  workspaceId: string,
  before: number,
): Promise<readonly TrashItem[]> {
  return database.all(
    `SELECT versions.*, slug, projects.name AS project_name
     FROM versions JOIN projects ON projects.id = versions.project_id
     WHERE workspace_id = ? AND versions.deleted_at > ?
       AND (projects.deleted_at IS NULL OR projects.deleted_at > ?)`,
    [workspaceId, before, before],
    (row) => {
      const number = String(row.integer('number'));
      const projectId = row.text('project_id');
      const path = [row.text('slug')];
      return {
        ...readDeletion(row),
        type: 'version',
        id: number,
        name: row.text('name'),
        path: [...path, number],
        projectId,
        parent: { id: projectId, name: row.text('project_name'), path },
      };
    },
  );
}

/** The parent of a training is its version: a version is named by its project and its number. */
function listTrainings(
  database: AsyncDatabase,
  workspaceId: string,
  before: number,
): Promise<readonly TrashItem[]> {
  return database.all(
    `SELECT trainings.*, slug, projects.name AS project_name, versions.number
     FROM trainings JOIN versions ON versions.id = trainings.version_id
       JOIN projects ON projects.id = versions.project_id
     WHERE workspace_id = ? AND trainings.deleted_at > ?
       AND (versions.deleted_at IS NULL OR versions.deleted_at > ?)
       AND (projects.deleted_at IS NULL OR projects.deleted_at > ?)`,
    [workspaceId, before, before, before],
    (row) => {
      const number = String(row.integer('number'));
      const projectId = row.text('project_id');
      const path = [row.text('slug'), number];
      const id = row.text('id');
      return {
        ...readDeletion(row),
        type: 'training',
        id,
        name: row.text('model_type'),
        projectId,
        path: [...path, 'v2', 'trainings', id],
        parent: { id: projectId, name: `${row.text('project_name')}, version ${number}`, path },
      };
    },
  );
}

function listWorkflows(
  database: AsyncDatabase,
  workspaceId: string,
  before: number,
): Promise<readonly TrashItem[]> {
  return database.all(
    'SELECT * FROM workflows WHERE workspace_id = ? AND deleted_at > ?',
    [workspaceId, before],
    (row) => ({
      ...readDeletion(row),
      type: 'workflow',
      id: row.text('id'),
      name: row.text('name'),
      path: [row.text('slug')],
      projectId: undefined,
      parent: undefined,
    }),
  );
}

function readDeletion(row: Row) {
  return { deletedAt: row.integer('deleted_at'), deletedBy: row.optionalText('deleted_by') };
}

interface Place {
  readonly database: AsyncDatabase;
  readonly queue: TaskQueue;
  readonly workspaceId: string;
  readonly before: number;
}

type Outcome = Awaited<ReturnType<TrashStore['restore']>>;

async function restoreProject(
  { database, queue, workspaceId, before }: Place,
  id: string,
): Promise<Outcome> {
  const changed = await database.run(
    `UPDATE projects SET deleted_at = NULL, deleted_by = NULL
     WHERE id = ? AND workspace_id = ? AND deleted_at > ?`,
    [id, workspaceId, before],
  );
  if (changed === 0) return 'missing';
  await resumeVersions(database, queue, { projectId: id });
  return 'restored';
}

async function restoreOfProject(
  { database, workspaceId, before }: Place,
  index: ImageIndex,
  id: string,
): Promise<Outcome> {
  const outcome = await restoreImages(database, index, workspaceId, id, before);
  if (typeof outcome === 'string' || outcome.type === 'replaced') return outcome;
  return { type: 'project', id: outcome.projectId, parentId: undefined };
}

async function restoreVersion(
  { database, queue, workspaceId, before }: Place,
  projectId: string,
  number: number,
): Promise<Outcome> {
  const found = await database.get(
    `SELECT versions.id, projects.deleted_at IS NOT NULL AS gone FROM versions
     JOIN projects ON projects.id = versions.project_id
     WHERE workspace_id = ? AND projects.id = ? AND number = ? AND versions.deleted_at > ?`,
    [workspaceId, projectId, number, before],
    (row) => ({ versionId: row.text('id'), isParentGone: row.boolean('gone') }),
  );
  if (found === undefined) return 'missing';
  const { versionId, isParentGone } = found;
  if (isParentGone) return { type: 'project', id: projectId, parentId: undefined };
  await database.run('UPDATE versions SET deleted_at = NULL, deleted_by = NULL WHERE id = ?', [
    versionId,
  ]);
  await resumeVersions(database, queue, { versionId });
  return 'restored';
}

async function restoreTraining(
  { database, workspaceId, before }: Place,
  id: string,
): Promise<Outcome> {
  const found = await database.get(
    `SELECT versions.project_id, number, versions.deleted_at IS NOT NULL AS version_gone,
       projects.deleted_at IS NOT NULL AS project_gone
     FROM trainings JOIN versions ON versions.id = trainings.version_id
       JOIN projects ON projects.id = versions.project_id
     WHERE workspace_id = ? AND trainings.id = ? AND trainings.deleted_at > ?`,
    [workspaceId, id, before],
    (row) => ({
      projectId: row.text('project_id'),
      number: row.integer('number'),
      isVersionGone: row.boolean('version_gone'),
      isProjectGone: row.boolean('project_gone'),
    }),
  );
  if (found === undefined) return 'missing';
  const { projectId, number } = found;
  if (found.isProjectGone) return { type: 'project', id: projectId, parentId: undefined };
  if (found.isVersionGone) return { type: 'version', id: String(number), parentId: projectId };
  await database.run('UPDATE trainings SET deleted_at = NULL, deleted_by = NULL WHERE id = ?', [
    id,
  ]);
  return 'restored';
}

async function restoreWorkflow(
  { database, workspaceId, before }: Place,
  id: string,
): Promise<Outcome> {
  const changed = await database.run(
    `UPDATE workflows SET deleted_at = NULL, deleted_by = NULL
     WHERE id = ? AND workspace_id = ? AND deleted_at > ?`,
    [id, workspaceId, before],
  );
  return changed > 0 ? 'restored' : 'missing';
}
