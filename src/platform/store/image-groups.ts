// Groups of images, and what is shown of large ones.

import type { PlacedImage, ShownGroup } from './projects.ts';

type Group = readonly PlacedImage[];

/** With some of its images. */
export function showGroup(group: Group, imagesMax: number): ShownGroup {
  return { images: spread(group).slice(0, imagesMax), total: group.length };
}

/** Of each split one first. */
function spread(group: Group): Group {
  const bySplit = [...Map.groupBy(group, ({ split }) => split).values()];
  const firsts = bySplit.flatMap(([image]) => image ?? []);
  const others = group.filter((image) => !firsts.includes(image));
  return [...firsts, ...others];
}
