// Requests of an MCP server to its authorization server: verifies tokens, and exchanges them for
// tokens of the platform.

import {
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
} from 'oauth4webapi';
import { type VerifyAccessToken, validateAnswer } from '../contract/access-token.ts';
import { FoveaError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { get } from './http-transport.ts';
import type { OAuthClient } from './oauth-client.ts';
import { oauthError } from './oauth-error.ts';
import { readTokens } from './token-endpoint.ts';

/** A token of the platform. */
export interface ExchangedToken {
  readonly accessToken: Secret;
  /** Milliseconds since 1970; undefined: not told. */
  readonly expiresAt: number | undefined;
}

/**
 * Throws `not_implemented` for a service that cannot tell for whom a token is: its tokens for other
 * servers would be good here too (RFC 9700 section 4.9.1).
 */
export async function requireAudiences(client: OAuthClient): Promise<void> {
  const server = await client.server();
  if (server.validate_resource_supported === true) return;
  throw new FoveaError(
    'not_implemented',
    `The authorization server ${client.issuer} cannot tell for which server a token is.`,
    { hint: 'Set FOVEA_AUTH_URL to one whose metadata has validate_resource_supported.' },
  );
}

/**
 * Asks `/oauth/validate` whether a token is for this resource. Its four members name nobody, so the
 * token itself stands for its holder. Throws `upstream_failed`, and as requests do.
 */
export function verifyFor(
  { issuer, fetch: through }: OAuthClient,
  resource: () => string,
): VerifyAccessToken {
  return async (token) => {
    const audience = resource();
    const address = new URL(
      `${issuer}/oauth/validate?${new URLSearchParams({ resource: audience })}`,
    );
    const headers = { authorization: `Bearer ${token.reveal()}` };
    const response = await get(address, headers, undefined, through);
    const { active, exp, workspace_url: workspace, scopes } = await readAnswer(response);
    if (!active || exp === null || workspace === '') return undefined;
    return {
      subject: token.hash(),
      clientId: 'unknown',
      workspace,
      scopes: new Set(scopes),
      audience,
      expiresAt: exp * 1_000,
    };
  };
}

/** Any unclear answer refuses the caller. */
async function readAnswer(response: Response) {
  try {
    if (response.status === 200) return validateAnswer.parse(JSON.parse(await response.text()));
  } catch {
    // Said below.
  }
  throw new FoveaError('upstream_failed', 'The authorization server did not check the token.');
}

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';

/**
 * RFC 8693: a token for the platform, of the same person and with the same scopes. Throws
 * `unauthenticated` when the token is no longer good.
 */
export async function exchangeToken(
  client: OAuthClient,
  presented: Secret,
  signal: AbortSignal,
): Promise<ExchangedToken> {
  try {
    const server = await client.server();
    const response = await genericTokenEndpointRequest(
      server,
      client.identity,
      client.authentication(),
      exchangeGrant,
      { subject_token: presented.reveal(), subject_token_type: accessTokenType },
      client.options(signal),
    );
    const answer = await processGenericTokenEndpointResponse(server, client.identity, response);
    const { accessToken, expiresAt } = readTokens(client, answer, { scopes: [] });
    return { accessToken, expiresAt };
  } catch (thrown) {
    if (thrown instanceof ResponseBodyError && thrown.error === 'invalid_grant') throw ended();
    throw oauthError(thrown, 'token endpoint');
  }
}

/** Of a code there is no talk here. */
function ended(): FoveaError {
  return new FoveaError('unauthenticated', 'The sign-in has ended.', { hint: 'Sign in again.' });
}
