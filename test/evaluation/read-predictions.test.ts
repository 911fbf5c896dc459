// Files of predictions: how images and classes are called in them, and what is wrong with some.

import { expect, it, vi } from 'vitest';
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
    onlyUnknownClasses: [],
    onlyUnknownImages: [],
  });
});

function boxes(...all: readonly (readonly number[])[]) {
  return all.map((one) => ({ image_id: 1, category_id: 1, bbox: one, score: 0.5 }));
}

it.each([
  ['shares', boxes([0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.2, 0.9]), 'each bbox is below 1 pixel'],
  [
    'corners',
    boxes([500, 300, 600, 400], [20, 30, 90, 80], [400, 10, 630, 60]),
    '2 of 3 boxes reach out of their images, as [left, top, right, bottom] does',
  ],
  [
    'pixels of another size',
    boxes([900, 700, 90, 90], [1200, 30, 90, 80], [40, 10, 60, 60]),
    '2 of 3 boxes reach out of their images: give pixels of the images that are judged',
  ],
  ['no place', boxes([1e308, 1, 1, 1]), 'predictions[0].bbox: must be [left, top, width, height]'],
])('refuses boxes that are %s, and says what is wanted', (_what, entries, words) => {
  expect(() => read(entries)).toThrow(words);
  expect(() => read(entries)).toThrow('such as [120, 80, 40, 60]');
});

it('refuses masks in shares of the image', () => {
  const segmentation = [[0.1, 0.1, 0.9, 0.1, 0.9, 0.9]];
  const entries = [{ image_id: 1, category_id: 1, segmentation, score: 0.5 }];
  expect(() => read(entries, { modelTask: 'segmentation' })).toThrow(
    'each segmentation is below 1 pixel',
  );
});

it('takes some boxes that reach out of their images, and no boxes', () => {
  const some = boxes([600, 300, 200, 90], [20, 30, 40, 80], [640, 10, 30, 60], [-9, 0, 40, 40]);
  expect(read(some).detections[0]).toHaveLength(4);
  expect(read([]).detections).toEqual([[], []]);
});

it.each([
  ['deep', '['.repeat(100_000), 'is nested deeper than 16 levels'],
  ['wide', `[${'[],'.repeat(4_000_000)}[]]`, 'has more than 4000000 values'],
])('refuses a file that is too %s before it is parsed', (_what, text, words) => {
  const parse = vi.spyOn(JSON, 'parse');
  expect(() => readPredictions(text, judged)).toThrow(words);
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});

it.each([
  ['[{"score": 0.5}, {"score": 0.5]', 'position 30', 'one list of COCO results'],
  ['[{"score": tru}]', 'tru', 'one list of COCO results'],
  ['{"image_id": 1}\n{"image_id": 2}\n', 'line 2', 'JSON Lines are not read'],
  ['0 0.1 0.1 0.2 0.2 0.9\n', 'is no JSON', 'YOLO files (.txt) give the folder'],
  ['<annotation></annotation>', 'is no JSON', 'VOC files (.xml) give the folder'],
])('says where %j is no JSON, and what it may be', (text, place, hint) => {
  const refused = expect.objectContaining({
    message: expect.stringContaining(place),
    hint: expect.stringContaining(hint),
  });
  expect(() => readPredictions(text, judged)).toThrow(refused);
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

const sameNames = [
  { name: '0.jpg', id: 'first', exportName: '0.jpg', ...size },
  { name: '0.jpg', id: 'second', exportName: '0-2.jpg', ...size },
  { name: '1.jpg', id: 'third', exportName: '1.jpg', ...size },
];

function named(...names: readonly (string | number)[]) {
  return names.map((image_id) => ({ image_id, category_id: 'red', bbox, score: 0.5 }));
}

/** How many predictions each image gets. */
function counted(names: readonly (string | number)[], more: Partial<JudgedBy> = {}) {
  const { detections } = read(named(...names), { images: sameNames, ...more });
  return detections.map(({ length }) => length);
}

it('refuses a name that several images have, and says which would be right', () => {
  const names = ['train/0.jpg', 'valid/0.jpg', 'train/0.jpg', '1.jpg'];
  expect(() => counted(names)).toThrow(
    '3 are of names that mean several images: "train/0.jpg", "valid/0.jpg"; give as image_id the ' +
      'number or the file name of the COCO export',
  );
  expect(() => counted(['0'], { isNumbered: false })).toThrow(
    'give as image_id the id of the image',
  );
  expect(() => counted([0], { isNumbered: false })).toThrow('1 are of names that mean several');
});

it('tells images of one name apart by ids, numbers and names of the export', () => {
  expect(counted(['second', 'first', 'second'])).toEqual([1, 2, 0]);
  expect(counted([1, 2, 3])).toEqual([1, 1, 1]);
  expect(counted(['0.jpg', '0-2.jpg', '0-2.jpg', '1.jpg'])).toEqual([1, 2, 1]);
  expect(counted(['test/0-2', 'test/0'])).toEqual([1, 1, 0]);
});

it('counts images without labels in the numbers of the export', () => {
  const images = [1, 3].map((exportNumber) => ({
    name: `${exportNumber}a.jpg`,
    exportNumber,
    ...size,
  }));
  expect(counted([3, 3, 1], { images })).toEqual([1, 2]);
  expect(read(named(2, 3), { images }).unknownImages).toEqual({ count: 1, examples: ['2'] });
});

it('refuses files of one name in several folders where one such image is judged', () => {
  expect(() => read(named('train/a.jpg', 'test/a.jpg'))).toThrow(
    '2 are of names that mean several',
  );
  expect(read(named('test/a.jpg', 'test/a.jpg')).detections.map(({ length }) => length)).toEqual([
    0, 2,
  ]);
});

it('knows a name with points in a folder', () => {
  const images = [{ name: 'frame.001.jpg', ...size }];
  expect(counted(['labels/frame.001'], { images })).toEqual([1]);
});
