// Reads the tokens in a response of a token endpoint, which is not trusted.

import {
  getValidatedIdTokenClaims,
  type TokenEndpointResponse,
  validateApplicationLevelSignature,
} from 'oauth4webapi';
import type { ValidateAnswer } from '../contract/access-token.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { Secret } from '../secret.ts';
import type { OAuthClient } from './oauth-client.ts';
import type { Tokens } from './token-store.ts';

/** Earlier values, kept where the response does not have them. */
export interface Before {
  readonly scopes: readonly string[];
  readonly refreshToken?: Secret | undefined;
  readonly subject?: string | undefined;
  readonly workspaceUrl?: string | undefined;
}

/**
 * The person whom the identity token of a sign-in names; undefined: none, or nothing proves it. Its
 * signature is checked against the service's keys, which OpenID Connect leaves to TLS: on this
 * machine there is none. Throws `upstream_failed`.
 */
export async function readSubject(
  client: OAuthClient,
  response: Response,
  answer: TokenEndpointResponse,
  signal: AbortSignal,
): Promise<string | undefined> {
  const server = await client.server();
  const claims = getValidatedIdTokenClaims(answer);
  if (claims === undefined || server.jwks_uri === undefined) return undefined;
  await validateApplicationLevelSignature(server, response, client.options(signal));
  return claims.sub;
}

/**
 * RFC 6749 section 5.1. Asks nobody: a refresh token that was rotated is spent, so nothing that may
 * fail stands between its answer and the store. An identity token that comes with a refresh proves
 * nobody, but must not name another person (OpenID Connect Core 12.2). Throws `upstream_failed`.
 */
export function readTokens(
  client: OAuthClient,
  answer: TokenEndpointResponse,
  before: Before,
): Tokens {
  if (answer.token_type !== 'bearer') throw badAnswer('is for no bearer token');
  const named = getValidatedIdTokenClaims(answer)?.sub;
  if (named !== undefined && before.subject !== undefined && named !== before.subject) {
    throw badAnswer('is for another person');
  }
  const now = client.clock.now();
  const { expires_in: seconds } = answer;
  const isKnown = seconds !== undefined && seconds > 0 && seconds <= secondsMax;
  return {
    issuer: client.issuer,
    clientId: client.clientId,
    accessToken: readToken(answer.access_token, 'access_token'),
    refreshToken:
      answer.refresh_token === undefined
        ? before.refreshToken
        : readToken(answer.refresh_token, 'refresh_token'),
    expiresAt: isKnown ? now + seconds * 1_000 : undefined,
    scopes: answer.scope === undefined ? before.scopes : readScopes(answer.scope),
    workspaceUrl: before.workspaceUrl,
    subject: before.subject,
    obtainedAt: now,
    ended: undefined,
  };
}

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

/** The valid scopes of a text by others (RFC 6749 section 3.3). */
export function readScopes(text: string): string[] {
  const isScope = (scope: string) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope);
  return text.split(' ').filter(isScope).slice(0, scopesMax);
}

/** A name by others, on one line; undefined where nothing is left. */
export function readLine(text: string): string | undefined {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return line === '' ? undefined : line.slice(0, 200);
}

/** A hundred years: longer is a mistake, and no date. */
const secondsMax = 100 * 366 * 24 * 60 * 60;
/** Some four times as many as the specification has. */
const scopesMax = 200;

/** RFC 6750 section 2.1, and not larger than the headers that services take. */
function readToken(text: string, name: string): Secret {
  const isToken = /^[\x21-\x7e]+$/.test(text) && text.length <= limits.headerBytesMax;
  if (!isToken) throw badAnswer(`has no usable ${name}`);
  return new Secret(text);
}

function badAnswer(why: string): FoveaError {
  return new FoveaError('upstream_failed', `The token endpoint's answer ${why}.`, {
    retry: 'never',
  });
}
