// Files of predictions: how images and classes are called in them, and what is wrong with some.

import { expect, it } from 'vitest';
import { type JudgedBy, readPredictions } from '../../src/evaluation/read-predictions.ts';

const size = { width: 640, height: 480 };

const judged: JudgedBy = {
  modelTask: 'detection',
  images: [
    { name: 'b.jpg', id: 'id-of-b', ...size },
    { name: 'a.jpg', ...size },
  ],
  classes: ['blue', 'red'],
  isNumbered: true,
};

const bbox = [1, 2, 3, 4];
const box = { left: 1, top: 2, width: 3, height: 4, score: 0.5 };

function read(entries: unknown, more: Partial<JudgedBy> = {}) {
  return readPredictions(JSON.stringify(entries), { ...judged, ...more });
}

it('knows images and classes by the ids of a COCO export', () => {
  const entries = [
    { image_id: 2, category_id: 1, bbox, score: 0.5 },
    { image_id: 1, category_id: 2, bbox, score: 0.5 },
  ];
  expect(read(entries).detections).toEqual([
    [{ ...box, classIndex: 1 }],
    [{ ...box, classIndex: 0 }],
  ]);
  // Without an export there are no such ids.
  const { unknownImages, unknownClasses } = read(entries, { isNumbered: false });
  expect(unknownImages).toEqual({ count: 2, examples: ['2', '1'] });
  expect(unknownClasses).toEqual({});
});

it.each(['a.jpg', 'a', 'images/val/a.jpg', 'C:\\images\\a.jpg'])('knows an image as %s', (name) => {
  const entries = [{ image_id: name, category_id: 'red', bbox, score: 0.5 }];
  expect(read(entries).detections).toEqual([[], [{ ...box, classIndex: 1 }]]);
});

it('knows an image by its id, and by the file name beside a number', () => {
  const entries = [
    { image_id: 'id-of-b', category_id: 'red', bbox, score: 0.5 },
    { image_id: 77, file_name: 'a.jpg', category_id: 'red', bbox, score: 0.5 },
  ];
  expect(read(entries).detections.map((found) => found.length)).toEqual([1, 1]);
});

it('takes numbers for file names where files are called so', () => {
  const names = ['000000000002.jpg', '000000000001.jpg'];
  const images = names.map((name) => ({ name, ...size }));
  const entries = [{ image_id: 2, category_id: 'red', bbox, score: 0.5 }];
  expect(read(entries, { images }).detections).toEqual([[{ ...box, classIndex: 1 }], []]);
});

it('reads a COCO dataset whose annotations have scores', () => {
  const dataset = {
    images: [{ id: 40, file_name: 'a.jpg' }],
    categories: [{ id: 90, name: 'blue' }],
    annotations: [{ image_id: 40, category_id: 90, bbox, score: 0.5 }],
  };
  expect(read(dataset).detections).toEqual([[], [{ ...box, classIndex: 0 }]]);
});

it('counts what is of unknown images and classes', () => {
  const entries = [
    { image_id: 'z.jpg', category_id: 'red', bbox, score: 0.5 },
    { image_id: 'z.jpg', category_id: 'green', bbox, score: 0.5 },
    { image_id: 'a.jpg', category_id: 'green', bbox, score: 0.5 },
    { image_id: 'a.jpg', category_id: 3, bbox, score: 0.5 },
  ];
  expect(read(entries)).toEqual({
    detections: [[], []],
    unknownImages: { count: 2, examples: ['z.jpg'] },
    unknownClasses: { green: 1, 3: 1 },
  });
});

const right = { image_id: 1, category_id: 1, bbox, score: 0.5 };

it.each([
  ['{"a": 1}', 'predictions: must be a list of results'],
  ['image,score', 'predictions: is no JSON'],
  [JSON.stringify([right, 7]), 'predictions[1]: must be an object'],
  [JSON.stringify([{ ...right, bbox: [1, 2, 3] }]), 'predictions[0].bbox: must be [left, top'],
  [JSON.stringify([{ ...right, bbox: [1, 2, -3, 4] }]), 'predictions[0].bbox: must be [left, top'],
  [JSON.stringify([{ ...right, score: 85 }]), 'predictions[0].score: must be a number from 0 to 1'],
  [JSON.stringify([{ ...right, score: undefined }]), 'predictions[0].score: must be a number'],
  [JSON.stringify([{ ...right, image_id: null }]), 'predictions[0].image_id: must be a number or'],
  [JSON.stringify([{ ...right, category_id: {} }]), 'predictions[0].category_id: must be a number'],
])('refuses %s', (text, words) => {
  expect(() => readPredictions(text, judged)).toThrow(words);
});

it('refuses more predictions of an image than one may have, and names that are no names', () => {
  const one = { image_id: 1, category_id: 1, bbox, score: 0.5 };
  const many = Array.from({ length: 10_001 }, () => one);
  expect(() => read(many)).toThrow('predictions[10000]: is one of more than 10000 of image "1"');
  const long = [{ ...one, image_id: 'x'.repeat(501) }];
  expect(() => read(long)).toThrow('predictions[0].image_id: has more than 500 characters');
});

it('says what is no JSON in a file that another program takes', () => {
  expect(() => readPredictions('[{"score": NaN}]', judged)).toThrow('has NaN, which is no number');
  expect(() => readPredictions('[{"score": -Infinity}]', judged)).toThrow('has Infinity');
});

it('counts unknown classes together where there are many', () => {
  const entries = [...Array(30).keys()].map((n) => ({
    image_id: 1,
    category_id: `class ${n}`,
    bbox,
    score: 0.5,
  }));
  const { unknownClasses } = read([...entries, ...entries]);
  expect(Object.keys(unknownClasses)).toHaveLength(21);
  expect(unknownClasses['class 0']).toBe(2);
  expect(unknownClasses['(other classes)']).toBe(20);
});
