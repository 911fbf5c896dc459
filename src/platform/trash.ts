// Handlers of the toolset "trash": what can be restored, and until when.

import { isoTime } from '../clock.ts';
import type { trash } from '../contract/trash.ts';
import { FoveaError, invalidArgument, notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import { quotedName } from '../quoted-name.ts';
import {
  accessibleProjects,
  isAccessible,
  requireWholeWorkspace,
} from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import type { ParentInTrash, ReplacedImages, TrashItem, TrashType } from './store/trash.ts';

export function trashHandlers({
  store,
  clock,
}: PlatformDependencies): Handlers<typeof trash, Principal> {
  const before = () => clock.now() - limits.trashRetentionMs;
  const list = async (principal: Principal) => {
    const items = await store.trash.list(principal.workspace.id, before());
    if (principal.folderIds === undefined) return items;
    const accessible = await accessibleProjects(store, principal);
    return items.filter(({ projectId }) => isAccessible(accessible, projectId));
  };
  return {
    trash_list: async (_input, { principal }) => {
      const items = (await list(principal)).map(describeItem);
      const ofType = (type: TrashType) => items.filter((item) => item.type === type);
      return {
        items,
        sections: {
          projects: ofType('project'),
          versions: ofType('version'),
          workflows: ofType('workflow'),
          trainings: ofType('training'),
          images: ofType('image'),
        },
      };
    },
    trash_restore: async ({ type, id, parentId }, { principal }) => {
      if (type === 'version' && parentId === undefined) {
        throw invalidArgument('parentId', 'is required to restore a version: see trash_list');
      }
      if (type === 'project' || type === 'workflow')
        requireWholeWorkspace(principal, `Restoring a ${type}`);
      const found = findItem(await list(principal), { type, id, parentId });
      const outcome = await store.trash.restore(principal.workspace.id, found, before());
      if (outcome === 'missing') throw notInTrash(type, id);
      if (outcome === 'restored') return { restored: true, ...describeRestored(found) };
      if (outcome.type === 'replaced') throw replaced(outcome);
      throw parentInTrash(outcome);
    },
  };
}

interface Wanted {
  readonly type: TrashType;
  readonly id: string;
  readonly parentId: string | undefined;
}

/** A project may be named by its slug, as everywhere else, where one of it is in the trash. */
function findItem(items: readonly TrashItem[], { type, id, parentId }: Wanted): TrashItem {
  const found = items.find(
    (item) =>
      item.type === type &&
      item.id === id &&
      (parentId === undefined || item.parent === undefined || parentId === item.parent.id),
  );
  if (found) return found;
  const [named, ...others] = items.filter((item) => item.type === type && item.path[0] === id);
  if (type !== 'project' || named === undefined) throw notInTrash(type, id);
  if (others.length === 0) return named;
  throw invalidArgument('id', `${others.length + 1} deleted projects have this slug: take an id`);
}

function describeRestored({ type, id, name, path, parent, images }: TrashItem) {
  return {
    type,
    id,
    name,
    url: path.join('/'),
    ...(parent && { parentName: parent.name }),
    ...(images !== undefined && { images }),
  };
}

function notInTrash(type: TrashType, id: string): FoveaError {
  return notFound(`${type} in the trash with the id`, id, 'trash_list names what is in it.');
}

function replaced({ count, by }: ReplacedImages): FoveaError {
  const named = by.map(({ id, name }) => `${quotedName(name)} is now ${id}`).join('; ');
  const more = count > by.length ? '; …' : '';
  const message = `${count} of these images ${count === 1 ? 'was' : 'were'} uploaded again meanwhile: ${named}${more}.`;
  return new FoveaError('conflict', message, {
    hint: 'Delete the new ones first: an image is in a project once. Nothing was restored.',
  });
}

function parentInTrash({ type, id, parentId }: ParentInTrash): FoveaError {
  const parent = parentId === undefined ? '' : ` of the project ${parentId}`;
  return new FoveaError('conflict', `Its ${type} is in the trash too.`, {
    hint: `Restore the ${type} ${id}${parent} first.`,
  });
}

/** `url` and `parentUrl` are paths below the workspace: of a project its slug. */
function describeItem(item: TrashItem) {
  const { type, id, name, path, deletedAt, deletedBy, parent, images, versions } = item;
  return {
    type,
    id,
    name,
    url: path.join('/'),
    deletedAt: isoTime(deletedAt),
    deletedBy: deletedBy ?? null,
    scheduledCleanupAt: isoTime(deletedAt + limits.trashRetentionMs),
    ...(images !== undefined && { images }),
    ...(versions && { versions: [...versions] }),
    ...(parent && {
      parentId: parent.id,
      parentName: parent.name,
      parentUrl: parent.path.join('/'),
    }),
  };
}
