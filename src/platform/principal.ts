// Who calls, and what the caller may do.

import { createHash } from 'node:crypto';
import { FoveaError, notFound } from '../errors.ts';
import type { CredentialPlace } from '../http-server/credentials.ts';
import type { Secret } from '../secret.ts';
import type { Store, Workspace } from './store/store.ts';

/** A credential of the platform belongs to one workspace. */
export interface Principal {
  readonly workspace: Workspace;
  /** What it may do there; undefined: everything, as an API key. */
  readonly scopes: ReadonlySet<string> | undefined;
}

/** Finds whose credential is presented; undefined: nobody's. */
export type Door = (
  presented: Secret | undefined,
  place: CredentialPlace,
) => Promise<Principal | undefined>;

/**
 * Accepts these keys, for this workspace, as long as the process runs; nothing is written down.
 * What else stands in a header is looked for among `tokens`: an access token in an address or a
 * body is nobody's (RFC 9700 section 4.3.2).
 */
export function openDoor(
  keys: readonly Secret[],
  workspace: Workspace,
  tokens?: (presented: Secret) => Promise<Principal | undefined>,
): Door {
  const accepted = new Set(keys.map(hashOf));
  return async (presented, place) => {
    if (presented === undefined) return undefined;
    if (accepted.has(hashOf(presented))) return { workspace, scopes: undefined };
    return place === 'header' ? tokens?.(presented) : undefined;
  };
}

/**
 * Lets a call pass or throws: `not_found` for a workspace that is not there, `forbidden` for one
 * of somebody else (first document, Authentication).
 */
export async function authorize(
  { workspaces }: Store,
  { workspace }: Principal,
  input: object,
): Promise<void> {
  if (!('workspace' in input) || input.workspace === workspace.slug) return;
  const slug = String(input.workspace);
  const hint = `This credential belongs to the workspace "${workspace.slug}".`;
  if ((await workspaces.find(slug)) === undefined) throw notFound('workspace', slug, hint);
  throw new FoveaError('forbidden', `This credential has no access to "${slug}".`, { hint });
}

/** Keys are compared by their hashes, so that the time that takes tells nothing of them. */
function hashOf(key: Secret): string {
  return createHash('sha256').update(key.reveal()).digest('hex');
}
