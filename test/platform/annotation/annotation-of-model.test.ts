// What a model sees as an annotation: what each type of project can keep of it.

import { expect, it } from 'vitest';
import { annotationOfModel } from '../../../src/platform/annotation/annotation-of-model.ts';

const cat = { label: 'cat', confidence: 0.6, x: 2.0000001, y: 2, width: 4, height: 4 };
const dog = { ...cat, label: 'dog', confidence: 0.9 };

it('is the surest class of an image, or all', () => {
  const seen = [cat, dog, { ...cat, confidence: 0.5 }];
  expect(annotationOfModel('single-label-classification', 'classification', seen)).toEqual({
    kind: 'classification',
    labels: ['dog'],
  });
  expect(annotationOfModel('multi-label-classification', 'classification', seen)).toEqual({
    kind: 'classification',
    labels: ['dog', 'cat'],
  });
});

it('is boxes where objects are labelled', () => {
  expect(annotationOfModel('object-detection', 'detection', [cat])).toEqual({
    kind: 'detection',
    boxes: [{ label: 'cat', x: 2, y: 2, width: 4, height: 4 }],
  });
});

it('is nothing of what the project cannot keep, nor of nothing', () => {
  expect(annotationOfModel('object-detection', 'classification', [cat])).toBeUndefined();
  expect(annotationOfModel('single-label-classification', 'detection', [cat])).toBeUndefined();
  expect(annotationOfModel('object-detection', 'detection', [])).toBeUndefined();
});

it('is outlines, keypoints, or the boxes of either, as the project has them', () => {
  const corner = [1.00000001, 1] as const;
  const outlined = { ...cat, points: [corner, [3, 1], [3, 4]] as const };
  expect(annotationOfModel('instance-segmentation', 'segmentation', [outlined])).toEqual({
    kind: 'detection',
    boxes: [
      {
        label: 'cat',
        x: 2,
        y: 2.5,
        width: 2,
        height: 3,
        points: [
          [1, 1],
          [3, 1],
          [3, 4],
        ],
      },
    ],
  });
  const box = { label: 'cat', x: 2, y: 2, width: 4, height: 4 };
  const boxes = { kind: 'detection', boxes: [box] };
  expect(annotationOfModel('object-detection', 'segmentation', [outlined])).toEqual(boxes);
  const keypoints = [
    { label: 'nose', x: 1, y: 1, confidence: 0.49 },
    { label: 'tail', x: 3, y: 3, confidence: undefined },
  ];
  const posed = { ...cat, keypoints };
  expect(annotationOfModel('keypoint-detection', 'keypoints', [posed])).toEqual({
    kind: 'detection',
    boxes: [
      {
        ...box,
        keypoints: [
          { label: 'nose', x: 1, y: 1, visibility: 0 },
          { label: 'tail', x: 3, y: 3, visibility: 2 },
        ],
      },
    ],
  });
  expect(annotationOfModel('object-detection', 'keypoints', [posed])).toEqual(boxes);
});
