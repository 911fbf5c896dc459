// Handler of images_picture: the picture of an image inside an answer, for pages in hosts of MCP,
// which may load nothing from elsewhere.

import type { pictures } from '../../contract/pictures.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { type ImageFormat, imageContentTypes } from '../../imaging/image-format.ts';
import { limits } from '../../limits.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { findImage } from '../images.ts';

/** Which every browser draws. */
const drawn: ReadonlySet<ImageFormat> = new Set(['jpeg', 'png', 'webp']);

export function pictureHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof pictures, Principal> {
  return {
    images_picture: async ({ project, imageId }, { principal }) => {
      const { image } = await findImage(dependencies, principal, project, imageId);
      const bytes = await dependencies.blobs.get(image.hash);
      if (drawn.has(image.format) && bytes.length <= limits.previewBytesMax) {
        return answerOf(bytes, imageContentTypes[image.format]);
      }
      const smaller = await smallerOf(bytes);
      return answerOf(smaller.bytes, smaller.contentType);
    },
  };
}

function answerOf(bytes: Uint8Array, contentType: string) {
  return { picture: Buffer.from(bytes).toString('base64'), contentType };
}

/** Loads the decoder with the first picture. Boxes keep the pixels of the original. */
async function smallerOf(bytes: Uint8Array) {
  const { decodeSmall, encodeImage } = await import('../../imaging/image-thread-pool.ts');
  const { image } = await decodeSmall(bytes, limits.pagePictureSide, 1);
  return encodeImage(image);
}
