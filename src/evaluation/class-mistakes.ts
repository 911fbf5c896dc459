// Classes of whole images that are possibly wrong: what a model says in place of the label, or
// where several classes are allowed beside the labels.

import { answered, type ClassificationSettings } from './classification.ts';
import type { EvaluatedImage } from './evaluated-image.ts';
import type { LabelMistake } from './label-mistakes.ts';

/** As `labelMistakes`. `images` have all that was found, also of single labels. */
export function classMistakes(
  images: readonly EvaluatedImage[],
  confidence: number,
  settings: Pick<ClassificationSettings, 'isSingleLabel'>,
): readonly (readonly LabelMistake[])[] {
  return images.map((image) => {
    const { groundTruths } = image;
    const { detections } = answered(image, { isSingleLabel: false });
    const label = settings.isSingleLabel ? groundTruths[0] : undefined;
    return (settings.isSingleLabel ? detections.slice(0, 1) : detections)
      .filter(({ score }) => score >= confidence)
      .filter(({ classIndex }) => groundTruths.every((one) => one.classIndex !== classIndex))
      .map((instead): LabelMistake => {
        const { score } = instead;
        if (label === undefined) return { kind: 'overlooked', score, label, instead };
        const own = detections.find((one) => one.classIndex === label.classIndex)?.score ?? 0;
        return { kind: 'swapped', score: score * (1 - own), label, instead };
      });
  });
}
