// Groups of images, and what is shown of large ones.

import type { SplitName } from '../../contract/fields.ts';

interface Placed {
  readonly split: SplitName;
}

/** With some of its images. */
export function showGroup<Image extends Placed>(group: readonly Image[], imagesMax: number) {
  return { images: spread(group).slice(0, imagesMax), total: group.length };
}

/** Of each split one first. */
function spread<Image extends Placed>(group: readonly Image[]): readonly Image[] {
  const bySplit = [...Map.groupBy(group, ({ split }) => split).values()];
  const firsts = bySplit.flatMap(([image]) => image ?? []);
  const others = group.filter((image) => !firsts.includes(image));
  return [...firsts, ...others];
}
