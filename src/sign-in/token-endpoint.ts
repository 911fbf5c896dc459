// Refreshes and revokes tokens, and reads the tokens of a response, which is not trusted.

import {
  getValidatedIdTokenClaims,
  processRefreshTokenResponse,
  processRevocationResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateApplicationLevelSignature,
} from 'oauth4webapi';
import { asFoveaError, FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { Secret } from '../secret.ts';
import type { OAuthClient } from './oauth-client.ts';
import { oauthError } from './oauth-error.ts';
import { EndedGrant } from './token-refresh.ts';
import type { Tokens } from './token-store.ts';

/**
 * RFC 6749 section 6: one request. What the answer leaves out stays as it was. Throws EndedGrant
 * for `invalid_grant` or without a refresh token, a FoveaError otherwise.
 */
export async function refreshTokens(
  client: OAuthClient,
  tokens: Tokens,
  signal: AbortSignal,
): Promise<Tokens> {
  const { refreshToken } = tokens;
  if (refreshToken === undefined) throw new EndedGrant('There is no refresh token.');
  try {
    const server = await client.server();
    const response = await refreshTokenGrantRequest(
      server,
      client.identity,
      client.authentication(),
      refreshToken.reveal(),
      client.options(signal),
    );
    const answer = await processRefreshTokenResponse(server, client.identity, response);
    return readTokens(client, answer, tokens);
  } catch (thrown) {
    if (thrown instanceof ResponseBodyError && thrown.error === 'invalid_grant') {
      throw new EndedGrant('The refresh token is no longer accepted.');
    }
    throw oauthError(thrown, 'token endpoint');
  }
}

/**
 * RFC 7009, the refresh token first: with it, most services end everything. False where the service
 * has no such endpoint, cannot be reached, or did not do it.
 */
export async function revokeTokens(
  client: OAuthClient,
  { refreshToken, accessToken }: Tokens,
  signal: AbortSignal,
): Promise<boolean> {
  let isDone = true;
  if (refreshToken) isDone = await revoke(client, refreshToken, 'refresh_token', signal);
  return (await revoke(client, accessToken, 'access_token', signal)) && isDone;
}

async function revoke(
  client: OAuthClient,
  token: Secret,
  hint: 'refresh_token' | 'access_token',
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const server = await client.server();
    if (server.revocation_endpoint === undefined) return false;
    const response = await revocationRequest(
      server,
      client.identity,
      client.authentication(),
      token.reveal(),
      { ...client.options(signal), additionalParameters: { token_type_hint: hint } },
    );
    await processRevocationResponse(response);
    return true;
  } catch (thrown) {
    const error = oauthError(thrown, 'token endpoint');
    if (asFoveaError(error).code === 'cancelled') throw error;
    return false;
  }
}

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
