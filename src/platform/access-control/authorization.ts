// The principal of a call, and what it may do: its workspace and its scopes.

import type { Operation } from '../../contract/operation.ts';
import { FoveaError, notFound } from '../../errors.ts';
import type { Store } from '../store/store.ts';
import type { Workspace } from '../store/workspaces.ts';

/** A credential of the platform belongs to one workspace. */
export interface Principal {
  readonly workspace: Workspace;
  /** What it may do there; undefined: everything, as an API key. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** Folders to which the credential is restricted; undefined: all of the workspace. */
  readonly folderIds: readonly string[] | undefined;
  /** Names the credential: `key:ID`, `publishable:WORKSPACE`, `token:SUBJECT`, `environment`. */
  readonly name: string;
  /** A publishable key: it runs models and does nothing else. */
  readonly isPublishable: boolean;
}

/**
 * Throws `not_found` for an unknown workspace, `forbidden` for one that is not the caller's
 * (API 25.7).
 */
export async function authorizeWorkspace(
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

/**
 * Throws `forbidden`, with the missing scope as challenge (RFC 6750 section 3.1). A principal
 * without a list of scopes may do everything; a publishable key only runs models.
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

/** Publishable keys stand in web pages: everybody can read them. */
const publishableOperations: ReadonlySet<string> = new Set(['inference_run']);
