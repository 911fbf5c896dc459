// Handler of images_set_split: chosen images change their split.

import type { imageExtensions } from '../../contract/images.ts';
import { invalidArgument } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';

export function setSplitHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof imageExtensions, 'images_set_split'>, Principal> {
  const { store, clock } = dependencies;
  return {
    images_set_split: async ({ project: slug, images, split }, { principal }) => {
      const project = await findProject(dependencies, principal, slug);
      const moves = [...new Set(images)].map((imageId) => ({ imageId, to: split }));
      const { moved, missing } = await store.splits.assign(project.id, moves, clock.now());
      if (missing.length > 0) {
        const which = `${missing.length} of ${moves.length} are not in this project`;
        throw invalidArgument(
          'images',
          `${which} (${missing.slice(0, 3).join(', ')}); nothing was moved`,
        );
      }
      return { moved };
    },
  };
}
