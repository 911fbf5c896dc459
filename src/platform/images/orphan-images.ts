// Handler of images_delete_orphans. Every image has a project here, so that each one is kept.

import type { imageExtensions } from '../../contract/images.ts';
import { invalidArgument } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { accessibleProjects, isAccessible } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';

export function orphanImageHandlers({
  store,
}: PlatformDependencies): Handlers<
  Pick<typeof imageExtensions, 'images_delete_orphans'>,
  Principal
> {
  return {
    images_delete_orphans: async ({ images: given }, { principal }) => {
      const accessible = await accessibleProjects(store, principal);
      const images = new Set(given);
      const missing: string[] = [];
      for (const id of images) {
        const project = await store.images.projectOf(principal.workspace.id, id);
        if (!project || !isAccessible(accessible, project.id)) missing.push(id);
      }
      if (missing.length > 0) {
        throw invalidArgument(
          'images',
          `${missing.length} of ${images.size} are not in this workspace (${missing
            .slice(0, 3)
            .join(', ')}); nothing was deleted`,
        );
      }
      const skipped = images.size;
      return {
        deleted: 0,
        skipped,
        deletedSources: 0,
        skippedSources: skipped,
        message: 'Their projects have them: delete them there, by images_delete.',
      };
    },
  };
}
