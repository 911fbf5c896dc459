// What is right, wrong and missing in one image.

import { byClass } from './class-matches.ts';
import type { Detection, EvaluatedImage, GroundTruth } from './evaluated-image.ts';
import { match, pair } from './match-detections.ts';

export interface ImageOutcome {
  readonly truePositives: readonly Detection[];
  readonly falsePositives: readonly Detection[];
  readonly misses: readonly GroundTruth[];
}

/** As a confidence sweep counts: by class, at an IoU of 0.5. Crowds are in none of the lists. */
export function outcomeOf(image: EvaluatedImage, confidence: number): ImageOutcome {
  const truePositives: Detection[] = [];
  const falsePositives: Detection[] = [];
  const misses: GroundTruth[] = [];
  for (const { groundTruths, detections } of byClass(image).values()) {
    const sure = detections.filter(({ score }) => score >= confidence);
    const pairing = pair({ groundTruths, detections: sure });
    const isCrowd = groundTruths.map((one) => one.isCrowd === true);
    const taken = match(pairing, isCrowd, 0.5);
    for (const [place, detection] of pairing.detections.entries()) {
      const found = taken[place] ?? -1;
      if (found < 0) falsePositives.push(detection);
      else if (isCrowd[found] === false) truePositives.push(detection);
    }
    const seen = new Set(taken);
    misses.push(...groundTruths.filter((_, place) => isCrowd[place] === false && !seen.has(place)));
  }
  return { truePositives, falsePositives, misses };
}
