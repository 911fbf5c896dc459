// The authorization server beside a service of ours, at the same address: for `platform` and
// `http`.

import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  mountAuthorizationServer,
} from '../authorization-server/authorization-server.ts';
import type { Log } from '../log.ts';
import { isLoopbackHost } from '../network/loopback.ts';

export interface MountOptions extends AuthorizationServerOptions {
  /** The address on which the service listens. */
  readonly host: string;
  /** FOVEA_PUBLIC_URL; undefined: the service is reached at its own address. */
  readonly publicUrl: string | undefined;
}

export interface MountedSignIn extends Omit<AuthorizationServer, 'open'> {
  /** The address that it names as its own; known once the service listens. */
  readonly issuer: () => string;
  /** Opens it at the public URL, else at the URL on which the service listens. */
  readonly onListening: (url: string) => Promise<void>;
}

/**
 * Undefined where passwords and tokens would travel in plain text: on an address of the network
 * that no public https URL stands for.
 */
export async function mountSignIn({
  host,
  publicUrl,
  ...options
}: MountOptions): Promise<MountedSignIn | undefined> {
  if (publicUrl === undefined && !isOfThisMachine(host)) return undefined;
  const { open, ...server } = await mountAuthorizationServer(options);
  let issuer = '';
  return {
    ...server,
    issuer: () => issuer,
    onListening: async (url) => {
      issuer = publicUrl ?? url;
      await open(issuer);
    },
  };
}

/** A wildcard address would let others of the network sign in, in plain text. */
export function warnOfPlainText(host: string, publicUrl: string | undefined, log: Log): void {
  if (publicUrl !== undefined || !/^(0\.0\.0\.0|::)$/.test(host)) return;
  log.warn(
    'People who sign in through the network send passwords and tokens in plain text. Set FOVEA_PUBLIC_URL to the https address of a proxy before it, or listen on 127.0.0.1.',
    { host },
  );
}

/** Wildcard addresses count as well: there the service is signed in to by its loopback address. */
function isOfThisMachine(host: string): boolean {
  return isLoopbackHost(host) || host === '0.0.0.0' || host === '::';
}
