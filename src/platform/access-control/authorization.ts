// The principal of a call, and what it may do: its workspace and its scopes.

import { type Operation, scopesOfMembers } from '../../contract/operation.ts';
import type { Scope } from '../../contract/scopes.ts';
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
  /** In a workspace that is not its own: the public project that this call reads. */
  readonly guestOf?: string;
  /** Names the credential: `key:ID`, `publishable:WORKSPACE`, `token:SUBJECT`, `environment`. */
  readonly name: string;
  /** A publishable key: it runs models and does nothing else. */
  readonly isPublishable: boolean;
}

/**
 * The principal as which a call is made: in another workspace, one that sees the public project
 * that it reads and nothing else. Throws `not_found` for an unknown workspace, and `forbidden` for
 * one that is not the caller's (API 25.7), whether it has such a project or not.
 */
export async function authorizeWorkspace(
  { workspaces, projects }: Pick<Store, 'workspaces' | 'projects'>,
  principal: Principal,
  { id }: Operation,
  input: object,
): Promise<Principal> {
  const { workspace, folderIds } = principal;
  if (!('workspace' in input) || input.workspace === workspace.slug) return principal;
  const slug = String(input.workspace);
  const own = `This credential belongs to the workspace "${workspace.slug}".`;
  const other = await workspaces.find(slug);
  if (other === undefined) {
    // `cells/1` was meant as a project and its version, and is read as workspace and project.
    const isProject = folderIds === undefined && (await projects.find(workspace.id, slug));
    const meant = `${own} "${slug}" is a project in it: name it alone; a version is its number.`;
    throw notFound('workspace', slug, isProject ? meant : own);
  }
  const named =
    'project' in input ? await projects.find(other.id, String(input.project)) : undefined;
  const shared = named?.isPublic ? named : undefined;
  // A key for some folders is for their projects alone.
  if (shared && folderIds === undefined && publicReads.has(id)) {
    return { ...principal, workspace: other, folderIds: [], guestOf: shared.id };
  }
  throw new FoveaError('forbidden', `This credential has no access to "${slug}".`, {
    hint: shared ? `${own} The project is public: projects_fork copies it there.` : own,
  });
}

/**
 * What others may do with a public project: see what is in it. Nothing that starts work in its
 * workspace, or that tells of its people and jobs.
 */
const publicReads: ReadonlySet<string> = new Set([
  'projects_get',
  'projects_health',
  'versions_get',
  'versions_diff',
  'images_get',
  'images_search',
]);

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
  requireScope({ scopes, name }, scope, id);
}

/** The same for what a call brings along. */
export function checkMemberScopes(principal: Principal, operation: Operation, input: object): void {
  for (const [member, scope] of scopesOfMembers(operation, input)) {
    requireScope(principal, scope, `${operation.id} with ${member}`);
  }
}

function requireScope(
  { scopes, name }: Pick<Principal, 'scopes' | 'name'>,
  scope: Scope,
  what: string,
): void {
  if (scopes === undefined || scopes.has(scope)) return;
  throw new FoveaError('forbidden', `${what} needs the scope ${scope}.`, {
    hint: name.startsWith('token:')
      ? `Sign in again with the scope ${scope}.`
      : `Use an API key with the scope ${scope}.`,
    challenge: { error: 'insufficient_scope', scope },
  });
}

/** Publishable keys stand in web pages: everybody can read them. */
const publishableOperations: ReadonlySet<string> = new Set(['inference_run']);
