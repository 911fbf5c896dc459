// Keypoints judged by OKS as pycocotools judges them, on what
// scripts/test-reference/coco_keypoints.py made.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { detectionsMax } from '../../src/evaluation/average-precision.ts';
import { evaluateDetections } from '../../src/evaluation/evaluate-detections.ts';
import type { EvaluatedImage } from '../../src/evaluation/evaluated-image.ts';
import { evaluate } from '../../src/evaluation/evaluation.ts';
import { keypointPlaces } from '../../src/evaluation/keypoints/keypoint-order.ts';
import { sigmasOf, sigmaWords } from '../../src/evaluation/keypoints/keypoint-sigmas.ts';
import { keypointsIn, regionAround } from '../../src/evaluation/keypoints/read-keypoints.ts';
import { overlapOf } from '../../src/evaluation/match-detections.ts';
import { readPredictions } from '../../src/evaluation/read-predictions.ts';

interface Written {
  readonly images: number;
  readonly annotations: readonly {
    readonly image_id: number;
    readonly category_id: number;
    readonly bbox: readonly [number, number, number, number];
    readonly area: number;
    readonly iscrowd: number;
    readonly keypoints: readonly number[];
  }[];
  readonly results: readonly { readonly image_id: number; readonly keypoints: readonly number[] }[];
  readonly figures: readonly number[];
  readonly ap_of_classes: readonly number[];
}

const path = join(import.meta.dirname, '../fixtures/coco-keypoints.json');
const made: Written = JSON.parse(readFileSync(path, 'utf8'));
const most = detectionsMax.ofKeypoints;

const ofPerson = [
  ...['nose', 'left_eye', 'right_eye', 'left_ear', 'right_ear', 'left_shoulder'],
  ...['right_shoulder', 'left_elbow', 'right_elbow', 'left_wrist', 'right_wrist', 'left_hip'],
  ...['right_hip', 'left_knee', 'right_knee', 'left_ankle', 'right_ankle'],
];

const sigmas = sigmasOf(ofPerson).values;

function madeImages(): readonly EvaluatedImage[] {
  const { detections } = readPredictions(JSON.stringify(made.results), {
    modelTask: 'keypoints',
    images: Array.from({ length: made.images }, (_, place) => ({
      name: `${place}.jpg`,
      width: 800,
      height: 800,
    })),
    classes: ['1', '2'],
    keypointNames: [ofPerson, ofPerson],
    isNumbered: true,
  });
  return detections.map((some, place) => ({
    groundTruths: made.annotations
      .filter(({ image_id }) => image_id === place + 1)
      .map(({ category_id, bbox, area, iscrowd, keypoints }) => {
        const [left, top, width, height] = bbox;
        const isCrowd = iscrowd === 1;
        const classIndex = category_id - 1;
        return { classIndex, left, top, width, height, area, isCrowd, keypoints, sigmas };
      }),
    detections: some,
  }));
}

function figuresOf(images: readonly EvaluatedImage[]) {
  return evaluateDetections(images, 2, most);
}

it('gives the figures of pycocotools: crowds, unlabelled objects, ties, more than twenty', () => {
  const { figures, classes } = figuresOf(madeImages());
  const { ap, ap50, ap75, medium, large, ar100, ar50 = null, ar75 = null } = figures;
  const all = [ap, ap50, ap75, medium.ap, large.ap, ar100, ar50, ar75, medium.ar, large.ar];
  for (const [place, figure] of all.entries()) {
    expect(figure, `figure ${place}`).toBeCloseTo(made.figures[place] ?? Number.NaN, 10);
  }
  for (const [place, figure] of made.ap_of_classes.entries()) {
    expect(classes[place]?.figures.ap).toBeCloseTo(figure, 10);
  }
  // What makes the figures worth comparing.
  expect(made.annotations.filter(({ iscrowd }) => iscrowd === 1).length).toBeGreaterThan(3);
  expect(made.annotations.filter((one) => one.keypoints.every((value) => value === 0)).length) //
    .toBeGreaterThan(3);
  expect(Math.max(...madeImages().map(({ detections }) => detections.length))).toBeGreaterThan(20);
  expect(new Set(figuresOf(madeImages()).sweep.truePositives).size).toBeGreaterThan(5);
});

