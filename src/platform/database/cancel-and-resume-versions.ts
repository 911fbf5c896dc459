// Work on versions that are put into the trash, and taken out of it.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';

/** A version, or all live ones of a project. */
export type TrashedVersions = { readonly versionId: string } | { readonly projectId: string };

/** Ends the work on those that are not made, parts of it too; in a transaction of the caller. */
export async function cancelVersions(
  database: AsyncDatabase,
  queue: TaskQueue,
  versions: TrashedVersions,
): Promise<void> {
  for (const taskId of await tasksOf(database, versions)) {
    await queue.cancel(taskId, 'The version was deleted while it was generated.');
  }
}

/** Lets that work go on where it was, once they are live again. */
export async function resumeVersions(
  database: AsyncDatabase,
  queue: TaskQueue,
  versions: TrashedVersions,
): Promise<void> {
  for (const taskId of await tasksOf(database, versions)) await queue.reopen(taskId);
}

function tasksOf(database: AsyncDatabase, versions: TrashedVersions): Promise<readonly string[]> {
  const [sql, id] =
    'versionId' in versions
      ? ['id = ?', versions.versionId]
      : ['project_id = ? AND deleted_at IS NULL', versions.projectId];
  return database.all(`SELECT task_id FROM versions WHERE ready = 0 AND ${sql}`, [id], (row) =>
    row.text('task_id'),
  );
}
