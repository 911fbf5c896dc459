// The tokens in an answer of a token endpoint, read as what strangers wrote.

import {
  getValidatedIdTokenClaims,
  type TokenEndpointResponse,
  validateApplicationLevelSignature,
} from 'oauth4webapi';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { Secret } from '../secret.ts';
import type { OAuthClient } from './client.ts';
import type { Tokens } from './token-store.ts';

/** What is kept of the sign-in where the answer says nothing of it. */
export interface Before {
  readonly scopes: readonly string[];
  readonly refreshToken?: Secret | undefined;
  readonly subject?: string | undefined;
  readonly workspaceUrl?: string | undefined;
}

/**
 * RFC 6749 section 5.1. The identity token's signature is checked against the service's keys, which
 * OpenID Connect leaves to TLS: on this machine there is none. Throws `upstream_failed`.
 */
export async function readTokens(
  client: OAuthClient,
  response: Response,
  answer: TokenEndpointResponse,
  before: Before,
): Promise<Tokens> {
  if (answer.token_type !== 'bearer') throw badAnswer('is for no bearer token');
  const server = await client.server();
  const claims = getValidatedIdTokenClaims(answer);
  if (claims && server.jwks_uri !== undefined) {
    await validateApplicationLevelSignature(server, response, client.options());
  }
  const subject = server.jwks_uri === undefined ? undefined : claims?.sub;
  if (subject !== undefined && before.subject !== undefined && subject !== before.subject) {
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
    subject: subject ?? before.subject,
    obtainedAt: now,
    ended: undefined,
  };
}

/** The scopes in a text of others that are such (RFC 6749 section 3.3). */
export function readScopes(text: string): string[] {
  const isScope = (scope: string) => /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/.test(scope);
  return text.split(' ').filter(isScope).slice(0, scopesMax);
}

/** A name of others, fit for one line; undefined where nothing is left. */
export function readLine(text: string): string | undefined {
  const line = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return line === '' ? undefined : line.slice(0, 200);
}

/** A hundred years: longer is a mistake, and no date. */
const secondsMax = 100 * 366 * 24 * 60 * 60;
/** Some four times as many as the document has. */
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
