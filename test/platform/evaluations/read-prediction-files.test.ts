// Folders of predictions in one text: a file for each image.

import { expect, it } from 'vitest';
import type { EvaluableTask } from '../../../src/contract/evaluations.ts';
import { readPredictionText } from '../../../src/platform/evaluations/read-prediction-files.ts';

function read(modelTask: EvaluableTask, text: string, name = 'a.txt') {
  const images = [{ name: 'a.jpg', width: 200, height: 100 }];
  const folder = JSON.stringify({ files: [{ name, text }], classes: {} });
  return readPredictionText(folder, { modelTask, images, classes: ['cell'], isNumbered: true });
}

it('reads outlines of YOLO in shares of the image', () => {
  const { detections } = read('segmentation', '0 0.1 0.1 0.2 0.1 0.2 0.3 0.1 0.3 0.75\n');
  expect(detections).toMatchObject([
    [{ classIndex: 0, score: 0.75, left: 20, top: 10, width: 20, height: 20, area: 400 }],
  ]);
});

it.each([
  ['segmentation', '0 0.1 0.1 0.2 0.1 0.2 0.3', '"a.txt", line 1, has no confidence'],
  ['segmentation', '0 0.1 0.1 0.2 0.1 0.9', 'line 1, must be: class x y x y … confidence'],
  ['segmentation', '0 0.1 0.1 0.2 0.1 0.2 x 0.9', 'line 1, must be: class x y x y … confidence'],
  ['detection', '0 320 240 64 48 0.9', 'line 1, has pixels: YOLO has shares of the image, 0 to 1'],
  ['keypoints', '0 0.1 0.1 0.2 0.1 0.9', 'line 1, must be: class x y width height, x y vis'],
  [
    'detection',
    '0 0.1 0.1 0.2 0.1 0.2 0.3 0.9',
    'line 1, must be: class x y width height confidence',
  ],
] as const)('refuses %s of the line %s', (modelTask, line, words) => {
  expect(() => read(modelTask, line)).toThrow(words);
});

it('reads poses of YOLO, with visibility or without, and an empty line', () => {
  const posed = (line: string) => read('keypoints', `${line}\n\n`).detections.flat();
  const box = '0 0.5 0.5 0.2 0.4';
  expect(posed(`${box} 0.1 0.2 0.9 0.3 0.4 0.1 0.75`)).toMatchObject([
    { left: 80, top: 30, width: 40, height: 40, keypoints: [20, 20, 0.9, 60, 40, 0.1] },
  ]);
  expect(posed(`${box} 0.1 0.2 0.3 0.4 0.75`)).toMatchObject([
    { score: 0.75, keypoints: [20, 20, 2, 60, 40, 2] },
  ]);
});

it('refuses boxes of VOC where masks are judged', () => {
  expect(() => read('segmentation', '<annotation></annotation>', 'a.xml')).toThrow(
    '"a.xml" has boxes alone, and masks are judged: give COCO results',
  );
});

it('reads classes as Ultralytics writes them, a confidence and a name', () => {
  const { detections, unknownClasses } = read('classification', '0.91 cell\n0.09 white cell\n');
  expect(detections).toMatchObject([[{ classIndex: 0, score: 0.91, width: 200, height: 100 }]]);
  expect(unknownClasses).toEqual({ 'white cell': 1 });
  expect(() => read('classification', 'cell 0.91')).toThrow('line 1, must be: confidence class');
});

it('refuses files of one name in several folders', () => {
  const images = [{ name: '0.jpg', width: 200, height: 100 }];
  const text = '0 0.5 0.5 0.2 0.2 0.9';
  const files = ['train/0.txt', 'valid/0.txt'].map((name) => ({ name, text }));
  const judged = { modelTask: 'detection' as const, images, classes: ['cell'], isNumbered: true };
  expect(() => readPredictionText(JSON.stringify({ files, classes: {} }), judged)).toThrow(
    '2 are of names that mean several images: "train/0", "valid/0"',
  );
});
