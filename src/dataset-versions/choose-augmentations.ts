// Chooses the augmentations of each augmented copy of an image.

import type { Random } from '../seeded-random.ts';
import type { AugmentationChoice, AugmentationSettings } from './augmentation-choice.ts';
import { augmentationSteps } from './augmentation-table.ts';
import type { LabelledImage } from './labelled-image.ts';
import { composeTurns, turnKey, turns } from './orientation.ts';

/**
 * The changes of up to `count` copies. No two copies are the same, and none is the original, so
 * that there may be fewer (decisions/augmented-copies.md).
 */
export function chooseAugmentations(
  settings: AugmentationSettings,
  count: number,
  random: Random,
  image: LabelledImage,
): readonly (readonly AugmentationChoice[])[] {
  // Mosaic brings other boxes.
  const known = settings.mosaic ? undefined : image;
  const drawn = new Map<string, readonly AugmentationChoice[]>();
  const taken = new Set([idOf([])]);
  while (drawn.size < count) {
    const copy = drawAnother(settings, random, known, taken);
    if (copy === undefined) break;
    taken.add(idOf(copy));
    drawn.set(idOf(copy), copy);
  }
  return [...drawn.values()];
}

/** The rarest of the results that turns can give comes up within so many draws, nearly surely. */
const drawsMax = 400;

function drawAnother(
  settings: AugmentationSettings,
  random: Random,
  image: LabelledImage | undefined,
  taken: ReadonlySet<string>,
): readonly AugmentationChoice[] | undefined {
  for (let draw = 0; draw < drawsMax; draw++) {
    const copy = augmentationSteps.flatMap((step) => step.choose(settings, random, image) ?? []);
    if (!taken.has(idOf(copy))) return copy;
  }
  return undefined;
}

/** Equal where the results are: flips and quarter turns may come to the same, or to nothing. */
function idOf(copy: readonly AugmentationChoice[]): string {
  const turn = copy.reduce(
    (before, choice) => (choice.turn ? composeTurns(before, choice.turn) : before),
    turns.none,
  );
  return [turnKey(turn), ...copy.map(({ id }) => id)].filter((id) => id !== '').join('; ');
}
