// What is recommended for models and datasets with known faults.

import { expect, it } from 'vitest';
import type { EvaluatedImage } from '../../src/evaluation/evaluated-image.ts';
import { evaluate } from '../../src/evaluation/evaluation.ts';
import { type DatasetFacts, recommend } from '../../src/evaluation/recommendations.ts';

const sound: DatasetFacts = {
  modelTask: 'detection',
  images: 100,
  trainedOn: 0,
  isTrainingKnown: true,
  leaks: 0,
  splits: { train: 700, valid: 200, test: 100 },
  instances: { cat: 500, dog: 400 },
  mistakes: 0,
  confidenceInUse: 0.9,
  areFiguresDoubtful: false,
};

interface Object {
  readonly label: number | undefined;
  readonly found?: number;
  readonly score?: number;
  readonly side?: number;
  /** How far beside the label it is found. */
  readonly beside?: number;
}

/** So many images with one object each, at the same place. */
function images(count: number, { label, found, score = 0.9, side = 100, beside = 0 }: Object) {
  const region = { left: 10, top: 10, width: side, height: side };
  const image: EvaluatedImage = {
    groundTruths: label === undefined ? [] : [{ ...region, classIndex: label }],
    detections:
      found === undefined ? [] : [{ ...region, left: 10 + beside, classIndex: found, score }],
  };
  return Array.from({ length: count }, () => image);
}

const right = [...images(50, { label: 0, found: 0 }), ...images(50, { label: 1, found: 1 })];

function recommended(judged: readonly EvaluatedImage[], facts: Partial<DatasetFacts> = {}) {
  const { figures } = evaluate(judged, ['cat', 'dog'], 0.5);
  return recommend(figures, { ...sound, ...facts });
}

function named(judged: readonly EvaluatedImage[], facts: Partial<DatasetFacts> = {}) {
  return recommended(judged, facts).map(({ name }) => name);
}

it('says nothing of a model whose predictions are in doubt, and something of its dataset', () => {
  const missed = images(20, { label: 1 });
  expect(named(missed)).toContain('missed_detection');
  expect(named(missed, { areFiguresDoubtful: true, leaks: 2 })).toEqual(['leak_across_splits']);
});

it('recommends nothing for a model that is right', () => {
  expect(named(right)).toEqual([]);
});

it('names a class that is found far less often than that with most misses too', () => {
  const judged = [
    ...images(200, { label: 0, found: 0 }),
    ...images(20, { label: 0 }),
    ...images(8, { label: 1, found: 1 }),
    ...images(6, { label: 1 }),
  ];
  const missed = recommended(judged).filter(({ name }) => name === 'missed_detection');
  expect(missed.map(({ class: name }) => name)).toEqual(['cat', 'dog']);
  expect(missed[1]?.figures).toMatchObject({ misses: 6, labels: 14, recall: 0.5714 });
  // Few misses are chance.
  const few = [...judged.slice(0, -6), ...images(4, { label: 1 })];
  expect(
    recommended(few).flatMap(({ name, class: of }) => (name === 'missed_detection' ? [of] : [])),
  ).toEqual(['cat']);
});

it('names the class with most misses, and whether its objects are rare or small', () => {
  const missed = images(20, { label: 1, side: 20 });
  const small = [
    ...right,
    ...missed,
    ...images(5, { label: 0 }),
    ...images(60, { label: 1, side: 20 }),
  ];
  const [found] = recommended(small, { instances: { cat: 500, dog: 100 } }).filter(
    ({ name }) => name === 'missed_detection',
  );
  expect(found).toMatchObject({
    class: 'dog',
    figures: { misses: 80, labels: 130, recall: 0.3846, shareOfAllMisses: 0.9412 },
  });
  expect(found?.causes.slice(0, 2)).toEqual([
    'there are few examples of this class',
    'most of its objects are small: below 32 x 32 pixels',
  ]);
});

it('names the most common pair, and tells a taxonomy from labels of one side', () => {
  const one = [...right, ...images(6, { label: 0, found: 1 })];
  expect(recommended(one)).toContainEqual(
    expect.objectContaining({
      name: 'wrong_class',
      class: 'cat',
      other: 'dog',
      figures: { count: 6, back: 0, isSymmetric: false, labels: 56 },
    }),
  );
  expect(recommended(one)[0]?.causes[0]).toBe('most are found, as another class: see wrong_class');
  const both = [...one, ...images(3, { label: 1, found: 0 })];
  expect(recommended(both)).toContainEqual(
    expect.objectContaining({
      figures: { count: 6, back: 3, isSymmetric: true, labels: 56 },
    }),
  );
});