it('gives the similarity that is worked out by hand', () => {
  const label = { left: 0, top: 0, width: 10, height: 10, classIndex: 0, sigmas: [0.05, 0.1, 0.1] };
  const labelled = { ...label, keypoints: [2, 2, 2, 8, 8, 1, 0, 0, 0] };
  const found = { ...label, score: 1 };
  // One pixel beside the first: 1 / 0.01 / 100 / 2. The second is exact, the third not labelled.
  const near = overlapOf({ ...found, keypoints: [3, 2, 0, 8, 8, 0, 90, 90, 2] }, labelled);
  expect(near).toBeCloseTo((Math.exp(-0.5) + 1) / 2, 12);
  const lacking = [2, 2, 2, Number.NaN, Number.NaN, 2, 0, 0, 0];
  expect(overlapOf({ ...found, keypoints: lacking }, labelled)).toBeCloseTo(0.5, 12);
  // Without a labelled keypoint: within three times the sides, whatever else.
  const plain = { ...label, keypoints: [0, 0, 0, 0, 0, 0, 0, 0, 0] };
  const around = overlapOf({ ...found, keypoints: [-10, 20, 1, 5, 5, 1, 19, -9, 1] }, plain);
  expect(around).toBeCloseTo(1, 12);
  expect(overlapOf({ ...found, keypoints: [900, 20, 1, 900, 5, 1, 900, 9, 1] }, plain)).toBe(0);
  // Skeletons of two classes that have not as many: their boxes.
  expect(overlapOf({ ...found, keypoints: [9, 9, 2] }, labelled)).toBe(1);
});

it('stays the same whatever the order of images with other scores, and of labels', () => {
  const images = madeImages();
  const unique = images.map(({ groundTruths, detections }, place) => ({
    groundTruths,
    detections: detections.map((one, at) => ({
      ...one,
      score: 1 - (place * 100 + at) / (images.length * 100),
    })),
  }));
  const expected = figuresOf(unique).figures;
  fc.assert(
    fc.property(fc.shuffledSubarray([...unique], { minLength: unique.length }), (shuffled) => {
      const turned = shuffled.map(({ groundTruths, detections }) => ({
        groundTruths: groundTruths.toReversed(),
        detections: detections.toReversed(),
      }));
      const { figures } = figuresOf(turned);
      expect(figures.ap).toBeCloseTo(expected.ap ?? Number.NaN, 10);
      expect(figures.ar100).toBeCloseTo(expected.ar100 ?? Number.NaN, 10);
    }),
    { numRuns: 20 },
  );
});

it('stays the same when an image is moved, and when it is scaled with the areas', () => {
  const images = madeImages();
  const expected = figuresOf(images).figures;
  fc.assert(
    fc.property(fc.integer({ min: -500, max: 500 }), (shift) => {
      const moved = <One extends EvaluatedImage['groundTruths'][number]>(one: One): One => ({
        ...one,
        left: one.left + shift,
        top: one.top + shift,
        keypoints: Array.from(one.keypoints ?? [], (value, at) =>
          at % 3 === 2 ? value : value + shift,
        ),
      });
      const { figures } = figuresOf(
        images.map((image) => ({
          groundTruths: image.groundTruths.map(moved),
          detections: image.detections.map(moved),
        })),
      );
      expect(figures.ap).toBeCloseTo(expected.ap ?? Number.NaN, 6);
      expect(figures.ap50).toBeCloseTo(expected.ap50 ?? Number.NaN, 6);
    }),
    { numRuns: 20 },
  );
});

it('adds nothing by an image without labels and predictions, and splits as it counts', () => {
  const images = madeImages();
  const empty = { groundTruths: [], detections: [] };
  expect(figuresOf([empty, ...images, empty]).figures).toEqual(figuresOf(images).figures);
  const counts = (some: readonly EvaluatedImage[]) =>
    evaluate(some, ['a', 'b'], 0.5, { most }).outcomes.flat();
  expect(counts(images)).toEqual([...counts(images.slice(0, 9)), ...counts(images.slice(9))]);
});

