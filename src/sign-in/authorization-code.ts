// The authorization code flow with PKCE: the address that a person opens, the check of the address
// to which they come back, and the code redeemed.

import { timingSafeEqual } from 'node:crypto';
import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { Secret } from '../secret.ts';
import { checkEndpoint } from './http-transport.ts';
import type { OAuthClient } from './oauth-client.ts';
import { oauthError } from './oauth-error.ts';
import { readSubject, readTokens } from './token-endpoint.ts';
import type { Tokens } from './token-store.ts';

export interface AskedFor {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** RFC 8707; undefined: the service's own API. */
  readonly resource: string | undefined;
}

export interface AuthorizationRequest extends AskedFor {
  readonly address: string;
  readonly state: string;
  /** Where an identity token is expected: OpenID Connect Core section 3.1.2.1. */
  readonly nonce: string | undefined;
  readonly codeVerifier: Secret;
}

/** RFC 6749 section 4.1.1 with RFC 7636; each has a state, a verifier and a nonce of its own. */
export async function makeAuthorizationRequest(
  server: AuthorizationServer,
  asked: AskedFor,
): Promise<AuthorizationRequest> {
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  const isOpenId = asked.scopes.includes('openid') && server.jwks_uri !== undefined;
  const nonce = isOpenId ? generateRandomNonce() : undefined;
  const address = checkEndpoint(
    server.authorization_endpoint,
    'authorization_endpoint',
    new URL(server.issuer),
  );
  const parameters = {
    client_id: asked.clientId,
    redirect_uri: asked.redirectUri,
    response_type: 'code',
    scope: asked.scopes.join(' '),
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...(nonce && { nonce }),
    ...(asked.resource && { resource: asked.resource }),
  };
  // The endpoint's own query stays (RFC 6749 section 3.1), but never in place of ours.
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '') address.searchParams.set(name, value);
  }
  return { ...asked, address: address.href, state, nonce, codeVerifier: new Secret(verifier) };
}

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
