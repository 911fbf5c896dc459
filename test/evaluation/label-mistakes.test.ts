// Which labels disagree with a model: each kind alone, and many damaged labels at once.

import { expect, it } from 'vitest';
import type { Detection, GroundTruth } from '../../src/evaluation/evaluated-image.ts';
import { labelMistakes } from '../../src/evaluation/label-mistakes.ts';
import { below, between, type Random, randomFrom } from '../../src/seeded-random.ts';
import { compare, damage } from './damaged-labels.ts';

function label(classIndex: number, left: number, top = 0): GroundTruth {
  return { classIndex, left, top, width: 10, height: 10 };
}

function found(score: number, classIndex: number, left: number, top = 0): Detection {
  return { ...label(classIndex, left, top), score };
}

function mistakesOf(groundTruths: readonly GroundTruth[], detections: readonly Detection[]) {
  const [mistakes = []] = labelMistakes([{ groundTruths, detections }], 0.5);
  return mistakes.map(({ kind, score, label: wrong, instead }) => ({
    kind,
    score: Math.round(score * 1000) / 1000,
    at: wrong && groundTruths.indexOf(wrong),
    insteadAt: [instead.classIndex, instead.left],
  }));
}

it('finds nothing where the model agrees, is unsure, or misses', () => {
  const labels = [label(0, 0), label(1, 20), label(0, 60)];
  const detections = [found(0.9, 0, 1), found(0.3, 1, 20), found(0.4, 0, 200)];
  expect(mistakesOf(labels, detections)).toEqual([]);
});

it('finds an object without label once, however often the model finds it', () => {
  expect(
    mistakesOf([label(0, 0)], [found(0.9, 0, 0), found(0.8, 1, 50), found(0.7, 1, 51)]),
  ).toEqual([{ kind: 'overlooked', score: 0.007, at: undefined, insteadAt: [1, 50] }]);
});

it('does not take a second box of the model around a label for an object', () => {
  expect(mistakesOf([label(0, 0)], [found(0.9, 0, 0), found(0.8, 0, 2)])).toEqual([]);
});

it('finds a label of another class, less probable where the model wavers', () => {
  expect(mistakesOf([label(0, 0)], [found(0.9, 1, 0)])).toEqual([
    { kind: 'swapped', score: 0.9, at: 0, insteadAt: [1, 0] },
  ]);
  expect(mistakesOf([label(0, 0)], [found(0.9, 1, 0), found(0.5, 0, 0)])).toEqual([
    { kind: 'swapped', score: 0.45, at: 0, insteadAt: [1, 0] },
  ]);
  expect(mistakesOf([label(0, 0)], [found(0.7, 1, 0), found(0.8, 0, 0)])).toEqual([]);
});

it('finds a label that is beside its object, and not one of another object', () => {
  // Three tenths of the union are in both.
  expect(mistakesOf([label(0, 0)], [found(0.9, 0, 5)])).toEqual([
    { kind: 'badly_placed', score: 0.6, at: 0, insteadAt: [0, 5] },
  ]);
  expect(mistakesOf([label(0, 0)], [found(0.9, 0, 12)])).toEqual([
    { kind: 'overlooked', score: 0.01, at: undefined, insteadAt: [0, 12] },
  ]);
});

it('calls a label badly placed only where the model is usually nearer', () => {
  const loosely = Array.from({ length: 9 }, (_, place) => place * 40);
  const labels = loosely.map((left) => label(0, left));
  const detections = loosely.map((left) => found(0.9, 0, left + 3));
  expect(mistakesOf(labels, detections)).toEqual([]);
  const tightly = loosely.map((left, place) => found(0.9, 0, left + (place === 4 ? 3 : 0)));
  expect(mistakesOf(labels, tightly)).toMatchObject([{ kind: 'badly_placed', at: 4 }]);
});

