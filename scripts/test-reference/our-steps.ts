// Our side of a comparison: a choice of the engine with a strength that is known.

import { applyAugmentations } from '../../src/dataset-versions/apply-augmentations.ts';
import type { AugmentationChoice } from '../../src/dataset-versions/augmentation-choice.ts';
import type { Kernel, Pixels } from '../../src/dataset-versions/kernel/operations.ts';
import type { RawImage } from '../../src/imaging/raw-image.ts';
import type { Random } from '../../src/seeded-random.ts';
import type { Given } from './step.ts';

/** The image to change, and the kernel that changes it. */
type Work = Pick<Given, 'kernel' | 'image'>;

/** These numbers, one after the other; the last one again and again. */
export function drawing(...numbers: readonly number[]): Random {
  let taken = 0;
  return () => numbers[Math.min(taken++, numbers.length - 1)] ?? 0;
}

/** As one copy of a version gets the choice. */
export function applying(choice: AugmentationChoice | undefined): (work: Work) => RawImage {
  if (choice === undefined) throw new Error('the engine chose to change nothing');
  return painting(
    (kernel, pixels) => applyAugmentations(kernel, { pixels, boxes: [] }, [choice], []).pixels,
  );
}

/** With the image in the memory of the kernel. */
export function painting(
  change: (kernel: Kernel, pixels: Pixels) => Pixels,
): (work: Work) => RawImage {
  return ({ kernel, image }) => kernel.read(change(kernel, kernel.load(image)));
}
