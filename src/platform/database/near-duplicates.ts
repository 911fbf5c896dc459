// Images of a project that show the same picture.

import { type SplitName, splitName } from '../../contract/fields.ts';
import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { WorkWatcher } from '../../work-watcher.ts';
import { showGroup } from '../store/image-groups.ts';
import type { ImageIndex } from '../store/image-index.ts';
import type { NearDuplicates, ShownGroup } from '../store/projects.ts';
import type { KeptComparisons } from './comparisons/kept-comparisons.ts';
import { readPlaced } from './comparisons/placed-images.ts';
import { readState } from './comparisons/project-state.ts';
import { readLooks } from './comparisons/read-vectors.ts';

/** Where images are known by how they look, what was compared of them, and who waits for it. */
export type ComparableImages = Pick<ImageIndex, 'vectors'> & {
  readonly kept: KeptComparisons;
  readonly watcher?: WorkWatcher;
};

/** Of an image its ordinal and where it is. */
export interface ComparedImage {
  readonly ordinal: number;
  readonly split: SplitName;
}

export type ComparedGroup = readonly ComparedImage[];

/** Groups of images that show the same picture. */
export interface ComparedGroups extends Pick<NearDuplicates, 'compared' | 'plain' | 'isComplete'> {
  readonly groups: readonly ComparedGroup[];
  /** Those whose images show all the same, the same way round: labels have the same places. */
  readonly copies: readonly ComparedGroup[];
  /** Those groups that lie in several splits. */
  readonly leaks: readonly ComparedGroup[];
}

/**
 * Compares the descriptors that the index has. Of more images than are compared, those of
 * valid and test come first, so that leaks into them are found, then the oldest.
 */
export async function groupImages(
  database: AsyncReader,
  { vectors, kept, watcher }: ComparableImages,
  projectId: string,
  imagesMax: number = limits.healthImagesComparedMax,
): Promise<ComparedGroups> {
  const state = await readState(database, { vectors }, projectId);
  const { ordinals, splits, found } = await kept.groups.of(
    projectId,
    `${state.text};${imagesMax}`,
    async () => {
      const looks = await readLooks(database, { vectors }, projectId, imagesMax);
      const groups = await kept.compare('groups', looks.vectors, watcher);
      return { found: groups, ordinals: looks.ordinals, splits: looks.splits, by: looks.by };
    },
    watcher?.signal,
  );
  const toImages = (group: readonly number[]) =>
    group.map((at) => ({ ordinal: ordinals[at] ?? 0, split: splits[at] ?? 'train' }));
  const groups = found.groups.map(toImages);
  const { plain } = found;
  return {
    groups,
    copies: found.copies.map(toImages),
    leaks: groups.filter((group) => group.some(({ split }) => split !== group[0]?.split)),
    compared: ordinals.length - plain,
    plain,
    isComplete: found.isComplete && ordinals.length === state.images,
  };
}

/** All groups, in the few objects that go to another thread at once. */
export async function findNearDuplicates(
  database: AsyncReader,
  index: ComparableImages,
  projectId: string,
): Promise<NearDuplicates> {
  const { groups, leaks, compared, plain, isComplete } = await groupImages(
    database,
    index,
    projectId,
  );
  const members = groups.flat();
  let end = 0;
  const ends = groups.map(({ length }) => {
    end += length;
    return end;
  });
  return {
    ordinals: Float64Array.from(members, ({ ordinal }) => ordinal),
    splits: Uint8Array.from(members, ({ split }) => splitName.options.indexOf(split)),
    ends: Uint32Array.from(ends),
    leaks: leaks.length,
    compared,
    plain,
    isComplete,
  };
}

/** Some images of each: of each split one first. */
export async function showGroups(
  database: AsyncReader,
  groups: readonly ComparedGroup[],
  imagesMax: number,
): Promise<readonly ShownGroup[]> {
  const shown = groups.map((group) => showGroup(group, imagesMax));
  const ordinals = shown.flatMap(({ images }) => images.map(({ ordinal }) => ordinal));
  const placed = await readPlaced(database, ordinals);
  return shown.map(({ images, total }) => ({
    images: images.flatMap(({ ordinal }) => placed.get(ordinal) ?? []),
    total,
  }));
}
