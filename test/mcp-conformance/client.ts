// The client that the conformance suite drives: its MCP part is the SDK's, and it signs in with
// src/sign-in. The suite gives the server's address as the last word.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { systemClock } from '../../src/clock.ts';
import type { ClientAuthentication } from '../../src/config.ts';
import { FoveaError } from '../../src/errors.ts';
import { Secret } from '../../src/secret.ts';
import { createOAuthClient, type OAuthClient } from '../../src/sign-in/oauth-client.ts';
import type { Session } from '../../src/sign-in/session.ts';
import { createSignInFlow } from '../../src/sign-in/sign-in-flow.ts';
import type { Tokens } from '../../src/sign-in/token-store.ts';

const serverUrl = new URL(process.argv.at(-1) ?? '');
/** More of them would be a loop. */
const signInsMax = 3;

await main();

async function main(): Promise<void> {
  let token: Secret | undefined;
  let scopes: readonly string[] = [];
  for (let signIns = 0; ; signIns += 1) {
    const challenge = await work(token);
    if (challenge === undefined) return;
    if (signIns === signInsMax) throw new Error('The server is never content.');
    const asked = await whatToAsk(challenge);
    scopes = [...new Set([...scopes, ...asked.scopes])];
    token = await signIn(asked.issuer, scopes, asked.resource);
  }
}

/** All that a host does with the server; gives the challenge where it was refused. */
async function work(token: Secret | undefined): Promise<Response | undefined> {
  let refused: Response | undefined;
  const watched = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token.reveal()}`);
    const response = await fetch(url, { ...init, headers });
    if (response.status === 401 || response.status === 403) refused = response.clone();
    return response;
  };
  const client = new Client(
    { name: 'fovea-conformance', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  );
  try {
    await client.connect(new StreamableHTTPClientTransport(serverUrl, { fetch: watched }));
    const { tools } = await client.listTools();
    const [tool] = tools;
    if (tool !== undefined) await client.callTool({ name: tool.name, arguments: {} });
  } catch (thrown) {
    if (refused === undefined) throw thrown;
  } finally {
    await client.close();
  }
  return refused;
}

interface Asked {
  readonly issuer: string;
  readonly scopes: readonly string[];
  readonly resource: string | undefined;
}

/** RFC 9728: the challenge names the metadata, else it is at a well-known address. */
async function whatToAsk(challenge: Response): Promise<Asked> {
  const header = challenge.headers.get('www-authenticate') ?? '';
  const named = parameter(header, 'resource_metadata');
  const wellKnown = '/.well-known/oauth-protected-resource';
  const addresses = named
    ? [named]
    : [`${wellKnown}${serverUrl.pathname}`.replace(/\/$/, ''), wellKnown];
  for (const address of addresses) {
    const response = await fetch(new URL(address, serverUrl));
    if (!response.ok) continue;
    const metadata: unknown = await response.json();
    return readMetadata({ ...Object(metadata) }, parameter(header, 'scope'));
  }
  // Revision 2025-03-26: the server is its own authorization server.
  return { issuer: serverUrl.origin, scopes: [], resource: undefined };
}

function readMetadata(metadata: Record<string, unknown>, wanted: string | undefined): Asked {
  const { resource, authorization_servers: servers, scopes_supported: supported } = metadata;
  if (typeof resource !== 'string' || !covers(new URL(resource), serverUrl)) {
    throw new Error('The metadata is of another resource.');
  }
  const issuer: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (typeof issuer !== 'string') throw new Error('The metadata names no authorization server.');
  const scopes = wanted?.split(' ') ?? (Array.isArray(supported) ? supported.map(String) : []);
  return { issuer: issuer.replace(/\/$/, ''), scopes, resource };
}

/** A resource may stand for all below it. */
function covers(resource: URL, address: URL): boolean {
  const path = resource.pathname.endsWith('/') ? resource.pathname : `${resource.pathname}/`;
  return resource.origin === address.origin && `${address.pathname}/`.startsWith(path);
}

function parameter(header: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(header)?.[1];
}

async function signIn(
  issuer: string,
  scopes: readonly string[],
  resource: string | undefined,
): Promise<Secret> {
  const client = await oauthClient(issuer);
  let kept: Tokens | undefined;
  const flow = createSignInFlow({
    client,
    scopes,
    session: sessionOf((tokens) => {
      kept = tokens;
    }),
    redirectPort: 8976,
    listens: false,
    ...(resource !== undefined && { resource }),
    browser: () => false,
  });
  const started = await flow.start();
  if (started.status !== 'pending') throw new Error('Signed in already.');
  // The suite's person agrees at once.
  const answer = await fetch(started.authorizationUrl, { redirect: 'manual' });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`The authorization endpoint answered ${answer.status}.`);
  await flow.finishWith(location);
  if (kept === undefined) throw new Error('The sign-in gave no token.');
  return kept.accessToken;
}

/** With the first method that the service takes and this client can. */
async function oauthClient(issuer: string): Promise<OAuthClient> {
  const context: unknown = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  const { client_id = 'fovea', client_secret = 'a-secret' } = { ...Object(context) };
  const facts = { issuer, clientId: String(client_id), clock: systemClock };
  const secret = new Secret(String(client_secret));
  const open = { ...facts, clientSecret: undefined, clientAuth: 'none' } as const;
  const methods = (await createOAuthClient(open).server()).token_endpoint_auth_methods_supported;
  // RFC 8414 section 2: where nothing is said, it is client_secret_basic.
  const method = (methods ?? ['client_secret_basic']).find(isKnown);
  if (method === undefined) throw new Error('The service takes no method that this client has.');
  if (method === 'none') return createOAuthClient(open);
  return createOAuthClient({ ...facts, clientSecret: secret, clientAuth: method });
}

function isKnown(method: string): method is ClientAuthentication {
  return ['none', 'client_secret_basic', 'client_secret_post'].includes(method);
}

/** Keeps nothing: each sign-in of this client starts anew. */
function sessionOf(keep: (tokens: Tokens) => void): Session {
  const signedOut = {
    status: 'signed_out',
    expiresAt: undefined,
    scopes: [],
    workspaceUrl: undefined,
    store: 'memory',
    profile: 'default',
    error: undefined,
  } as const;
  return {
    accessToken: async () => undefined,
    renew: async () => undefined,
    subject: async () => undefined,
    ready: async () => undefined,
    status: async () => signedOut,
    begin: async (tokens) => keep(tokens),
    end: async () => {
      throw new FoveaError('not_implemented', 'This client does not sign out.');
    },
  };
}
