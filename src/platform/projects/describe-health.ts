// The health of a project as the API shows it.

import { isoTime } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { GroupsSummary, ProjectHealth, ShownGroup } from '../store/projects.ts';
import type { RefusedFile } from '../store/refused-files.ts';

/** All but the counts by split; who uploads what is told to the workspace alone, not to guests. */
export function describeHealth(health: ProjectHealth, isGuest: boolean) {
  const { isComplete, ...boxes } = health.boxes;
  const { compared, plain, isComplete: complete } = health.nearDuplicates;
  return {
    health: true,
    boxes: { ...boxes, complete: isComplete },
    nearDuplicates: { ...describeGroups(health.nearDuplicates), compared, plain, complete },
    leaks: describeGroups(health.leaks),
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

function describeGroups({ groups, images, examples }: GroupsSummary) {
  return { groups, images, examples: examples.map(describeGroup) };
}

export function describeGroup({ images, total }: ShownGroup) {
  return { images: images.map((image) => ({ ...image })), total };
}
