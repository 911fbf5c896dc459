// Tasks as the extension `io.modelcontextprotocol/tasks` has them (SEP-2663), whoever keeps them.

import type { CallToolResult, InputRequests } from '@modelcontextprotocol/server';

/** Where a task stands. `failed` is for what no tool answers: a tool's own error is a result. */
export type TaskStanding =
  | { readonly status: 'working' | 'cancelled' }
  | { readonly status: 'input_required'; readonly inputRequests: InputRequests }
  | { readonly status: 'completed'; readonly result: CallToolResult }
  | {
      readonly status: 'failed';
      readonly error: { readonly code: number; readonly message: string };
    };

export type TaskState = TaskStanding & {
  readonly taskId: string;
  /** ISO 8601, as `lastUpdatedAt`. */
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly statusMessage?: string;
};

/** The newest state of tasks; the work itself goes on elsewhere. */
export interface TaskSource {
  /** Throws `UnknownTaskError` for an id that nobody gave out, or that this caller may not see. */
  get(taskId: string, signal: AbortSignal): Promise<TaskState>;
  /** Takes answers to what a task asked; those that nobody asked for are left aside. */
  update(
    taskId: string,
    responses: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<void>;
  /** Asks for the end of a task. It need not come, and a task that has ended stays as it is. */
  cancel(taskId: string, signal: AbortSignal): Promise<void>;
}

export class UnknownTaskError extends Error {
  override readonly name = 'UnknownTaskError';
}
