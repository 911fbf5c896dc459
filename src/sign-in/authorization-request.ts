// The address that a person opens, and what is remembered until they come back. Nothing is sent.

import {
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
} from 'oauth4webapi';
import { Secret } from '../secret.ts';
import { checkEndpoint } from './oauth-requests.ts';

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
