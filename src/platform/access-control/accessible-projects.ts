// Which projects a credential may see: all of its workspace, or those of some folders.

import { FoveaError, notFound } from '../../errors.ts';
import type { Project } from '../store/projects.ts';
import type { AccessibleProjects } from '../store/search.ts';
import type { Store } from '../store/store.ts';
import type { Principal } from './authorization.ts';

/**
 * The project of that slug in the caller's workspace. Throws `not_found`, and `forbidden` as
 * requireProjectAccess.
 */
export async function findProject(
  { store }: { readonly store: Store },
  principal: Principal,
  slug: string,
): Promise<Project> {
  const { workspace } = principal;
  const project = await store.projects.find(workspace.id, slug);
  if (project) {
    await requireProjectAccess(store, principal, project);
    return project;
  }
  throw notFound('project', slug, await knownProjects(store, principal));
}

/** A hint for callers who may list projects; a publishable key is public and may not. */
async function knownProjects(store: Store, principal: Principal): Promise<string | undefined> {
  const { workspace, scopes } = principal;
  const mayRead = ['project:read', 'workspace:read'].some((scope) => scopes?.has(scope) ?? true);
  if (!mayRead) return undefined;
  const accessible = await accessibleProjects(store, principal);
  const known = (await store.projects.list(workspace.id))
    .filter(({ id }) => isAccessible(accessible, id))
    .slice(0, 10);
  return known.length > 0
    ? `Projects here: ${known.map(({ slug }) => slug).join(', ')}.`
    : 'There are no projects yet.';
}

/** Throws `forbidden` for a project that the caller may not see (API 25.7). */
async function requireProjectAccess(
  store: Pick<Store, 'folders'>,
  principal: Principal,
  project: Pick<Project, 'id' | 'slug'>,
): Promise<void> {
  if (isAccessible(await accessibleProjects(store, principal), project.id)) return;
  const message = `This credential has no access to the project "${project.slug}".`;
  throw new FoveaError('forbidden', message, {
    hint: 'It is for the projects of some folders alone; folders_set_projects moves a project.',
  });
}

/**
 * The projects that searches, lists and lookups by id may see. Read at each call: a project that
 * is moved out of a folder is hidden at once.
 */
export async function accessibleProjects(
  { folders }: Pick<Store, 'folders'>,
  { workspace, folderIds, guestOf }: Principal,
): Promise<AccessibleProjects> {
  if (guestOf !== undefined) return { workspaceId: workspace.id, projectIds: [guestOf] };
  if (folderIds === undefined) return { workspaceId: workspace.id, projectIds: undefined };
  const projectIds = await folders.projectIds(workspace.id, folderIds);
  return { workspaceId: workspace.id, projectIds: [...projectIds] };
}

/** Whether the caller may see the project with that id. */
export function isAccessible(
  { projectIds }: AccessibleProjects,
  projectId: string | undefined,
): boolean {
  if (projectIds === undefined) return true;
  return projectId !== undefined && projectIds.includes(projectId);
}

/**
 * Throws `forbidden` for a model (an id that begins with `PROJECT/`) of a project that the caller
 * may not see. Models that do not exist or have no project pass.
 */
export async function requireModelAccess(
  store: Pick<Store, 'folders' | 'projects'>,
  principal: Principal,
  modelId: string,
): Promise<void> {
  if (principal.folderIds === undefined || !modelId.includes('/')) return;
  const [slug = ''] = modelId.split('/');
  const project = await store.projects.find(principal.workspace.id, slug);
  if (project) await requireProjectAccess(store, principal, project);
}

/** Throws `forbidden` unless the credential is for the whole workspace; `what` needs that. */
export function requireWholeWorkspace({ folderIds }: Principal, what: string): void {
  if (folderIds === undefined) return;
  throw new FoveaError('forbidden', `${what} needs a key for the whole workspace.`, {
    hint: 'This credential is for the projects of some folders alone.',
  });
}

/** What a credential sees that sees this project alone. */
export function onlyProject({ id, workspaceId }: Project): AccessibleProjects {
  return { workspaceId, projectIds: [id] };
}
