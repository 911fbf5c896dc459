// Images of a project that show the same picture.

import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { NearDuplicates } from '../store/projects.ts';
import type { KeptComparisons } from './comparisons/kept-comparisons.ts';
import { readPlaced } from './comparisons/placed-images.ts';
import { readState } from './comparisons/project-state.ts';
import { readLooks } from './comparisons/read-vectors.ts';

/** Where images are known by how they look, and what was compared of them. */
export type ComparableImages = Pick<ImageIndex, 'vectors'> & { readonly kept: KeptComparisons };

/**
 * Compares the descriptors that the index has. Of more images than are compared, those of
 * valid and test come first, so that leaks into them are found, then the oldest.
 */
export async function findNearDuplicates(
  database: AsyncReader,
  { vectors, kept }: ComparableImages,
  projectId: string,
  imagesMax: number = limits.healthImagesComparedMax,
): Promise<NearDuplicates> {
  const state = await readState(database, { vectors }, projectId);
  const { ordinals, found } = await kept.groups.of(
    projectId,
    `${state.text};${imagesMax}`,
    async () => {
      const looks = await readLooks(database, { vectors }, projectId, imagesMax);
      const groups = await kept.compare('groups', looks.vectors);
      return { found: groups, ordinals: looks.ordinals, by: looks.by };
    },
  );
  const images = await readPlaced(
    database,
    [...new Set(found.groups.flat())].map((at) => ordinals[at] ?? 0),
  );
  const toImages = (group: readonly number[]) =>
    group.flatMap((at) => images.get(ordinals[at] ?? 0) ?? []);
  const groups = found.groups.map(toImages);
  const { plain } = found;
  return {
    groups,
    copies: found.copies.map(toImages),
    leaks: groups.filter((group) => group.some(({ split }) => split !== group[0]?.split)),
    compared: ordinals.length - plain,
    plain,
    isComplete: ordinals.length === state.images,
  };
}
