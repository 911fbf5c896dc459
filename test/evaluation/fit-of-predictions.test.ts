// When predictions say nothing of a model: none are there, or they do not lie on labels.

import { expect, it } from 'vitest';
import type { EvaluatedImage } from '../../src/evaluation/evaluated-image.ts';
import { doubtOf, fitOf } from '../../src/evaluation/fit-of-predictions.ts';
import { detection, groundTruth } from './reference-images.ts';

function images(count: number, left: number): readonly EvaluatedImage[] {
  const image = {
    groundTruths: [groundTruth(0, 10, 10, 50, 50)],
    detections: [
      // A guess of hardly any score, as many models give by the hundred.
      ...Array.from({ length: 9 }, () => detection(0, 0.01, 200, 200, 210, 210)),
      detection(1, 0.9, left, 10, left + 40, 50),
    ],
  };
  return Array.from({ length: count }, () => image);
}

it('doubts predictions that lie beside the labels, not low guesses and wrong classes', () => {
  const beside = fitOf(images(20, 100));
  expect(beside).toEqual({ images: 20, surest: 20, onLabels: 0 });
  expect(doubtOf(beside, 200, 25)).toContain('only 0 of the 20 surest predictions lie on a label');
  expect(doubtOf(beside, 200, 25)).toContain('20 of 25 images have predictions');
  expect(doubtOf(fitOf(images(20, 10)), 200, 20)).toBeUndefined();
  expect(doubtOf(fitOf(images(9, 100)), 90, 9)).toBeUndefined();
});

it('says that there are none', () => {
  expect(doubtOf(fitOf([]), 0, 12)).toContain('0 predictions');
});
