// Fovea as a client of an authorization server: its id, secret and the metadata of the server.

import {
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  None,
} from 'oauth4webapi';
import type { Clock } from '../clock.ts';
import type { ClientAuthentication } from '../config.ts';
import { FoveaError } from '../errors.ts';
import { lazyStart } from '../lazy-start.ts';
import type { Secret } from '../secret.ts';
import { discover } from './authorization-server-metadata.ts';
import { type Fetch, requestOptions } from './http-transport.ts';

export interface OAuthClientOptions {
  /** The origin of the service, and its path where it has one; no slash at the end. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret | undefined;
  readonly clientAuth: ClientAuthentication;
  readonly clock: Clock;
  /** Replaces `fetch` of Node where a proxy is used. */
  readonly fetch?: Fetch;
}

export interface OAuthClient extends OAuthClientOptions {
  /** Its metadata, read once; a failure is forgotten. Throws what is wrong with it. */
  server(): Promise<AuthorizationServer>;
  /** In the terms of oauth4webapi. */
  readonly identity: Client;
  /** How the token endpoint is told who asks; holds the secret, so made for each request. */
  authentication(): ClientAuth;
  /** For a request of oauth4webapi. */
  options(signal?: AbortSignal): ReturnType<typeof requestOptions>;
}

/** Sends nothing before it is used. */
export function createOAuthClient(options: OAuthClientOptions): OAuthClient {
  const { issuer, clientId } = options;
  const server = lazyStart(() => discover(issuer, options.fetch));
  return {
    ...options,
    identity: { client_id: clientId },
    server: server.get,
    authentication: () => authenticationOf(options),
    options: (signal) => requestOptions(new URL(issuer), signal, options.fetch),
  };
}

function authenticationOf({ clientAuth, clientSecret }: OAuthClientOptions): ClientAuth {
  if (clientAuth === 'none') return None();
  if (clientSecret === undefined) {
    throw new FoveaError('invalid_input', `${clientAuth} needs a client secret.`, {
      hint: 'Set FOVEA_CLIENT_SECRET.',
    });
  }
  if (clientAuth === 'client_secret_post') return ClientSecretPost(clientSecret.reveal());
  return (_server, { client_id }, _body, headers) => {
    const credentials = `${formEncode(client_id)}:${formEncode(clientSecret.reveal())}`;
    headers.set('authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
  };
}

/**
 * RFC 6749 section 2.3.1 and appendix B. oauth4webapi encodes more than that ("-" and "_" too),
 * which breaks with the many servers that do not decode.
 */
function formEncode(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
