// The health of a project as the API shows it.

import { isoTime } from '../../clock.ts';
import { limits } from '../../limits.ts';
import type { PlacedImage, ProjectHealth } from '../store/projects.ts';
import type { RefusedFile } from '../store/refused-files.ts';

/** All but the counts by split; who uploads what is told to the workspace alone, not to guests. */
export function describeHealth(health: ProjectHealth, isGuest: boolean) {
  const { isComplete, ...boxes } = health.boxes;
  const { groups, compared, plain, isComplete: complete } = health.nearDuplicates;
  return {
    health: true,
    boxes: { ...boxes, complete: isComplete },
    nearDuplicates: { ...describeGroups(groups), compared, plain, complete },
    leaks: describeGroups(groups.filter(isLeak)),
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
    files: refused.slice(0, limits.healthImagesShownMax).map(describeRefused),
  };
}

function describeRefused({ file, reason, at, who }: RefusedFile) {
  return { file, reason, time: isoTime(at), ...(who !== undefined && { who }) };
}

type Group = readonly PlacedImage[];

function isLeak(group: Group): boolean {
  return group.some(({ split }) => split !== group[0]?.split);
}

function describeGroups(groups: readonly Group[]) {
  return {
    groups: groups.length,
    images: groups.reduce((sum, { length }) => sum + length, 0),
    examples: groups.slice(0, limits.healthImagesShownMax).map((group) => ({
      images: someOf(group).map((image) => ({ ...image })),
      total: group.length,
    })),
  };
}

/** Of each split one first, so that a leak is seen. */
function someOf(group: Group): Group {
  const bySplit = [...Map.groupBy(group, ({ split }) => split).values()];
  const firsts = bySplit.flatMap(([image]) => image ?? []);
  const others = group.filter((image) => !firsts.includes(image));
  return [...firsts, ...others].slice(0, limits.healthImagesShownMax);
}
