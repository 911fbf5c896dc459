// This server as an OAuth resource server: authenticates callers, and answers refused ones with a
// challenge (RFC 6750, RFC 9728, MCP authorization).

import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { AccessToken, VerifyAccessToken } from '../../contract/access-token.ts';
import { FoveaError } from '../../errors.ts';
import { clientNetwork } from '../../http-server/client-address.ts';
import { Secret } from '../../secret.ts';
import type { ScopeOf } from './required-scopes.ts';
import type { VerifyPresented } from './token-cache.ts';

/** Decides which callers are let in, and what they may call. */
export interface AuthorizationPolicy {
  /** Undefined: the token is not known. It need not look at the audience. */
  readonly verify: VerifyAccessToken;
  /** The authorization server whose tokens are good here. */
  readonly issuer: () => string;
  /** The scopes that clients are told to request. */
  readonly scopes: readonly string[];
  /** The scope that a call needs; undefined: it runs nothing. */
  readonly scopeOf: ScopeOf;
}

/** The authenticated caller. `presented` is sent to the authorization server, and nowhere else. */
export interface Caller {
  readonly token: AccessToken;
  readonly presented: Secret;
}

/** This server as a protected resource (RFC 9728), by the URLs that clients see. */
export interface ProtectedResource {
  /** The resource identifier of RFC 8707, for example `https://mcp.example.com/mcp`. */
  readonly resource: string;
  /** Where RFC 9728 section 3.1 wants its metadata. */
  readonly metadata: string;
}

/** The paths of the metadata: that of the RFC, and the one that old clients try. */
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
 * Authenticates the caller of a request. Throws `unauthenticated` unless the header has exactly one
 * token that is known, has not expired, and was issued for this resource.
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

/** RFC 6750 section 2.1. Tokens in the body or the query are ignored (RFC 9700 section 4.3.2). */
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

/** Ignores one slash at the end: audiences may have been registered with it. */
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
