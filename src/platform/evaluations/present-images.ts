// Images of now beside what names them, such as the results of an evaluation.

import type { Image, ImageStore } from '../store/images.ts';

/**
 * Each with its image, undefined where it is gone; read in groups, which are small, as labels may
 * be many.
 */
export async function* withImages<Naming extends { readonly imageId: string | undefined }>(
  images: Pick<ImageStore, 'findAll'>,
  projectId: string,
  naming: readonly Naming[],
  signal: AbortSignal,
): AsyncGenerator<{ readonly one: Naming; readonly image: Image | undefined }> {
  for (let at = 0; at < naming.length; at += imagesAtOnce) {
    signal.throwIfAborted();
    const some = naming.slice(at, at + imagesAtOnce);
    const imageIds = some.flatMap(({ imageId }) => imageId ?? []);
    const found = await images.findAll(projectId, imageIds);
    for (const one of some) yield { one, image: found.get(one.imageId ?? '') };
  }
}

const imagesAtOnce = 50;
