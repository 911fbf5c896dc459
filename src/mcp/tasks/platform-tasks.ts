// Tasks of the platform, which go on without this process. They are read with the credential of the
// caller; the result of a task is that of `tasks_wait`.

import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../clock.ts';
import { membersOf } from '../../json-object.ts';
import { type BackgroundTask, type NextCall, type Tool, wrapped } from '../tool.ts';
import { type CallOptions, createCallTool, readOnlyScope } from '../tool-call/pipeline.ts';
import type { Arguments, AvailableTools } from '../tool-profiles.ts';
import { nextCallsOf, readTaskId, type TaskHandle, writeTaskId } from './task-id.ts';
import { type TaskSource, type TaskState, UnknownTaskError } from './task-source.ts';
import { waitTool } from './tasks-extension.ts';

export interface PlatformTasks extends TaskSource {
  /** A task for work that an answer says was started. */
  create(work: BackgroundTask, answer: CallToolResult): TaskState;
}

interface TaskOptions extends Omit<CallOptions, 'idempotency'> {
  readonly clock: Clock;
  /** Must offer `waitTool`. */
  readonly available: AvailableTools;
}

/** Reads tasks with the credential that calls of tools have; sends nothing before. */
export function platformTasks(options: TaskOptions): PlatformTasks {
  const { clock } = options;
  const now = () => new Date(clock.now()).toISOString();
  const get = async (taskId: string, signal: AbortSignal): Promise<TaskState> => {
    const handle = readTaskId(taskId);
    const result = handle && (await look(options, handle, signal));
    if (handle === undefined || result === undefined) throw new UnknownTaskError();
    const facts = { taskId, createdAt: handle.createdAt, lastUpdatedAt: now() };
    const { done, status, summary } = membersOf(result.structuredContent);
    if (done === true) {
      const isError = status === 'failed';
      return { ...facts, status: 'completed', result: { ...result, ...(isError && { isError }) } };
    }
    return { ...facts, status: 'working', ...messageOf(summary) };
  };
  return {
    get,
    create: (work, answer) => {
      const { summary, next, ...started } = membersOf(answer.structuredContent);
      const createdAt = now();
      const calls = nextCallsOf(next).filter(({ tool }) => tool !== waitTool);
      const taskId = writeTaskId({ work, createdAt, started, next: calls });
      return {
        taskId,
        status: 'working',
        createdAt,
        lastUpdatedAt: createdAt,
        ...messageOf(summary),
      };
    },
    // Work of the platform asks for nothing.
    update: async (taskId, _responses, signal) => void (await get(taskId, signal)),
    // Nor can it be ended: its own tools do that, where it can be done, and only by name.
    cancel: async (taskId, signal) => void (await get(taskId, signal)),
  };
}

function messageOf(summary: unknown): { readonly statusMessage?: string } {
  return typeof summary === 'string' ? { statusMessage: summary } : {};
}

/** The result of `tasks_wait` without waiting; undefined: this caller has no such task. */
async function look(
  options: TaskOptions,
  handle: TaskHandle,
  signal: AbortSignal,
): Promise<CallToolResult | undefined> {
  const call = options.available.callFor({ tool: waitTool, arguments: argumentsOf(handle.work) });
  if (call === undefined) return undefined;
  const loadTools = async () => (await options.loadTools()).map((tool) => telling(tool, handle));
  const callTool = createCallTool({ ...options, loadTools });
  const { result } = await callTool(call.tool, call.arguments, readOnlyScope(signal), true);
  if (result.isError !== true) return result;
  const { code, message } = membersOf(membersOf(result.structuredContent).error);
  if (code === 'not_found' || code === 'forbidden' || code === 'invalid_input') return undefined;
  throw new ProtocolError(ProtocolErrorCode.InternalError, `Ask again later: ${String(message)}`);
}

function argumentsOf(work: BackgroundTask): Arguments {
  const { workspace, kind } = work;
  if (kind === 'task') return { workspace, taskId: work.taskId, timeout_s: 0 };
  return { workspace, project: work.project, version: Number(work.version), timeout_s: 0 };
}

/** Calls proposed by the result win over those proposed at the start. */
function onePerTool(calls: readonly NextCall[]): readonly NextCall[] {
  return calls.filter(({ tool }, place) => calls.findIndex((one) => one.tool === tool) === place);
}

/** The tool, whose result also says what was known when the task began. */
function telling(tool: Tool, { started, next }: TaskHandle): Tool {
  if (tool.name !== waitTool) return tool;
  return wrapped(tool, async (run) => {
    const result = await run();
    const data = { ...result.data, ...(started && { started }) };
    return result.data.done === true && result.data.status !== 'failed'
      ? { ...result, data, next: onePerTool([...(result.next ?? []), ...next]) }
      : { ...result, data };
  });
}
