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
