// The address to which a person came back: checked, and its code redeemed.

import { timingSafeEqual } from 'node:crypto';
import {
  authorizationCodeGrantRequest,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { OAuthClient } from './oauth-client.ts';
import { oauthError } from './oauth-error.ts';
import { readSubject, readTokens } from './token-response.ts';
import type { Tokens } from './token-store.ts';

/** Whether `address` is an answer to this request: its redirect URI, and its state exactly once. */
export function isAnswerTo(request: AuthorizationRequest, address: URL): boolean {
  const { origin, pathname } = new URL(request.redirectUri);
  if (address.origin !== origin || address.pathname !== pathname) return false;
  const [state, ...more] = address.searchParams.getAll('state');
  if (state === undefined || more.length > 0) return false;
  const given = Buffer.from(state);
  const expected = Buffer.from(request.state);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Checks issuer (RFC 9207) and error of an answer, redeems its code with the verifier (RFC 7636),
 * and checks the identity token where one was asked for. Throws a FoveaError; nothing that the
 * service said is in its message.
 */
export async function redeem(
  client: OAuthClient,
  request: AuthorizationRequest,
  address: URL,
  signal: AbortSignal,
): Promise<Tokens> {
  const { identity } = client;
  const { resource, nonce, redirectUri, codeVerifier, scopes } = request;
  try {
    const server = await client.server();
    const parameters = validateAuthResponse(server, identity, address, request.state);
    const response = await authorizationCodeGrantRequest(
      server,
      identity,
      client.authentication(),
      parameters,
      redirectUri,
      codeVerifier.reveal(),
      { ...client.options(signal), ...(resource && { additionalParameters: { resource } }) },
    );
    const answer = await processAuthorizationCodeResponse(server, identity, response, {
      ...(nonce && { expectedNonce: nonce, requireIdToken: true }),
    });
    const subject = await readSubject(client, response, answer, signal);
    return readTokens(client, answer, { scopes, subject });
  } catch (thrown) {
    throw oauthError(thrown, 'token endpoint');
  }
}
