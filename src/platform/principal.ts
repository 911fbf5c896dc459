// Who calls, and what the caller may do.

import { createHash } from 'node:crypto';
import { FoveaError, notFound } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { Store, Workspace } from './store/store.ts';

/** A credential of the platform belongs to one workspace and may do everything in it. */
export interface Principal {
  readonly workspace: Workspace;
}

/** Finds whose credential is presented; undefined: nobody's. */
export type Door = (presented: Secret | undefined) => Promise<Principal | undefined>;

/** Accepts these keys, for this workspace, as long as the process runs. Nothing is written down. */
export function openDoor(keys: readonly Secret[], workspace: Workspace): Door {
  const accepted = new Set(keys.map(hashOf));
  return async (presented) =>
    presented !== undefined && accepted.has(hashOf(presented)) ? { workspace } : undefined;
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