it('is as sure of an object without label as its class is mostly right', () => {
  const places = Array.from({ length: 98 }, (_, place) => place * 40);
  // The model is right about 98 of 99 of one class, and about 49 of 50 of the other as sure ones.
  const labels = [
    ...places.map((left) => label(0, left)),
    ...places.slice(0, 49).map((left) => label(1, left, 200)),
  ];
  const detections = [
    ...places.map((left) => found(0.8, 0, left)),
    ...places.slice(0, 49).map((left) => found(0.9, 1, left, 200)),
    found(0.8, 0, 0, 400),
    found(0.9, 1, 0, 600),
  ];
  expect(mistakesOf(labels, detections)).toEqual([
    { kind: 'overlooked', score: 0.99, at: undefined, insteadAt: [0, 0] },
    { kind: 'overlooked', score: 0.5, at: undefined, insteadAt: [1, 0] },
  ]);
});

it('finds a label beside its object though the model sees something there as well', () => {
  const sure = found(0.9, 0, 0);
  const mistake = { kind: 'badly_placed', at: 0, insteadAt: [0, 0] };
  expect(mistakesOf([label(0, 5)], [sure, found(0.1, 0, 5)])).toEqual([
    { ...mistake, score: 0.54 },
  ]);
  expect(mistakesOf([label(0, 5)], [sure, found(0.4, 0, 5)])).toEqual([
    { ...mistake, score: 0.36 },
  ]);
  expect(mistakesOf([label(0, 5)], [sure, found(0.5, 0, 5)])).toMatchObject([
    { kind: 'overlooked', insteadAt: [0, 0] },
  ]);
});

it('finds a second label of one object, and not two objects that the model tells apart', () => {
  const labels = [label(0, 0), label(0, 0, 0.5), label(1, 0)];
  expect(mistakesOf(labels, [found(0.9, 0, 0)])).toEqual([
    { kind: 'duplicate', score: 1, at: 2, insteadAt: [0, 0] },
    { kind: 'duplicate', score: 0.905, at: 1, insteadAt: [0, 0] },
  ]);
  const apart = [found(0.9, 0, 0), found(0.8, 0, 0, 0.5), found(0.7, 1, 0)];
  expect(mistakesOf(labels, apart)).toEqual([]);
});

it('finds a second label also where the model sees the object beside both', () => {
  const mistakes = mistakesOf([label(0, 0), label(0, 0.5)], [found(0.9, 0, 5)]);
  expect(mistakes.map(({ kind, at }) => [kind, at])).toEqual([
    ['duplicate', 1],
    ['badly_placed', 0],
  ]);
});

it('leaves crowds alone', () => {
  const crowd = { ...label(0, 0), width: 100, isCrowd: true };
  expect(mistakesOf([crowd], [found(0.9, 0, 30), found(0.9, 0, 60)])).toEqual([]);
});

it.each(['a', 'b', 'c'])('finds most of many mistakes, the surest first (%s)', (seed) => {
  const random = randomFrom(seed);
  const images = damage(trueLabels(random), 3, 0.05, random);
  const mistakes = labelMistakes(images, 0.5);
  const all = compare(images, mistakes, { scoreMin: 0 });
  expect(all.made).toBeGreaterThan(100);
  // The model itself finds nine of ten objects.
  expect(all.right / all.made).toBeGreaterThan(0.78);
  expect(all.right / all.told).toBeGreaterThan(0.5);
  const surest = compare(images, mistakes, { scoreMin: 0.7 });
  expect(surest.right / surest.told).toBeGreaterThan(0.85);
});

/** 300 images with objects that do not touch each other much. */
function trueLabels(random: Random): readonly (readonly GroundTruth[])[] {
  return Array.from({ length: 300 }, () =>
    Array.from({ length: 12 }, (_, place) => ({
      classIndex: below(random, 3),
      left: (place % 4) * 150 + between(random, 0, 40),
      top: Math.floor(place / 4) * 150 + between(random, 0, 40),
      width: between(random, 30, 100),
      height: between(random, 30, 100),
    })),
  );
}
