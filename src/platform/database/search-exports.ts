// Exports of search results.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import type { SearchExportStore } from '../store/search-exports.ts';

export function searchExportStore(database: AsyncDatabase, queue: TaskQueue): SearchExportStore {
  return {
    add: (workspaceId, name, newTask, now) =>
      database.transaction(async () => {
        await queue.add(newTask);
        await database.run(
          `INSERT INTO search_exports (task_id, workspace_id, name, bytes, created)
           VALUES (?, ?, ?, 0, ?)`,
          [newTask.id, workspaceId, name, now],
        );
      }),
    find: (workspaceId, taskId) =>
      database.get(
        'SELECT * FROM search_exports WHERE workspace_id = ? AND task_id = ?',
        [workspaceId, taskId],
        (row) => ({
          taskId: row.text('task_id'),
          workspaceId: row.text('workspace_id'),
          name: row.text('name'),
          hash: row.optionalText('hash'),
          bytes: row.integer('bytes'),
        }),
      ),
    finish: async (taskId, hash, bytes, fenced) =>
      fenced(async () => {
        await database.run('UPDATE search_exports SET hash = ?, bytes = ? WHERE task_id = ?', [
          hash,
          bytes,
          taskId,
        ]);
      }),
  };
}
