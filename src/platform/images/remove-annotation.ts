// Handler of images_remove_annotation: an image is as before its first annotation.

import type { imageExtensions } from '../../contract/images.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { findImage, noImage, wasChanged } from '../images.ts';

export function removeAnnotationHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof imageExtensions, 'images_remove_annotation'>, Principal> {
  const { store, clock } = dependencies;
  return {
    images_remove_annotation: async ({ project, imageId, revision }, { principal }) => {
      const { image } = await findImage(dependencies, principal, project, imageId);
      const outcome = await store.images.removeAnnotation(image.id, revision, clock.now());
      if (outcome === 'missing') throw noImage(image.id);
      if (outcome === 'was_changed') throw wasChanged(image.name);
      return { success: true };
    },
  };
}
