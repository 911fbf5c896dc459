// Finds the principal of a credential: an environment key, an API key or an access token.

import type { Clock } from '../../clock.ts';
import type { VerifyAccessToken } from '../../contract/access-token.ts';
import { isReservedWorkspace } from '../../contract/workspace.ts';
import type { CredentialPlace } from '../../http-server/credentials.ts';
import { limits } from '../../limits.ts';
import type { Secret } from '../../secret.ts';
import { publishablePrefix, secretPrefix } from '../api-keys/generate-key.ts';
import type { ApiKeyStore } from '../store/api-keys.ts';
import type { Store } from '../store/store.ts';
import type { Workspace } from '../store/workspaces.ts';
import type { Principal } from './authorization.ts';

/** The principal of a credential, presented from an address; undefined: an unknown credential. */
export type Authenticate = (
  presented: Secret | undefined,
  place: CredentialPlace,
  address: string,
) => Promise<Principal | undefined>;

export interface AuthenticatorOptions {
  /** Environment keys: accepted for `workspace` as long as the process runs, and never stored. */
  readonly keys: readonly Secret[];
  /** As one of them, for a person in the browser: what is done with it has a name of its own. */
  readonly pageKey: Secret | undefined;
  readonly workspace: Workspace;
  readonly store: Pick<Store, 'apiKeys' | 'workspaces'>;
  /** Undefined: access tokens are not accepted. */
  readonly verifyAccessToken: VerifyAccessToken | undefined;
  /** The audience of tokens for this platform, beside tokens without an audience. */
  readonly issuer: (() => string) | undefined;
  readonly clock: Clock;
}

/**
 * Tries environment keys, then API keys, then access tokens. An access token in a query or a body
 * is refused (RFC 9700 section 4.3.2).
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { keys, pageKey, workspace } = options;
  const nameOf = new Map(keys.map((key) => [key.hash(), 'environment']));
  if (pageKey !== undefined) nameOf.set(pageKey.hash(), 'page');
  return async (presented, place) => {
    if (presented === undefined) return undefined;
    const name = nameOf.get(presented.hash());
    if (name !== undefined) {
      return { workspace, scopes: undefined, folderIds: undefined, name, isPublishable: false };
    }
    const ofKey = await authenticateApiKey(options, presented);
    if (ofKey !== undefined || place !== 'header') return ofKey;
    return authenticateAccessToken(options, presented);
  };
}

/**
 * Read from the database at every request, so that a change counts at once in all processes. An
 * unknown, a revoked and a disabled key look the same to the caller.
 */
async function authenticateApiKey(
  { store: { apiKeys }, clock }: AuthenticatorOptions,
  presented: Secret,
): Promise<Principal | undefined> {
  const text = presented.reveal();
  if (text.startsWith(publishablePrefix)) return authenticatePublishableKey(apiKeys, text);
  if (!text.startsWith(secretPrefix)) return undefined;
  const known = await apiKeys.byHash(presented.hash());
  if (known === undefined || known.key.isDisabled) return undefined;
  const { key, workspace } = known;
  const now = clock.now();
  if (now - (key.lastUsed ?? 0) >= limits.apiKeyUseMs) {
    // A full disk locks out nobody who reads.
    await apiKeys.markUsed(key.id, now).catch(() => undefined);
  }
  return {
    workspace,
    scopes: key.scopes && new Set(key.scopes),
    folderIds: key.folderIds,
    name: `key:${key.id}`,
    isPublishable: false,
  };
}

async function authenticatePublishableKey(
  apiKeys: ApiKeyStore,
  key: string,
): Promise<Principal | undefined> {
  const workspace = await apiKeys.byPublishable(key);
  return (
    workspace && {
      workspace,
      scopes: new Set(['model:infer']),
      folderIds: undefined,
      name: `publishable:${workspace.id}`,
      isPublishable: true,
    }
  );
}

/**
 * Refuses tokens that are unknown, expired or for another audience (RFC 9700 section 4.9). Creates
 * the workspace of the token where it is missing: the authorization server has chosen its name.
 */
async function authenticateAccessToken(
  { verifyAccessToken, issuer, store: { workspaces }, clock }: AuthenticatorOptions,
  presented: Secret,
): Promise<Principal | undefined> {
  const token = await verifyAccessToken?.(presented);
  if (token === undefined || token.expiresAt <= clock.now()) return undefined;
  if (token.audience !== undefined && token.audience !== issuer?.()) return undefined;
  if (isReservedWorkspace(token.workspace)) return undefined;
  const workspace =
    (await workspaces.find(token.workspace)) ??
    (await workspaces.ensure(token.workspace, clock.now()));
  return {
    workspace,
    scopes: token.scopes,
    folderIds: undefined,
    name: `token:${token.subject}`,
    isPublishable: false,
  };
}