it('counts what lies on an object without keypoints neither as right nor as wrong', () => {
  const label = { classIndex: 0, left: 0, top: 0, width: 10, height: 10, sigmas: [0.05] };
  const image = {
    groundTruths: [{ ...label, keypoints: [0, 0, 0] }],
    detections: [{ ...label, score: 0.9, keypoints: [5, 5, 2] }],
  };
  const { figures, outcomes } = evaluate([image], ['a'], 0.5, { most });
  expect(figures.all.figures).toMatchObject({ ap: null, groundTruths: 0 });
  expect([figures.confusions, outcomes]).toEqual([[], [[]]]);
});

it('takes the sigmas of COCO for the keypoints of its person, whatever their order', () => {
  const values = (names: readonly string[]) => sigmasOf(names).values;
  expect(values(ofPerson).slice(0, 6)).toEqual([0.026, 0.025, 0.025, 0.035, 0.035, 0.079]);
  expect(values(ofPerson.toReversed())[0]).toBe(0.089);
  expect(values(ofPerson.map((name) => name.replace('_', ' ').toUpperCase()))).toEqual([...sigmas]);
  expect(values(ofPerson.map((_, place) => String(place)))).toEqual([...sigmas]);
  for (const other of [
    ofPerson.slice(1),
    [...ofPerson, 'tail'],
    ['nose', ...ofPerson.slice(0, 16)],
  ])
    expect(sigmasOf(other)).toEqual({ values: other.map(() => 0.05), areOfCoco: false });
  const told = (...are: readonly boolean[]) =>
    sigmaWords(are.map((areOfCoco, place) => ({ name: `c${place}`, areOfCoco })));
  expect(told(true, true)).toBe('the sigmas of COCO');
  expect(told(false)).toBe('sigma 0.05 for each keypoint');
  expect(told(true, false)).toBe('the sigmas of COCO for c0, else sigma 0.05 for each keypoint');
});

it('finds keypoints by their names, and by their order where one side has numbers', () => {
  expect(keypointPlaces(['head', 'foot'], ['foot', 'head', 'hand'])).toEqual([1, 0]);
  expect(keypointPlaces(['head', 'foot'], ['foot'])).toEqual([-1, 0]);
  expect(keypointPlaces(['head', 'foot'], ['0', '1'])).toEqual([0, 1]);
  expect(keypointPlaces(['0', '1'], ['head', 'foot'])).toEqual([0, 1]);
  expect(keypointPlaces(['head', 'foot'], ['0', '1', '2'])).toBeUndefined();
  expect(keypointPlaces(['head'], ['tail'])).toBeUndefined();
  const order = { wanted: ['head', 'foot'], given: ['foot', 'head'] };
  expect(keypointsIn([1, 2, 2, 3, 4, 1], '', order)).toEqual([3, 4, 1, 1, 2, 2]);
  expect(regionAround([1, 2, 0, 5, 9, 2, Number.NaN, Number.NaN, 2])).toEqual({
    left: 1,
    top: 2,
    width: 4,
    height: 7,
  });
});

it.each([
  ['nothing', undefined, 'must be [x, y, visibility, x, y, …] in pixels'],
  ['pairs', [1, 2, 3, 4], 'must be [x, y, visibility'],
  ['no number', [1, 2, null], 'must be [x, y, visibility'],
  ['a far place', [1e300, 2, 2, 1, 1, 1], 'must be [x, y, visibility'],
  ['too few', [1, 2, 2], 'has 1 keypoints; known are 2: "head", "foot"'],
])('refuses %s', (_what, value, words) => {
  const order = { wanted: ['head', 'foot'], given: undefined };
  const read = () => keypointsIn(value, '[3].keypoints', order);
  expect(read).toThrow(`predictions[3].keypoints: ${words}`);
});

it('refuses keypoints of other names', () => {
  const order = { wanted: ['head', 'foot'], given: ['hand'] };
  expect(() => keypointsIn([1, 2, 2], '[0].keypoints', order)).toThrow(
    'are "hand"; the labels have "head", "foot"',
  );
});
