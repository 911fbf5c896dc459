// Refreshes and revokes tokens.

import {
  processRefreshTokenResponse,
  processRevocationResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  revocationRequest,
} from 'oauth4webapi';
import { asFoveaError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { OAuthClient } from './oauth-client.ts';
import { oauthError } from './oauth-error.ts';
import { EndedGrant } from './session.ts';
import { readTokens } from './token-response.ts';
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
