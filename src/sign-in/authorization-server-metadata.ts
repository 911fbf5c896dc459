// Where an authorization server's endpoints are: its metadata, else the addresses of docs/spec.

import { type AuthorizationServer, processDiscoveryResponse } from 'oauth4webapi';
import { FoveaError } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import { isPlainLoopback } from '../network/loopback.ts';
import { checkEndpoint, type Fetch, get } from './http-transport.ts';
import { oauthError } from './oauth-error.ts';

/**
 * OpenID Connect Discovery 1.0 section 4, then RFC 8414 section 3, then the addresses of
 * API 24.1 to 24.8. The next one is asked only where there is nothing: 404, 410, or no JSON.
 * Throws where the metadata is of another issuer, or names an endpoint that must not be sent
 * anything.
 */
export async function discover(issuer: string, through?: Fetch): Promise<AuthorizationServer> {
  for (const address of metadataAddresses(new URL(issuer))) {
    const response = await get(address, {}, undefined, through);
    const found = await readMetadata(response);
    if (found !== undefined) return checked(await accept(issuer, found), new URL(issuer));
  }
  return checked(documentedServer(issuer), new URL(issuer));
}

function metadataAddresses(issuer: URL): readonly URL[] {
  const path = issuer.pathname.replace(/\/$/, '');
  const paths = [
    `${path}/.well-known/openid-configuration`,
    `/.well-known/oauth-authorization-server${path}`,
    `/.well-known/openid-configuration${path}`,
  ];
  return [...new Set(paths)].map((path) => new URL(path, issuer));
}

async function readMetadata(response: Response): Promise<object | undefined> {
  const { status } = response;
  if (status === 404 || status === 410) return undefined;
  if (status !== 200) {
    throw new FoveaError(
      'upstream_failed',
      `The authorization server's metadata: HTTP ${status}.`,
      {
        hint: 'Check FOVEA_AUTH_URL.',
      },
    );
  }
  try {
    const value: unknown = JSON.parse(await response.text());
    if (isJsonObject(value)) return value;
  } catch {
    // A page for people, as some services answer for every address.
    return undefined;
  }
  throw new FoveaError('upstream_failed', "The authorization server's metadata is no object.");
}

/** Exactly the issuer that was asked for; a slash at the end is none of its own. */
async function accept(issuer: string, found: object): Promise<AuthorizationServer> {
  const named = 'issuer' in found ? found.issuer : undefined;
  const expected = named === `${issuer}/` ? new URL(named) : new URL(issuer);
  const isSame = typeof named === 'string' && URL.parse(named)?.href === expected.href;
  if (!isSame) throw otherIssuer(expected, named);
  try {
    return await processDiscoveryResponse(expected, Response.json(found));
  } catch (thrown) {
    throw oauthError(thrown, 'resource');
  }
}

function otherIssuer(expected: URL, named: unknown): FoveaError {
  const text = typeof named === 'string' ? named : '';
  const url = URL.parse(text);
  const isAlias = url !== null && isPlainLoopback(url) && isPlainLoopback(expected);
  return new FoveaError(
    'upstream_failed',
    'The authorization server says that it is another one.',
    {
      retry: 'never',
      hint: isAlias
        ? `Set FOVEA_AUTH_URL to ${url.origin}: 127.0.0.1 and localhost are two names.`
        : 'Set FOVEA_AUTH_URL to the issuer of the service, as its documentation has it.',
      upstream: { status: 200, message: `issuer: ${text}` },
    },
  );
}

/** API 24.1 to 24.8. */
function documentedServer(issuer: string): AuthorizationServer {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
  };
}

function checked(server: AuthorizationServer, issuer: URL): AuthorizationServer {
  for (const name of ['authorization_endpoint', 'token_endpoint'] as const) {
    checkEndpoint(server[name], name, issuer);
  }
  for (const name of ['revocation_endpoint', 'userinfo_endpoint', 'jwks_uri'] as const) {
    if (server[name] !== undefined) checkEndpoint(server[name], name, issuer);
  }
  const methods: unknown = server.code_challenge_methods_supported;
  if (methods !== undefined && !(Array.isArray(methods) && methods.includes('S256'))) {
    throw new FoveaError('upstream_failed', 'The authorization server does not know PKCE (S256).', {
      retry: 'never',
      hint: 'Fovea sends no code to a service that cannot protect it.',
    });
  }
  return server;
}
