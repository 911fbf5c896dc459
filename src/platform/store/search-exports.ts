// Exports of search results: the store's interface.

import type { NewTask } from '../../storage/task-queue.ts';
import type { FencedTransaction } from './fenced-transaction.ts';

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
