// Handlers of the toolset "folders": groups of projects, to which keys may be restricted.

import { isoTime } from '../clock.ts';
import type { folderExtensions, folders } from '../contract/folders.ts';
import { type FoveaError, notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { requireWholeWorkspace } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { newId } from './ids-and-slugs.ts';
import type { Folder, FolderChange } from './store/folders.ts';
import type { Store } from './store/store.ts';

type All = typeof folders & typeof folderExtensions;

export function folderHandlers(dependencies: PlatformDependencies): Handlers<All, Principal> {
  return {
    ...readHandlers(dependencies),
    ...writeHandlers(dependencies),
    ...projectHandlers(dependencies),
  };
}

function readHandlers({
  store,
}: PlatformDependencies): Handlers<Pick<All, 'folders_list'>, Principal> {
  return {
    folders_list: async ({ groupId }, { principal }) => {
      const all = await visibleFolders(store, principal);
      if (groupId === undefined) return { data: all.map(describeFolder) };
      const folder = all.find(({ id }) => id === groupId);
      if (!folder) throw noFolder(groupId);
      return { data: [describeFolder(folder)] };
    },
  };
}

type Writes = 'folders_create' | 'folders_update' | 'folders_delete';

function writeHandlers({
  store,
  clock,
}: PlatformDependencies): Handlers<Pick<All, Writes>, Principal> {
  return {
    folders_create: async (input, { principal }) => {
      requireWholeWorkspace(principal, 'Managing folders');
      const id = newId();
      const { name } = input;
      const workspaceId = principal.workspace.id;
      await store.folders.add({
        ...readChange(input),
        id,
        workspaceId,
        name,
        created: clock.now(),
      });
      return { id };
    },
    folders_update: async (input, { principal }) => {
      requireWholeWorkspace(principal, 'Managing folders');
      const { folderId } = input;
      const { workspace } = principal;
      const change = readChange(input);
      if (!(await store.folders.update(workspace.id, folderId, change, clock.now()))) {
        throw noFolder(folderId);
      }
      if (input.returnUpdated !== true) return {};
      const folder = await store.folders.find(workspace.id, folderId);
      return { data: folder ? [describeFolder(folder)] : [] };
    },
    folders_delete: async ({ folderId }, { principal }) => {
      requireWholeWorkspace(principal, 'Managing folders');
      const isThere = await store.folders.remove(principal.workspace.id, folderId, clock.now());
      if (!isThere) throw noFolder(folderId);
      return {};
    },
  };
}

type Projects = 'folders_set_projects' | 'folders_remove_projects';

function projectHandlers({
  store,
  clock,
}: PlatformDependencies): Handlers<Pick<All, Projects>, Principal> {
  const change = async (
    principal: Principal,
    folderId: string,
    projects: readonly string[],
    operation: 'add' | 'remove',
  ) => {
    requireWholeWorkspace(principal, 'Managing folders');
    const { id } = principal.workspace;
    if (await store.folders.setProjects(id, folderId, projects, operation, clock.now())) return {};
    throw noFolder(folderId);
  };
  return {
    folders_set_projects: ({ folderId, projects, operation = 'add' }, { principal }) =>
      change(principal, folderId, projects, operation),
    folders_remove_projects: ({ folderId, projects }, { principal }) =>
      change(principal, folderId, projects, 'remove'),
  };
}

/** Those that the credential is for, and all below them. */
async function visibleFolders(
  store: Store,
  { workspace, folderIds }: Principal,
): Promise<readonly Folder[]> {
  const all = await store.folders.list(workspace.id);
  if (folderIds === undefined) return all;
  const within = await store.folders.within(workspace.id, folderIds);
  return all.filter(({ id }) => within.has(id));
}

/** The body as the contract has it, for create and update alike. */
interface FolderInput {
  readonly name?: string | undefined;
  readonly parent_id?: string | null | undefined;
  readonly external_id?: string | undefined;
  readonly auth_groups?: { readonly read?: unknown; readonly write?: unknown } | undefined;
  readonly projects?: readonly string[] | undefined;
}

function readChange(input: FolderInput): FolderChange {
  return {
    name: input.name,
    parentId: input.parent_id,
    externalId: input.external_id,
    authGroups: input.auth_groups,
    projects: input.projects,
  };
}

function describeFolder(folder: Folder) {
  const { id, name, projects, parentId, externalId, authGroups, created, updated } = folder;
  return {
    id,
    name,
    projects: [...projects],
    parent_id: parentId ?? null,
    external_id: externalId ?? null,
    auth_groups: authGroups,
    created: isoTime(created),
    updated: isoTime(updated),
  };
}

function noFolder(folderId: string): FoveaError {
  return notFound('folder', folderId, 'folders_list names the folders.');
}
