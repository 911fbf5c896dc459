// Which scopes the messages of a request need: what is missing is refused before anything runs.

import type { AccessToken } from '../../contract/access-token.ts';
import { FoveaError } from '../../errors.ts';
import { isJsonObject } from '../../json-object.ts';
import { toolOfResource } from '../resources/uris.ts';
import { toolOfTask } from '../tasks/task-id.ts';
import type { RequestedOperation, ScopeOf } from './operation-scope.ts';

/**
 * Throws `forbidden` with the challenge of RFC 6750 section 3.1 when any message needs a scope
 * that the token lacks. The challenge names what was granted as well: a client that asks for
 * exactly that loses nothing (MCP, Scope Challenge Handling).
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
