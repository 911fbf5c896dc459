// The Tasks extension: tools/call may answer with a task, and tasks/get, tasks/update and
// tasks/cancel follow it. No state is kept here, so any process can answer.

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import { isJsonObject, membersOf } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { type TaskSource, type TaskState, UnknownTaskError } from './task-source.ts';
import { tasksExtension } from './tasks-extension.ts';

/** Whether this very request says that its client takes tasks. Older revisions cannot say so. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const declared = membersOf(membersOf(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY]);
  return isJsonObject(membersOf(declared.extensions)[tasksExtension]);
}

/** Throws -32021 for a client that does not take tasks. */
export function requireTasks(context: ServerContext): void {
  if (takesTasks(context)) return;
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  });
}

/**
 * A task in place of a result. It has no expiry: how long the platform keeps it is unknown here.
 * tools/call requires `content`, which is empty.
 */
export function taskResult(state: TaskState): CallToolResult {
  const { taskId, status, createdAt, lastUpdatedAt, statusMessage } = state;
  return {
    resultType: 'task',
    taskId,
    status,
    createdAt,
    lastUpdatedAt,
    ...(statusMessage !== undefined && { statusMessage }),
    ...timing,
    content: [],
  };
}

const timing = { ttlMs: null, pollIntervalMs: limits.taskPollMs };

/** Adds the three requests about tasks. The capability is the server's to declare. */
export function addTasks(server: Server, source: TaskSource): void {
  handle(server, 'tasks/get', async ({ taskId }, signal) => ({
    ...(await source.get(taskId, signal)),
    ...timing,
  }));
  handle(server, 'tasks/update', async ({ taskId, inputResponses }, signal) => {
    await source.update(taskId, inputResponses, signal);
    return {};
  });
  handle(server, 'tasks/cancel', async ({ taskId }, signal) => {
    await source.cancel(taskId, signal);
    return {};
  });
}

function handle(
  server: Server,
  method: string,
  answer: (params: TaskParams, signal: AbortSignal) => Promise<Result>,
): void {
  server.setRequestHandler(method, { params: anything }, async (params, context) => {
    requireTasks(context);
    const checked = checkParams(params, context);
    try {
      return await answer(checked, context.mcpReq.signal);
    } catch (thrown) {
      if (!(thrown instanceof UnknownTaskError)) throw thrown;
      throw invalidParams('There is no such task, or it is not yours. Ids come from tools/call.');
    }
  });
}

interface TaskParams {
  readonly taskId: string;
  readonly inputResponses: NonNullable<ServerContext['mcpReq']['inputResponses']>;
}

/** The error below says what is wrong. */
const anything: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'fovea', validate: (value) => ({ value }) },
};

function checkParams(params: unknown, { mcpReq }: ServerContext): TaskParams {
  const { taskId } = membersOf(params);
  if (typeof taskId !== 'string' || taskId === '') {
    throw invalidParams('taskId must be the id of a task, as tools/call gave it.');
  }
  // The package takes them out of the parameters of every request that has them.
  return { taskId, inputResponses: mcpReq.inputResponses ?? {} };
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
