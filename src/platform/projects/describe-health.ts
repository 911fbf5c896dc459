// The health of a project as the API shows it.

import { isoTime } from '../../clock.ts';
import { limits } from '../../limits.ts';
import { showGroup } from '../store/image-groups.ts';
import type { PlacedImage, ProjectHealth, ShownGroup } from '../store/projects.ts';
import type { RefusedFile } from '../store/refused-files.ts';

/** All but the counts by split; who uploads what is told to the workspace alone, not to guests. */
export function describeHealth(health: ProjectHealth, isGuest: boolean) {
  const { isComplete, ...boxes } = health.boxes;
  const { groups, leaks, compared, plain, isComplete: complete } = health.nearDuplicates;
  return {
    health: true,
    boxes: { ...boxes, complete: isComplete },
    nearDuplicates: { ...describeGroups(groups), compared, plain, complete },
    leaks: describeGroups(leaks),
    conflicts: describeGroups(health.conflicts),
    unreadable: {
      total: health.unreadable.total,
      images: health.unreadable.images.map((image) => ({ ...image })),
    },
    ...(!isGuest && { refused: describeRefusals(health.refused) }),
    stats: {
      numImages: health.images,
      numAnnotations: health.annotations,
      avgImageSize: [health.averageWidth, health.averageHeight],
      medianImageRatio: health.medianRatio,
      missingAnnotations: health.missing,
      nullAnnotations: health.empty,
      classDistribution: health.classes,
    },
  };
}

function describeRefusals(refused: readonly RefusedFile[]) {
  return {
    total: refused.length,
    complete: refused.length < limits.refusedFilesMax,
    files: refused.slice(0, limits.healthImagesShownMax).map(describeRefused),
  };
}

export function describeRefused({ file, reason, at, who }: RefusedFile) {
  return { file, reason, time: isoTime(at), ...(who !== undefined && { who }) };
}

type Group = readonly PlacedImage[];

function describeGroups(groups: readonly Group[]) {
  return {
    groups: groups.length,
    images: groups.reduce((sum, { length }) => sum + length, 0),
    examples: groups
      .slice(0, limits.healthImagesShownMax)
      .map((group) => showGroup(group, limits.healthImagesShownMax))
      .map(describeGroup),
  };
}

export function describeGroup({ images, total }: ShownGroup) {
  return { images: images.map((image) => ({ ...image })), total };
}
