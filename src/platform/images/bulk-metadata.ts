// Handler of images_set_metadata_bulk: metadata and tags of many images.

import type { images } from '../../contract/images.ts';
import { setAndRemoved } from '../../contract/set-and-removed.ts';
import { invalidInput, type Problem } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { accessibleProjects, isAccessible } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import type { ImageUpdate } from '../store/bulk-metadata.ts';
import type { Store } from '../store/store.ts';
import { describeTaskStart } from '../tasks.ts';

export function bulkMetadataHandlers({
  store,
  tasks,
}: PlatformDependencies): Handlers<Pick<typeof images, 'images_set_metadata_bulk'>, Principal> {
  return {
    images_set_metadata_bulk: async (input, { principal, origin }) => {
      const { workspace } = principal;
      const updates = input.updates.map(
        ({ imageId, metadata = {}, removeMetadata = [], addTags = [], removeTags = [] }) => ({
          imageId,
          metadata,
          removeMetadata,
          addTags,
          removeTags,
        }),
      );
      const problems = [
        ...findTwice(updates),
        ...updates.flatMap((update, place) => setAndRemoved(update, `updates[${place}].`)),
      ];
      if (problems.length > 0) throw invalidInput(problems);
      const taskId = newId();
      await store.metadata.start({
        taskId,
        workspaceId: workspace.id,
        projectIds: await accessibleIds(store, principal, updates),
        input: JSON.stringify({ updates: input.updates }),
      });
      tasks.wake();
      return describeTaskStart(origin, workspace, taskId);
    },
  };
}

/** The task belongs to these projects too, so that the caller may see it. */
async function accessibleIds(
  store: Store,
  principal: Principal,
  updates: readonly ImageUpdate[],
): Promise<readonly string[] | undefined> {
  const accessible = await accessibleProjects(store, principal);
  if (accessible.projectIds === undefined) return undefined;
  const ids = updates.map(({ imageId }) => imageId);
  const projects = await store.metadata.projectsOf(principal.workspace.id, ids);
  return [...projects].filter((id) => isAccessible(accessible, id));
}

function findTwice(updates: readonly ImageUpdate[]): readonly Problem[] {
  const first = new Map<string, number>();
  return updates.flatMap(({ imageId }, place) => {
    const before = first.get(imageId);
    if (before === undefined) first.set(imageId, place);
    const message = `is the image of updates[${before}] again`;
    return before === undefined ? [] : [{ path: `updates[${place}].imageId`, message }];
  });
}
