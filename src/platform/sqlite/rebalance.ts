// Rebalances: the splits of images, and moving many of them.

import type { SplitName } from '../../contract/fields.ts';
import { FoveaError } from '../../errors.ts';
import type { Database, Row } from '../../storage/database.ts';
import type { Migration } from '../../storage/migrations.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
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

export function splitStore(database: Database, queue: TaskQueue): SplitStore {
  return {
    start: async ({ taskId, workspaceId, projectId, settings }) =>
      queue.add({ id: taskId, kind: 'rebalance', payload: { workspaceId, projectId, settings } }),
    ordinals: async (projectId) => listOrdinals(database, projectId),
    eligible: async (projectId, ordinals, classes) =>
      database.all(
        // CROSS: the places come first, in their order.
        `SELECT images.id, split, batch_id FROM json_each(?) AS wanted
           CROSS JOIN images ON images.rowid = wanted.value WHERE ${eligible}`,
        [JSON.stringify(ordinals), ...parametersOf(projectId, classes)],
        readEligible,
      ),
    counts: async (projectId, classes) => {
      const counts = database.all(
        `SELECT split, count(*) AS n FROM images WHERE ${eligible} GROUP BY split`,
        parametersOf(projectId, classes),
        (row): [string, number] => [row.text('split'), row.integer('n')],
      );
      return splitCountsOf(Object.fromEntries(counts));
    },
    completedJobs: async (projectId) => completedJobs(database, projectId),
    begin: async (taskId, before, fenced) => fenced(() => beginOnce(database, taskId, before)),
    assign: async (projectId, moves, now) =>
      database.transaction(() => {
        if (!isLive(database, projectId)) throw inTrash();
        const there = splitsOf(database, projectId, moves);
        const missing = moves.flatMap(({ imageId }) => (there.has(imageId) ? [] : [imageId]));
        if (missing.length > 0) return { moved: 0, missing };
        const due = dueMoves(database, projectId, moves);
        moveImages(database, due);
        if (due.length > 0) touch(database, projectId, now);
        return { moved: due.length, missing };
      }),
    move: async (taskId, projectId, moves, fenced, now) =>
      fenced(() => {
        if (!isLive(database, projectId)) throw inTrash();
        const due = dueMoves(database, projectId, moves);
        moveImages(database, due);
        database.run('UPDATE rebalances SET moved = moved + ? WHERE task_id = ?', [
          due.length,
          taskId,
        ]);
        if (due.length > 0) touch(database, projectId, now);
        return due.length;
      }),
  };
}

/** As one text: a row each takes three times as long, and blocks all other requests. */
function listOrdinals(database: Database, projectId: string): readonly number[] {
  const text = database.get(
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
function completedJobs(database: Database, projectId: string): ReadonlyMap<string, string> {
  const jobs = database.all(
    `SELECT annotation_jobs.id FROM annotation_jobs
       JOIN annotation_job_images ON job_id = annotation_jobs.id
     WHERE project_id = ? GROUP BY annotation_jobs.id
     HAVING count(*) FILTER (WHERE state NOT IN ('approved', 'rejected')) = 0
     ORDER BY annotation_jobs.created DESC, annotation_jobs.id`,
    [projectId],
    (row) => row.text('id'),
  );
  const images = jobs.flatMap((id) =>
    database.all(
      'SELECT image_id FROM annotation_job_images WHERE job_id = ?',
      [id],
      (row): [string, string] => [row.text('image_id'), id],
    ),
  );
  return new Map(images);
}

function beginOnce(database: Database, taskId: string, before: SplitCounts): Rebalance {
  database.run(
    'INSERT INTO rebalances (task_id, splits, moved) VALUES (?, ?, 0) ON CONFLICT DO NOTHING',
    [taskId, JSON.stringify(before)],
  );
  const kept = database.get(
    'SELECT splits, moved FROM rebalances WHERE task_id = ?',
    [taskId],
    (row) => ({ before: readSplits(row), moved: row.integer('moved') }),
  );
  return kept ?? { before, moved: 0 };
}

function inTrash(): FoveaError {
  return new FoveaError('conflict', 'The project is in the trash.');
}

function touch(database: Database, projectId: string, now: number): void {
  database.run('UPDATE projects SET updated = ? WHERE id = ?', [now, projectId]);
}

/** Those of images that are there, and in another split. */
function dueMoves(
  database: Database,
  projectId: string,
  moves: readonly SplitMove[],
): readonly SplitMove[] {
  const splits = splitsOf(database, projectId, moves);
  return moves.filter(({ imageId, to }) => (splits.get(imageId) ?? to) !== to);
}

/** The split of each image that is in the project. */
function splitsOf(
  database: Database,
  projectId: string,
  moves: readonly SplitMove[],
): ReadonlyMap<string, SplitName> {
  return new Map(
    database.all(
      // CROSS: the ids come first, or all images of the project are held against each of them.
      `SELECT images.id, split FROM json_each(?) AS wanted
         CROSS JOIN images ON images.id = wanted.value WHERE project_id = ?`,
      [JSON.stringify(moves.map(({ imageId }) => imageId)), projectId],
      (row): [string, SplitName] => [row.text('id'), readSplit(row)],
    ),
  );
}

function moveImages(database: Database, moves: readonly SplitMove[]): void {
  movingSplits(database, moves, () => {
    for (const { imageId, to } of moves) {
      database.run('UPDATE images SET split = ? WHERE id = ?', [to, imageId]);
    }
  });
}

function readEligible(row: Row): EligibleImage {
  return { id: row.text('id'), split: readSplit(row), batchId: row.text('batch_id') };
}
