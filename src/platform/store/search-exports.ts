// Exports of what a search found.

import type { Database } from '../../storage/database.ts';
import type { NewTask, TaskQueue } from '../../storage/task-queue.ts';
import type { FencedTransaction } from './store.ts';

export interface SearchExport {
  readonly taskId: string;
  readonly workspaceId: string;
  /** Of the file, without its extension. */
  readonly name: string;
  /** Undefined until the file is there. */
  readonly hash: string | undefined;
  readonly bytes: number;
}

export interface SearchExportStore {
  /** Adds an export with the work that makes it. */
  add(workspaceId: string, name: string, task: NewTask, now: number): Promise<void>;
  find(workspaceId: string, taskId: string): Promise<SearchExport | undefined>;
  finish(taskId: string, hash: string, bytes: number, fenced: FencedTransaction): Promise<void>;
}

export function searchExportStore(database: Database, queue: TaskQueue): SearchExportStore {
  return {
    add: async (workspaceId, name, newTask, now) =>
      database.transaction(() => {
        queue.add(newTask);
        database.run(
          `INSERT INTO search_exports (task_id, workspace_id, name, bytes, created)
           VALUES (?, ?, ?, 0, ?)`,
          [newTask.id, workspaceId, name, now],
        );
      }),
    find: async (workspaceId, taskId) =>
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
      fenced(() => {
        database.run('UPDATE search_exports SET hash = ?, bytes = ? WHERE task_id = ?', [
          hash,
          bytes,
          taskId,
        ]);
      }),
  };
}
