// Which scopes the messages of a request need: what is missing is refused before anything runs.

import type { AccessToken } from '../../contract/access-token.ts';
import { FoveaError } from '../../errors.ts';

/**
 * Throws `forbidden` with the challenge of RFC 6750 section 3.1 when a call of any message needs a
 * scope that the token lacks. The challenge names what was granted as well: a client that asks for
 * exactly that loses nothing (MCP, Scope Challenge Handling).
 */
export function requireScopes(
  messages: readonly unknown[],
  token: AccessToken,
  scopeOf: (tool: string) => string | undefined,
): void {
  const needed = messages.flatMap((message) => {
    const tool = calledTool(message);
    return tool === undefined ? [] : (scopeOf(tool) ?? []);
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

function calledTool(message: unknown): string | undefined {
  if (!isRecord(message) || message.method !== 'tools/call' || !isRecord(message.params)) {
    return undefined;
  }
  const { name } = message.params;
  return typeof name === 'string' ? name : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
