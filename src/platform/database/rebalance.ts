// Rebalances: the splits of images, and moving many of them.

import type { SplitName } from '../../contract/fields.ts';
import { FoveaError } from '../../errors.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { SplitCounts } from '../store/projects.ts';
import type { EligibleImage, Rebalance, SplitMove, SplitStore } from '../store/rebalance.ts';
import { readSplit, readSplits, splitCountsOf } from './column-readers.ts';
import { isLive } from './projects.ts';
import { movingSplits } from './search-index/update-index.ts';

export const splitTables: Migration = {
  name: 'rebalances',
  sql: `
-- What a rebalance found at its start, and how many images it has moved since.
CREATE TABLE rebalances (
  task_id TEXT PRIMARY KEY, splits TEXT NOT NULL, moved INTEGER NOT NULL
) STRICT;
`,
};

/** Parameters: the project, and twice the classes as JSON or NULL. */
const eligible = `project_id = ? AND (? IS NULL OR (objects > 0 AND NOT EXISTS (
  SELECT 1 FROM image_labels WHERE image_id = images.id
    AND label NOT IN (SELECT value FROM json_each(?)))))`;

export function splitStore(
  database: AsyncDatabase,
  index: ImageIndex,
  queue: TaskQueue,
): SplitStore {
  return {
    start: ({ taskId, workspaceId, projectId, settings }) => {
      const payload = { workspaceId, projectId, settings };
      return queue.add({ id: taskId, kind: 'rebalance', payload, turn: projectId });
    },
    ordinals: (projectId) => listOrdinals(database, projectId),
    eligible: async (projectId, ordinals, classes) =>
      database.all(
        // CROSS: the places come first, in their order.
        `SELECT images.id, split, batch_id, coalesce((SELECT o.ordinal FROM image_ordinals o
             WHERE o.image_id = images.id), 0) AS ordinal FROM json_each(?) AS wanted
           CROSS JOIN images ON images.rowid = CAST(wanted.value AS BIGINT) WHERE ${eligible}`,
        [JSON.stringify(ordinals), ...parametersOf(projectId, classes)],
        readEligible,
      ),
    counts: async (projectId, classes) => {
      const counts = await database.all(
        `SELECT split, count(*) AS n FROM images WHERE ${eligible} GROUP BY split`,
        parametersOf(projectId, classes),
        (row): [string, number] => [row.text('split'), row.integer('n')],
      );
      return splitCountsOf(Object.fromEntries(counts));
    },
    completedJobs: (projectId) => completedJobs(database, projectId),
    begin: async (taskId, before, fenced) => fenced(() => beginOnce(database, taskId, before)),
    assign: (projectId, moves, now) =>
      database.transaction(async () => {
        if (!(await isLive(database, projectId))) throw inTrash();
        const there = await splitsOf(database, projectId, moves);
        const missing = moves.flatMap(({ imageId }) => (there.has(imageId) ? [] : [imageId]));
        if (missing.length > 0) return { moved: 0, missing };
        const due = await dueMoves(database, projectId, moves);
        await moveImages(database, index, due);
        if (due.length > 0) await touch(database, projectId, now);
        return { moved: due.length, missing };
      }),
    move: async (taskId, projectId, moves, fenced, now) =>
      fenced(async () => {
        if (!(await isLive(database, projectId))) throw inTrash();
        const due = await dueMoves(database, projectId, moves);
        await moveImages(database, index, due);
        await database.run('UPDATE rebalances SET moved = moved + ? WHERE task_id = ?', [
          due.length,
          taskId,
        ]);
        if (due.length > 0) await touch(database, projectId, now);
        return due.length;
      }),
  };
}

/** As one text: a row each takes three times as long, and blocks all other requests. */
async function listOrdinals(
  database: AsyncDatabase,
  projectId: string,
): Promise<readonly number[]> {
  const text = await database.get(
    'SELECT json_group_array(rowid) AS ordinals FROM images WHERE project_id = ?',
    [projectId],
    (row) => row.json('ordinals'),
  );
  return (Array.isArray(text) ? text : []).map(Number).sort((one, other) => one - other);
}

function parametersOf(projectId: string, classes: readonly string[] | undefined) {
  const labels = classes && JSON.stringify(classes);
  return [projectId, labels, labels];
}

/** Jobs of which every image was approved or rejected. */
async function completedJobs(
  database: AsyncDatabase,
  projectId: string,
): Promise<ReadonlyMap<string, string>> {
  const images = await database.all(
    `SELECT image_id, job_id FROM annotation_job_images
       JOIN annotation_jobs ON annotation_jobs.id = job_id
     WHERE project_id = ? AND NOT EXISTS (SELECT 1 FROM annotation_job_images AS other
       WHERE other.job_id = annotation_jobs.id AND state NOT IN ('approved', 'rejected'))
     ORDER BY annotation_jobs.created DESC, annotation_jobs.id`,
    [projectId],
    (row): [string, string] => [row.text('image_id'), row.text('job_id')],
  );
  return new Map(images);
}

async function beginOnce(
  database: AsyncDatabase,
  taskId: string,
  before: SplitCounts,
): Promise<Rebalance> {
  await database.run(
    'INSERT INTO rebalances (task_id, splits, moved) VALUES (?, ?, 0) ON CONFLICT DO NOTHING',
    [taskId, JSON.stringify(before)],
  );
  const kept = await database.get(
    'SELECT splits, moved FROM rebalances WHERE task_id = ?',
    [taskId],
    (row) => ({ before: readSplits(row), moved: row.integer('moved') }),
  );
  return kept ?? { before, moved: 0 };
}

function inTrash(): FoveaError {
  return new FoveaError('conflict', 'The project is in the trash.');
}

async function touch(database: AsyncDatabase, projectId: string, now: number): Promise<void> {
  await database.run('UPDATE projects SET updated = ? WHERE id = ?', [now, projectId]);
}

/** Those of images that are there, and in another split. */
async function dueMoves(
  database: AsyncDatabase,
  projectId: string,
  moves: readonly SplitMove[],
): Promise<readonly SplitMove[]> {
  const splits = await splitsOf(database, projectId, moves);
  return moves.filter(({ imageId, to }) => (splits.get(imageId) ?? to) !== to);
}

/** The split of each image that is in the project. */
async function splitsOf(
  database: AsyncDatabase,
  projectId: string,
  moves: readonly SplitMove[],
): Promise<ReadonlyMap<string, SplitName>> {
  return new Map(
    await database.all(
      // CROSS: the ids come first, or all images of the project are held against each of them.
      `SELECT images.id, split FROM json_each(?) AS wanted
         CROSS JOIN images ON images.id = wanted.value WHERE project_id = ?`,
      [JSON.stringify(moves.map(({ imageId }) => imageId)), projectId],
      (row): [string, SplitName] => [row.text('id'), readSplit(row)],
    ),
  );
}

async function moveImages(
  database: AsyncDatabase,
  index: ImageIndex,
  moves: readonly SplitMove[],
): Promise<void> {
  await movingSplits(database, index, moves, async () => {
    for (const [to, moved] of Map.groupBy(moves, (move) => move.to)) {
      const sql = 'UPDATE images SET split = ? WHERE id IN (SELECT value FROM json_each(?))';
      await database.run(sql, [to, JSON.stringify(moved.map(({ imageId }) => imageId))]);
    }
  });
}

function readEligible(row: Row): EligibleImage {
  return {
    id: row.text('id'),
    split: readSplit(row),
    batchId: row.text('batch_id'),
    ordinal: row.integer('ordinal'),
  };
}