it('takes few confusions for chance, and gives no cause that the counts contradict', () => {
  const few = images(4, { label: 0, found: 1 });
  expect(named([...right, ...few])).toContain('wrong_class');
  const many = images(200, { label: 0, found: 0 });
  expect(named([...right, ...many, ...few])).not.toContain('wrong_class');
  const causes = (instances: DatasetFacts['instances']) =>
    recommended([...right, ...few], { instances }).find(({ name }) => name === 'wrong_class')
      ?.causes;
  const frequent = 'the class that is found is far more frequent in training';
  expect(causes({ cat: 100, dog: 400 })).toContain(frequent);
  expect(causes({ cat: 500, dog: 400 })).toEqual([
    'labels of the one class are of the other in truth',
  ]);
});

it('finds many sure false positives of a class: 30 and more, precision below 65 %', () => {
  const strays = (count: number) => [...right, ...images(count, { label: undefined, found: 1 })];
  expect(recommended(strays(30))).toContainEqual(
    expect.objectContaining({
      name: 'overconfident_fp',
      class: 'dog',
      figures: { predictions: 80, falsePositives: 30, precision: 0.625 },
    }),
  );
  expect(named(strays(29))).not.toContain('overconfident_fp');
  expect(named([...strays(30), ...images(10, { label: 1, found: 1 })])).not.toContain(
    'overconfident_fp',
  );
});

it.each([
  // Below 30, whatever the median.
  [{ cat: 40, dog: 29 }, ['dog']],
  [{ cat: 40, dog: 30 }, []],
  // Below a quarter of the median class.
  [{ cat: 1000, dog: 900, bird: 224 }, ['bird']],
  [{ cat: 1000, dog: 900, bird: 225 }, []],
  // Of a million instances, below 5 % of the root.
  [{ cat: 1_000_000, dog: 49 }, ['dog']],
])('finds rare classes of %o', (instances, rare) => {
  const found = recommended(right, { instances }).filter(({ name }) => name === 'class_imbalance');
  expect(found.map(({ class: name }) => name)).toEqual(rare);
});

it.each([
  [{ train: 700, valid: 200, test: 49 }, true],
  [{ train: 700, valid: 200, test: 50 }, false],
  [{ train: 2000, valid: 300, test: 100 }, true],
  [{ train: 700, valid: 80, test: 60 }, true],
  [undefined, false],
])('judges the splits %o', (splits, isSmall) => {
  expect(named(right, { splits }).includes('dataset_health')).toBe(isSmall);
});

it('warns of leaks and of images that the model was trained on, before all else', () => {
  const found = recommended([...right, ...images(5, { label: 0 })], {
    leaks: 2,
    trainedOn: 7,
    isTrainingKnown: false,
  });
  expect(found.map(({ name, level }) => [name, level])).toEqual([
    ['judged_on_training_images', 'warning'],
    ['leak_across_splits', 'warning'],
    ['missed_detection', 'advice'],
  ]);
  expect(found[0]?.figures).toEqual({ trainedOn: 7, images: 100, isTrainingKnown: false });
});

it('finds boxes that do not fit', () => {
  // 20 of 100 pixels beside: an IoU of two thirds.
  const loose = images(50, { label: 0, found: 0, beside: 20 });
  expect(named(loose)).toEqual(['loose_boxes']);
});

it('finds that small objects are found badly', () => {
  const small = [...right, ...images(10, { label: 0, side: 20 })];
  expect(named(small)).toEqual(['missed_detection', 'small_objects']);
});

it('finds a threshold that is far from the best', () => {
  expect(recommended(images(50, { label: 0, found: 0, score: 0.6 }))).toEqual([
    expect.objectContaining({
      name: 'threshold',
      figures: { confidence: 0.9, f1: 0, bestConfidence: 0.3, bestF1: 1 },
    }),
  ]);
});

it('begins with labels and counts where all is low, and tells many mistakes of labels', () => {
  expect(named(right, { mistakes: 1 })).toEqual([]);
  expect(named(right, { mistakes: 2 })).toEqual(['label_mistakes']);
  // Of what an imprecise model finds without a label, most is its own error.
  const imprecise = [...right, ...images(30, { label: undefined, found: 0 })];
  expect(named(imprecise, { mistakes: 30 })).not.toContain('label_mistakes');
  const bad = [...images(40, { label: 0 }), ...images(10, { label: 0, found: 0 })];
  expect(named(bad, { mistakes: 3 })).toEqual(['label_mistakes', 'all_low', 'missed_detection']);
});
