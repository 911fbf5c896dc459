// Asks the service about a token (`/oauth/validate`): its true end, scopes and workspace.

import { type ValidateAnswer, validateAnswer } from '../contract/access-token.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import { get } from './http-transport.ts';
import type { OAuthClient } from './oauth-client.ts';
import { readLine, readScopes } from './token-endpoint.ts';
import type { Tokens } from './token-store.ts';

/**
 * GET /oauth/validate (API 24.3, 24.4), with its words made fit for one line. Undefined: this
 * service has no such address, as services other than docs/spec. Throws `upstream_failed` for
 * a server error, and as requests do.
 */
export async function validateToken(
  { issuer, fetch: through }: OAuthClient,
  token: Secret,
  signal?: AbortSignal,
): Promise<ValidateAnswer | undefined> {
  const headers = { authorization: `Bearer ${token.reveal()}` };
  const address = new URL(`${issuer}/oauth/validate`);
  const response = await get(address, headers, signal, through);
  const { status } = response;
  if (status >= 500) {
    throw new FoveaError('upstream_failed', `The service did not validate the token: ${status}.`);
  }
  if (status !== 200) return undefined;
  const text = await response.text();
  try {
    const answer = validateAnswer.parse(JSON.parse(text));
    const workspace = readLine(answer.workspace_url) ?? '';
    const exp = answer.exp !== null && Math.abs(answer.exp) > secondsMax ? null : answer.exp;
    return {
      ...answer,
      exp,
      workspace_url: workspace,
      scopes: readScopes(answer.scopes.join(' ')),
    };
  } catch {
    // A page for people, as some services answer for every address.
    return undefined;
  }
}

/** The last second that a Date can hold. */
const secondsMax = 8_640_000_000_000;

/**
 * What `/oauth/validate` adds to tokens that it calls active: their true end, scopes and workspace.
 * What it leaves empty stays as it was; the same `tokens` where it says nothing new.
 */
export function withValidated(tokens: Tokens, answer: ValidateAnswer, now: number): Tokens {
  const told = answer.exp === null ? undefined : answer.exp * 1_000;
  // An end that is in the past, of a token that is good: one of the two clocks is wrong.
  const expiresAt = told === undefined || told <= now ? tokens.expiresAt : told;
  const scopes = answer.scopes.length > 0 ? answer.scopes : tokens.scopes;
  const workspaceUrl = answer.workspace_url || tokens.workspaceUrl;
  const isSameEnd = Math.abs((expiresAt ?? 0) - (tokens.expiresAt ?? 0)) < limits.sameEndMs;
  const isSameRest =
    workspaceUrl === tokens.workspaceUrl && scopes.join(' ') === tokens.scopes.join(' ');
  return isSameEnd && isSameRest ? tokens : { ...tokens, expiresAt, scopes, workspaceUrl };
}
