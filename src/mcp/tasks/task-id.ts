// The id of a task holds all that is needed to read it. So no state is kept, a task outlives this
// process, and the platform decides whose credential may read it.

import { isJsonObject, membersOf } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import type { BackgroundTask, NextCall } from '../tool.ts';

export interface TaskHandle {
  readonly work: BackgroundTask;
  /** ISO 8601. */
  readonly createdAt: string;
  /** The facts of the call that started it: no other answer has them. Undefined: too many. */
  readonly started: Readonly<Record<string, unknown>> | undefined;
  /** The calls that make sense once the task is done. */
  readonly next: readonly NextCall[];
}

/** The id of a handle: base64url, which goes into the header `Mcp-Name` as it is. */
export function writeTaskId({ work, createdAt, started, next }: TaskHandle): string {
  const calls = next.map(({ tool, arguments: args }) => ({ tool, arguments: args }));
  const facts = { started, ...(calls.length > 0 && { next: calls }) };
  const isShort = JSON.stringify(facts).length <= limits.taskFactsCharactersMax;
  const members = { v: 1, ...work, createdAt, ...(isShort && facts) };
  return Buffer.from(JSON.stringify(members)).toString('base64url');
}

/** The handle in an id, which came from outside; undefined: not an id of ours. */
export function readTaskId(taskId: string): TaskHandle | undefined {
  const members = taskId.length > limits.taskIdCharactersMax ? undefined : parse(taskId);
  if (!isJsonObject(members) || members.v !== 1) return undefined;
  const work = workOf(members);
  const { createdAt, started } = members;
  if (work === undefined || typeof createdAt !== 'string') return undefined;
  if (!/^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(createdAt)) return undefined;
  const calls = Array.isArray(members.next) ? members.next : [];
  // The texts of an id may be forged, and must not be shown as ours.
  const next = nextCallsOf(calls.map((call: unknown) => ({ ...membersOf(call), why: afterwards })));
  return { work, createdAt, started: isJsonObject(started) ? started : undefined, next };
}

const afterwards = 'Goes on with what was made.';

/** The tool whose scope a task needs; undefined: not an id of ours. */
export function toolOfTask(taskId: string): string | undefined {
  const handle = readTaskId(taskId);
  return handle && (handle.work.kind === 'version' ? 'versions_get' : 'tasks_get');
}

function workOf(members: Readonly<Record<string, unknown>>): BackgroundTask | undefined {
  const { kind, workspace, taskId, project, version } = members;
  if (!isText(workspace)) return undefined;
  if (kind === 'task' && isText(taskId)) return { kind, workspace, taskId };
  const isVersion = kind === 'version' && isText(project) && isText(version);
  return isVersion && /^[1-9]\d{0,8}$/.test(version)
    ? { kind: 'version', workspace, project, version }
    : undefined;
}

/** The valid follow-up calls of a result; invalid ones are left out. */
export function nextCallsOf(value: unknown): readonly NextCall[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((call: unknown) => {
    const { tool, arguments: args, why } = membersOf(call);
    return isText(tool) && isJsonObject(args) && isText(why)
      ? [{ tool, arguments: args, why }]
      : [];
  });
}

function parse(taskId: string): unknown {
  try {
    return JSON.parse(Buffer.from(taskId, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
