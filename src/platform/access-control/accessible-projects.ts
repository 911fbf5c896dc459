// What a credential reaches within its workspace: all of it, or the projects of some folders.

import { FoveaError } from '../../errors.ts';
import type { Project } from '../store/projects.ts';
import type { AccessibleProjects } from '../store/search.ts';
import type { Store } from '../store/store.ts';
import type { Principal } from './authorization.ts';

/** Throws `forbidden` for a project out of reach (API 25.7). */
export async function requireProjectAccess(
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
 * What searches, lists and lookups by id may see. Asked anew at each call: a project that was moved
 * out of a folder is out of reach at once.
 */
export async function accessibleProjects(
  { folders }: Pick<Store, 'folders'>,
  { workspace, folderIds }: Principal,
): Promise<AccessibleProjects> {
  if (folderIds === undefined) return { workspaceId: workspace.id, projectIds: undefined };
  const projectIds = await folders.projectIds(workspace.id, folderIds);
  return { workspaceId: workspace.id, projectIds: [...projectIds] };
}

/** Whether a project of the workspace, by its id, is among what a credential may see. */
export function isAccessible(
  { projectIds }: AccessibleProjects,
  projectId: string | undefined,
): boolean {
  if (projectIds === undefined) return true;
  return projectId !== undefined && projectIds.includes(projectId);
}

/**
 * Throws `forbidden` for a model (`PROJECT/VERSION` or `PROJECT/VERSION/TRAINING`) of a project out
 * of reach. One that is not there, or of no project, passes.
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
