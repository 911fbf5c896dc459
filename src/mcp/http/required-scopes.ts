// The OAuth scopes that the messages of a request need; a request that lacks one is refused before
// anything runs.

import type { AccessToken } from '../../contract/access-token.ts';
import { FoveaError } from '../../errors.ts';
import { isJsonObject } from '../../json-object.ts';
import { toolOfResource } from '../resources/uris.ts';
import { toolOfTask } from '../tasks/task-id.ts';
import type { ListedTool, ToolListSettings } from '../tool-list.ts';
import { resolveOperation } from '../tool-profiles.ts';

/**
 * Throws `forbidden` with the challenge of RFC 6750 section 3.1 when a message needs a scope that
 * the token lacks. The challenge also names the granted scopes, so that a client that requests it
 * loses none (MCP, Scope Challenge Handling).
 */
export function requireScopes(
  messages: readonly unknown[],
  token: AccessToken,
  scopeOf: ScopeOf,
): void {
  const needed = messages.flatMap((message) => {
    const reached = reachedBy(message);
    return reached === undefined ? [] : (scopeOf(reached) ?? []);
  });
  const missing = [...new Set(needed)].filter((scope) => !token.scopes.has(scope));
  if (missing.length === 0) return;
  throw new FoveaError('forbidden', `The sign-in does not allow this: ${missing.join(', ')}.`, {
    hint: 'Sign in again with these scopes beside those that you have.',
    challenge: {
      error: 'insufficient_scope',
      scope: [...token.scopes, ...missing].join(' '),
    },
  });
}

function reachedBy(message: unknown): RequestedOperation | undefined {
  if (!isJsonObject(message) || !isJsonObject(message.params)) return undefined;
  const { name, arguments: args, uri, taskId } = message.params;
  const { method } = message;
  if (method === 'tools/call' && typeof name === 'string') {
    return { kind: 'call', name, args: isJsonObject(args) ? args : {} };
  }
  if (method === 'resources/read' && typeof uri === 'string') return reading(toolOfResource(uri));
  const isTask = typeof method === 'string' && method.startsWith('tasks/');
  return isTask && typeof taskId === 'string' ? reading(toolOfTask(taskId)) : undefined;
}

function reading(tool: string | undefined): RequestedOperation | undefined {
  return tool === undefined ? undefined : { kind: 'reading', tool };
}

/** The operation that a message asks for, not checked yet. */
type RequestedOperation =
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  /** A resource or a task, which is read by that tool in every tool profile. */
  | { readonly kind: 'reading'; readonly tool: string };

export type ScopeOf = (reached: RequestedOperation) => string | undefined;

/**
 * Resolves calls by the function that makes them. Undefined: no scope is needed, or the call is
 * invalid and runs nothing.
 */
export function createScopeOf(list: readonly ListedTool[], settings: ToolListSettings): ScopeOf {
  const listed = new Map(list.map((tool) => [tool.name, tool]));
  return (reached) => {
    const name = operationOf(reached, listed, settings);
    return name === undefined ? undefined : listed.get(name)?.scope;
  };
}

function operationOf(
  reached: RequestedOperation,
  listed: ReadonlyMap<string, ListedTool>,
  settings: ToolListSettings,
): string | undefined {
  if (reached.kind === 'reading') return reached.tool;
  try {
    return resolveOperation(reached.name, reached.args, listed, settings).name;
  } catch {
    return undefined;
  }
}
