// Tasks as the extension `io.modelcontextprotocol/tasks` defines them (SEP-2663), wherever they are
// kept.

import type { CallToolResult, InputRequests } from '@modelcontextprotocol/server';

/**
 * The state of a task. `failed` is for errors of the protocol: an error of the tool is a result.
 */
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
  /** Throws `UnknownTaskError` for an unknown id, or for a task that this caller may not see. */
  get(taskId: string, signal: AbortSignal): Promise<TaskState>;
  /** Takes the answers to questions of a task; others are ignored. */
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
