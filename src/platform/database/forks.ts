// Forks of projects: copies of rows; files are shared by their hash.

import { FoveaError } from '../../errors.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import { readAllInSlices } from '../../storage/time-sliced-query.ts';
import { newId } from '../ids-and-slugs.ts';
import type { Fork, ForkImage, ForkStore, NewFork } from '../store/forks.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { Project } from '../store/projects.ts';
import { addBatch } from './batches.ts';
import { addProject, readProject } from './projects.ts';
import { changingImages } from './search-index/update-index.ts';

export const forkTables: Migration = {
  name: 'forks',
  sql: `
-- How far the copy of a project is: the last image of the source that was looked at.
CREATE TABLE forks (
  task_id TEXT PRIMARY KEY, source_id TEXT NOT NULL, project_id TEXT NOT NULL,
  created INTEGER NOT NULL, copied INTEGER NOT NULL, after_created INTEGER NOT NULL,
  after_id TEXT NOT NULL
) STRICT;
`,
};

export function forkStore(database: AsyncDatabase, index: ImageIndex, queue: TaskQueue): ForkStore {
  return {
    sources: (workspaceId, slug) =>
      database.all(
        `SELECT projects.*, workspaces.slug AS workspace_slug
         FROM projects JOIN workspaces ON workspaces.id = projects.workspace_id
         WHERE projects.slug = ? AND projects.deleted_at IS NULL
           AND (projects.public = 1 OR projects.workspace_id = ?)
         ORDER BY workspaces.slug`,
        [slug, workspaceId],
        (row) => ({ project: readProject(row), workspaceSlug: row.text('workspace_slug') }),
      ),
    start: (fork) => database.transaction(() => startFork(database, queue, fork)),
    find: (taskId) => database.get('SELECT * FROM forks WHERE task_id = ?', [taskId], readFork),
    missing: (taskId) =>
      readAllInSlices(database, {
        sql: `SELECT images.id, images.created FROM forks
                JOIN images ON images.project_id = forks.source_id
              WHERE task_id = ? AND images.created <= forks.created
                AND (images.created, images.id)
                  > (coalesce(?, after_created), coalesce(?, after_id))
              ORDER BY images.created, images.id`,
        after: (last) => [taskId, last?.created, last?.id],
        read: (row) => ({ id: row.text('id'), created: row.integer('created') }),
      }),
    copy: async (taskId, images, fenced) =>
      fenced(() => copyImages(database, index, taskId, images)),
  };
}

const mayBeRead = `deleted_at IS NULL AND (public = 1 OR workspace_id = ?)`;

async function startFork(
  database: AsyncDatabase,
  queue: TaskQueue,
  fork: NewFork,
): Promise<Project | undefined> {
  const { taskId, workspaceId, projectId, sourceId, origin, created } = fork;
  const source = await database.get(
    `SELECT * FROM projects WHERE id = ? AND ${mayBeRead}`,
    [sourceId, workspaceId],
    readProject,
  );
  if (source === undefined) return undefined;
  const { name, type, annotation, license } = source;
  const project = await addProject(database, {
    id: projectId,
    workspaceId,
    name,
    type,
    annotation,
    license,
    created,
    isPublic: false,
    folderId: undefined,
  });
  await database.run(
    `INSERT INTO forks (task_id, source_id, project_id, created, copied, after_created, after_id)
     VALUES (?, ?, ?, ?, 0, -1, '')`,
    [taskId, sourceId, projectId, created],
  );
  const payload = { workspaceId, workspace: fork.workspaceSlug, projectId, origin };
  await queue.add({ id: taskId, kind: 'fork', payload });
  return project;
}

async function copyImages(
  database: AsyncDatabase,
  index: ImageIndex,
  taskId: string,
  images: readonly ForkImage[],
): Promise<void> {
  const fork = await database.get('SELECT * FROM forks WHERE task_id = ?', [taskId], readFork);
  const last = images.at(-1);
  if (fork === undefined || last === undefined) return;
  await refuseInTrash(database, fork);
  const copies = images.map(({ id }) => ({ from: id, to: newId() }));
  const batches = await copyBatches(database, fork.projectId, images);
  const copied = await changingImages(
    database,
    index,
    copies.map(({ to }) => to),
    async () => {
      let added = 0;
      for (const copy of copies) if (await copyImage(database, fork, batches, copy)) added += 1;
      return added;
    },
  );
  await database.run(
    'UPDATE forks SET copied = copied + ?, after_created = ?, after_id = ? WHERE task_id = ?',
    [copied, last.created, last.id, taskId],
  );
}

async function refuseInTrash(
  database: AsyncDatabase,
  { sourceId, projectId }: Fork,
): Promise<void> {
  const find = (id: string, condition: string, ...values: readonly string[]) =>
    database.get(
      `SELECT * FROM projects WHERE id = ? AND ${condition}`,
      [id, ...values],
      readProject,
    );
  const target = await find(projectId, 'deleted_at IS NULL');
  if (target === undefined) throw gone('The copy is in the trash.');
  if ((await find(sourceId, mayBeRead, target.workspaceId)) === undefined) {
    throw gone(`The source was deleted; "${target.slug}" has what was copied until then.`);
  }
}

function gone(message: string): FoveaError {
  return new FoveaError('conflict', message);
}

interface Copy {
  readonly from: string;
  readonly to: string;
}

/** False when the source is gone, or the fork has an image of these bytes already. */
async function copyImage(
  database: AsyncDatabase,
  { projectId }: Fork,
  batches: ReadonlyMap<string, string>,
  { from, to }: Copy,
): Promise<boolean> {
  const added = await database.run(
    `INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width, height, split,
       metadata, sequence_number, sequence_size, inference_id, annotation, objects, annotated_at,
       predicted, created)
     SELECT ?, ?, (SELECT id FROM batches WHERE project_id = ? AND name = ?), name, hash, bytes,
       format, width, height, split, metadata, sequence_number, sequence_size, inference_id,
       annotation, objects, annotated_at, predicted, created
     FROM images WHERE id = ? ON CONFLICT (project_id, hash) DO NOTHING`,
    [to, projectId, projectId, batches.get(from), from],
  );
  if (added === 0) return false;
  await database.run(
    'INSERT INTO image_tags (image_id, tag) SELECT ?, tag FROM image_tags WHERE image_id = ?',
    [to, from],
  );
  await database.run(
    `INSERT INTO image_labels (image_id, project_id, label, n)
     SELECT ?, ?, label, n FROM image_labels WHERE image_id = ?`,
    [to, projectId, from],
  );
  return true;
}

/** Image to the name of its batch, which the copy has then, made as it was where it comes from. */
async function copyBatches(
  database: AsyncDatabase,
  projectId: string,
  images: readonly ForkImage[],
): Promise<ReadonlyMap<string, string>> {
  const found = await database.all(
    `SELECT images.id, batches.name, batches.created FROM json_each(?) AS wanted
       JOIN images ON images.id = wanted.value JOIN batches ON batches.id = images.batch_id
     ORDER BY wanted.key`,
    [JSON.stringify(images.map(({ id }) => id))],
    (row) => ({ id: row.text('id'), name: row.text('name'), created: row.integer('created') }),
  );
  for (const [name, [first]] of Map.groupBy(found, (image) => image.name)) {
    if (first) addBatch(database, { projectId, name, created: first.created });
  }
  return new Map(found.map(({ id, name }) => [id, name]));
}

function readFork(row: Row): Fork {
  return {
    sourceId: row.text('source_id'),
    projectId: row.text('project_id'),
    created: row.integer('created'),
    copied: row.integer('copied'),
  };
}
