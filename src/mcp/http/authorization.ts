// This server as an OAuth resource server: who may enter, and what those are told who may not
// (RFC 6750, RFC 9728, MCP authorization).

import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { AccessToken, VerifyAccessToken } from '../../contract/access-token.ts';
import { FoveaError } from '../../errors.ts';
import { clientNetwork } from '../../http-server/client-address.ts';
import { Secret } from '../../secret.ts';
import type { ScopeOf } from './operation-scope.ts';
import type { VerifyPresented } from './token-cache.ts';

/** What decides over callers. */
export interface AuthorizationPolicy {
  /** Undefined: the token is not known. It need not look at the audience. */
  readonly verify: VerifyAccessToken;
  /** The authorization server whose tokens are good here. */
  readonly issuer: () => string;
  /** What clients are told to ask for. */
  readonly scopes: readonly string[];
  /** The scope that a call needs; undefined: it runs nothing. */
  readonly scopeOf: ScopeOf;
}

/** Who calls. `presented` may go to the authorization server, and nowhere else. */
export interface Caller {
  readonly token: AccessToken;
  readonly presented: Secret;
}

/** This server as RFC 9728 calls it, for those who look from outside. */
export interface ProtectedResource {
  /** The resource identifier of RFC 8707, for example `https://mcp.example.com/mcp`. */
  readonly resource: string;
  /** Where RFC 9728 section 3.1 wants its metadata. */
  readonly metadata: string;
}

/** The paths at which the metadata is: that of the RFC, and the one that old clients try. */
export function metadataPaths(path: string): readonly string[] {
  const base = '/.well-known/oauth-protected-resource';
  return [`${base}${path}`, base];
}

/** That of a server that is reached at `origin`, with the protocol at `path`. */
export function protectedResourceAt(origin: string, path: string): ProtectedResource {
  return { resource: `${origin}${path}`, metadata: `${origin}${metadataPaths(path)[0]}` };
}

/** RFC 9728 section 2. */
export function resourceMetadata(
  { resource }: ProtectedResource,
  { issuer, scopes }: AuthorizationPolicy,
) {
  return {
    resource,
    authorization_servers: [issuer()],
    scopes_supported: scopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Fovea',
  };
}

/**
 * The caller of a request. Throws `unauthenticated` unless there is one token, in the header, that
 * is known, has not ended, and was made for this very resource.
 */
export async function authenticate(
  request: IncomingMessage,
  verify: VerifyPresented,
  { resource }: ProtectedResource,
  clock: Clock,
): Promise<Caller> {
  const presented = presentedToken(request);
  const token = await verify(presented, clientNetwork(request));
  if (token === undefined || token.expiresAt <= clock.now()) {
    throw refused('The access token is unknown or no longer valid.');
  }
  if (token.audience === undefined || canonical(token.audience) !== canonical(resource)) {
    throw refused('The access token was made for another resource.');
  }
  return { token, presented };
}

/** RFC 6750 section 2.1; a token in the body or the query is none (RFC 9700 section 4.3.2). */
function presentedToken({ headersDistinct }: IncomingMessage): Secret {
  const headers = headersDistinct.authorization ?? [];
  if (headers.length === 0) {
    throw new FoveaError('unauthenticated', 'This server needs an access token.', {
      hint: 'Sign in at the authorization server that the resource metadata names.',
    });
  }
  const [, token] = /^bearer +([\w.~+/-]+=*) *$/i.exec(headers[0] ?? '') ?? [];
  if (headers.length > 1 || token === undefined) {
    throw refused('The Authorization header must be one, as "Bearer TOKEN".');
  }
  return new Secret(token);
}

function refused(message: string): FoveaError {
  return new FoveaError('unauthenticated', message, {
    hint: 'Sign in again at the authorization server that the resource metadata names.',
    challenge: { error: 'invalid_token' },
  });
}

/** An audience may have been registered with one slash at its end. */
function canonical(resource: string): string {
  return resource.replace(/\/$/, '');
}

/** The WWW-Authenticate header that belongs to an error; undefined: it asks for no sign-in. */
export function challengeHeader(
  { code, challenge }: FoveaError,
  { metadata }: ProtectedResource,
  scopes: readonly string[],
): string | undefined {
  if (code !== 'unauthenticated' && challenge === undefined) return undefined;
  const members = {
    ...(challenge && { error: challenge.error }),
    scope: challenge?.scope ?? scopes.join(' '),
    resource_metadata: metadata,
  };
  const pairs = Object.entries(members).map(([name, value]) => `${name}="${quotable(value)}"`);
  return `Bearer ${pairs.join(', ')}`;
}

function quotable(value: string): string {
  return value.replaceAll(/[^\x21\x23-\x5b\x5d-\x7e ]/g, '');
}
