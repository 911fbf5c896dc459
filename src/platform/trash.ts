// Handlers of the trash family: projects and versions that can come back.

import { isoTime } from '../clock.ts';
import type { trash } from '../contract/trash.ts';
import { FoveaError, invalidArgument, notFound } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import type { Parts } from './parts.ts';
import type { Principal } from './principal.ts';
import type { TrashItem, TrashType } from './store/store.ts';

export function trashHandlers({ store }: Parts): Handlers<typeof trash, Principal> {
  return {
    trash_list: async (_input, { principal }) => {
      const items = (await store.trash.list(principal.workspace.id)).map(describeItem);
      const ofType = (type: TrashType) => items.filter((item) => item.type === type);
      return {
        items,
        sections: {
          projects: ofType('project'),
          versions: ofType('version'),
          workflows: [],
          trainings: [],
        },
      };
    },
    trash_restore: async ({ type, id, parentId }, { principal }) => {
      if (type !== 'project' && type !== 'version') {
        throw new FoveaError('not_implemented', `Restoring a ${type} is not implemented yet.`);
      }
      if (type === 'version' && parentId === undefined) {
        throw invalidArgument('parentId', 'is required to restore a version: see trash_list');
      }
      const outcome = await store.trash.restore(principal.workspace.id, type, id, parentId);
      if (outcome === 'missing') throw notFound(`${type} in the trash with the id`, id);
      if (outcome === 'parent_in_trash') {
        throw new FoveaError('conflict', 'Its project is in the trash too.', {
          hint: `Restore the project ${parentId ?? ''} first.`,
        });
      }
      return { restored: true, type, id };
    },
  };
}

function describeItem(item: TrashItem) {
  const { type, id, name, deletedAt, parent } = item;
  return {
    type,
    id,
    name,
    deletedAt: isoTime(deletedAt),
    scheduledCleanupAt: isoTime(deletedAt + limits.trashRetentionMs),
    ...(parent && { parentId: parent.id, parentName: parent.name }),
  };
}
