// The sign-in service beside a service of ours, at the same address: for `platform` and `http`.

import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  mountAuthorizationServer,
} from '../authorization-server/authorization-server.ts';
import { invalidArgument } from '../errors.ts';

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
 * that no public https URL stands for. Throws `invalid_input` for a public URL with a path: the
 * metadata of an issuer stands at the root of its host (RFC 8414 section 3).
 */
export function mountSignIn({
  host,
  publicUrl,
  ...options
}: MountOptions): MountedSignIn | undefined {
  if (publicUrl !== undefined && new URL(publicUrl).pathname !== '/') {
    const right = 'must have no path, for example https://fovea.example.org';
    throw invalidArgument('FOVEA_PUBLIC_URL', right);
  }
  if (publicUrl === undefined && !isOfThisMachine(host)) return undefined;
  const { open, ...server } = mountAuthorizationServer(options);
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

/** Of the addresses for everybody too: there the service is signed in to by its loopback one. */
function isOfThisMachine(host: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|localhost|::1|0\.0\.0\.0|::)$/.test(host);
}
