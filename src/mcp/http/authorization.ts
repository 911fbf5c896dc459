// This server as an OAuth resource server: authenticates callers, decides which scope a message
// needs, and answers refused ones with a challenge (RFC 6750, RFC 9728, MCP authorization).

import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.ts';
import type { AccessToken, VerifyAccessToken } from '../../contract/access-token.ts';
import { FoveaError } from '../../errors.ts';
import { clientNetwork } from '../../http-server/client-address.ts';
import { isJsonObject } from '../../json-object.ts';
import { Secret } from '../../secret.ts';
import { toolOfResource } from '../resources/uris.ts';
import { toolOfTask } from '../tasks/task-id.ts';
import type { ListedTool, ToolListSettings } from '../tool-list.ts';
import { resolveOperation } from '../tool-profiles.ts';
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

/**
 * Throws `forbidden` with the challenge of RFC 6750 section 3.1 when a message needs a scope that
 * the token lacks. The challenge also names the granted scopes, so that a client that requests it
 * loses none (MCP, Scope Challenge Handling).
 */
export function requireScopes(
  messages: readonly unknown[],
  token: AccessToken,
  scopeOf: ScopeOf,
): void {
  const needed = messages.flatMap((message) => {
    const reached = reachedBy(message);
    return reached === undefined ? [] : (scopeOf(reached) ?? []);
  });
  const missing = [...new Set(needed)].filter((scope) => !token.scopes.has(scope));
  if (missing.length === 0) return;
  throw new FoveaError('forbidden', `The sign-in does not allow this: ${missing.join(', ')}.`, {
    hint: 'Sign in again with these scopes beside those that you have.',
    challenge: {
      error: 'insufficient_scope',
      scope: [...token.scopes, ...missing].join(' '),
    },
  });
}

function reachedBy(message: unknown): RequestedOperation | undefined {
  if (!isJsonObject(message) || !isJsonObject(message.params)) return undefined;
  const { name, arguments: args, uri, taskId } = message.params;
  const { method } = message;
  if (method === 'tools/call' && typeof name === 'string') {
    return { kind: 'call', name, args: isJsonObject(args) ? args : {} };
  }
  if (method === 'resources/read' && typeof uri === 'string') return reading(toolOfResource(uri));
  const isTask = typeof method === 'string' && method.startsWith('tasks/');
  return isTask && typeof taskId === 'string' ? reading(toolOfTask(taskId)) : undefined;
}

function reading(tool: string | undefined): RequestedOperation | undefined {
  return tool === undefined ? undefined : { kind: 'reading', tool };
}

/** The operation that a message asks for, not checked yet. */
type RequestedOperation =
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  /** A resource or a task, which is read by that tool in every tool profile. */
  | { readonly kind: 'reading'; readonly tool: string };

export type ScopeOf = (reached: RequestedOperation) => string | undefined;

/**
 * Resolves calls by the function that makes them. Undefined: no scope is needed, or the call is
 * invalid and runs nothing.
 */
export function createScopeOf(list: readonly ListedTool[], settings: ToolListSettings): ScopeOf {
  const listed = new Map(list.map((tool) => [tool.name, tool]));
  return (reached) => {
    const name = operationOf(reached, listed, settings);
    return name === undefined ? undefined : listed.get(name)?.scope;
  };
}

function operationOf(
  reached: RequestedOperation,
  listed: ReadonlyMap<string, ListedTool>,
  settings: ToolListSettings,
): string | undefined {
  if (reached.kind === 'reading') return reached.tool;
  try {
    return resolveOperation(reached.name, reached.args, listed, settings).name;
  } catch {
    return undefined;
  }
}
