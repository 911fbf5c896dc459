// Access tokens at the platform: whose they are, and the operations that they cover.

import type { Clock } from '../../clock.ts';
import type { VerifyAccessToken } from '../../contract/access-token.ts';
import type { Operation } from '../../contract/operation.ts';
import { isReservedWorkspace } from '../../contract/workspace.ts';
import { FoveaError } from '../../errors.ts';
import type { Secret } from '../../secret.ts';
import type { Store } from '../store/store.ts';
import type { Principal } from './authorization.ts';

export interface AccessOptions {
  readonly verify: VerifyAccessToken;
  /** The audience of tokens for this platform, beside tokens that name none. */
  readonly issuer: (() => string) | undefined;
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Finds who holds an access token; undefined for one that is unknown, has ended, or was issued for
 * another service (RFC 9700 section 4.9). The workspace that it names is made when it is not there:
 * whoever manages the accounts has named it.
 */
export function openTokenDoor(
  options: AccessOptions,
): (presented: Secret) => Promise<Principal | undefined> {
  const { verify, issuer, store, clock } = options;
  return async (presented) => {
    const token = await verify(presented);
    if (token === undefined || token.expiresAt <= clock.now()) return undefined;
    if (token.audience !== undefined && token.audience !== issuer?.()) return undefined;
    if (isReservedWorkspace(token.workspace)) return undefined;
    const { workspaces } = store;
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
  };
}

/**
 * Lets a call pass or throws `forbidden`, with the scope that it needs as challenge (RFC 6750
 * section 3.1). Whoever has no list of scopes may do everything; a publishable key runs models.
 */
export function checkScope(
  { scopes, name, isPublishable }: Principal,
  { id, scope }: Operation,
): void {
  if (isPublishable) {
    if (publishableOperations.has(id)) return;
    throw new FoveaError('forbidden', `A publishable key is not good for ${id}.`, {
      hint: 'It runs models and does nothing else: use an API key or an access token.',
    });
  }
  if (scopes === undefined || scopes.has(scope)) return;
  throw new FoveaError('forbidden', `${id} needs the scope ${scope}.`, {
    hint: name.startsWith('token:')
      ? `Sign in again with the scope ${scope}.`
      : `Use an API key with the scope ${scope}.`,
    challenge: { error: 'insufficient_scope', scope },
  });
}

/** What anybody who looks at a web page may do with the key in it. */
const publishableOperations: ReadonlySet<string> = new Set(['inference_run']);
