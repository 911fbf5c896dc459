// What is right, wrong and missing in one image.

import { byClass } from './class-matches.ts';
import {
  type Detection,
  type EvaluatedImage,
  type GroundTruth,
  isLeftOut,
} from './evaluated-image.ts';
import { match, pair } from './match-detections.ts';

export interface ImageOutcome {
  readonly truePositives: readonly Detection[];
  readonly falsePositives: readonly Detection[];
  readonly misses: readonly GroundTruth[];
}

/** As a confidence sweep counts: by class, at an IoU of 0.5. What is left out is in no list. */
export function outcomeOf(image: EvaluatedImage, confidence: number): ImageOutcome {
  const truePositives: Detection[] = [];
  const falsePositives: Detection[] = [];
  const misses: GroundTruth[] = [];
  for (const { groundTruths, detections } of byClass(image).values()) {
    const sure = detections.filter(({ score }) => score >= confidence);
    const pairing = pair({ groundTruths, detections: sure });
    const isIgnored = groundTruths.map(isLeftOut);
    const taken = match(pairing, isIgnored, 0.5);
    for (const [place, detection] of pairing.detections.entries()) {
      const found = taken[place] ?? -1;
      if (found < 0) falsePositives.push(detection);
      else if (isIgnored[found] === false) truePositives.push(detection);
    }
    const seen = new Set(taken);
    misses.push(
      ...groundTruths.filter((_, place) => isIgnored[place] === false && !seen.has(place)),
    );
  }
  return { truePositives, falsePositives, misses };
}
