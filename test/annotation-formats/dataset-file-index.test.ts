// Files about many images, read in pieces: what stands where, in any order, and what is refused.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type DatasetIndex,
  indexDataset,
} from '../../src/annotation-formats/dataset-file-index.ts';

function open(text: string | Uint8Array): DatasetIndex | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'fovea-dataset-'));
  const path = join(folder, 'file.json');
  writeFileSync(path, text);
  const index = indexDataset(path);
  onTestFinished(() => {
    index?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return index;
}

const images = '[{"id": 7, "file_name": "a.jpg"}, {"id": "8", "file_name": "deep/b.jpg"}]';
const annotations = `[{"image_id": "8", "category_id": 2, "note": "[{\\"}]"},
  {"image_id": 7, "category_id": 1}, {"image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4]}]`;
const categories = '[{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}, {"id": 3, "name": "cow"}]';

describe('a COCO file', () => {
  it.each([
    [
      'images first',
      `{"images": ${images}, "annotations": ${annotations}, "categories": ${categories}}`,
    ],
    [
      'images last',
      `{"annotations": ${annotations}, "categories": ${categories}, "images": ${images}}`,
    ],
    [
      'other members that look alike',
      `\uFEFF{"info": {"images": [1], "annotations": "[{"}, "licenses": [[], [{}]],
        "annotations": ${annotations}, "categories": ${categories}, "images": ${images}}\n`,
    ],
  ])('gives each image its own part: %s', (_case, text) => {
    const index = open(text);
    expect(index?.names).toEqual(['a.jpg', 'deep/b.jpg']);
    const first = index?.partOf(0);
    expect(first?.places).toEqual([1, 2]);
    expect(JSON.parse(first?.text ?? '')).toEqual({
      images: [{ id: 7, file_name: 'a.jpg' }],
      categories: [{ id: 1, name: 'cat' }],
      annotations: [
        { image_id: 7, category_id: 1 },
        { image_id: 7, category_id: 1, bbox: [1, 2, 3, 4] },
      ],
    });
    const second = index?.partOf(1, 'b.jpg');
    expect(second?.places).toEqual([0]);
    expect(JSON.parse(second?.text ?? '')).toEqual({
      images: [{ id: '8', file_name: 'b.jpg' }],
      categories: [{ id: 2, name: 'dog' }],
      annotations: [{ image_id: '8', category_id: 2, note: '[{"}]' }],
    });
  });

  it('is read across the steps in which it comes from the disk', () => {
    const count = 40_000;
    const own = Array.from({ length: count }, (_, n) => ({
      image_id: n % 100,
      category_id: 1,
      text: `é "${n}" \\ ]`,
      bbox: [n, 1, 2, 3],
    }));
    const all = Array.from({ length: 100 }, (_, n) => ({ id: n, file_name: `${n}.jpg` }));
    const file = { images: all, categories: [{ id: 1, name: 'cat' }], annotations: own };
    const text = JSON.stringify(file);
    expect(Buffer.byteLength(text)).toBeGreaterThan(2 * 1024 * 1024);
    const index = open(text);
    const found = index?.names.flatMap((_name, place) => {
      const part: { annotations: unknown[] } = JSON.parse(index.partOf(place).text);
      return part.annotations;
    });
    expect(found?.length).toBe(count);
    expect(found?.slice(400, 402)).toEqual([own[1], own[101]]);
  });

  it('names others where an annotation has an unknown class', () => {
    const strange = '[{"image_id": 7, "category_id": 99}]';
    const index = open(
      `{"images": ${images}, "annotations": ${strange}, "categories": ${categories}}`,
    );
    expect(JSON.parse(index?.partOf(0).text ?? '')).toMatchObject({
      categories: [{ id: 1 }, { id: 2 }, { id: 3 }],
    });
  });

  it('refuses what it says of images that have one id, and of these alone', () => {
    const twins =
      '[{"id": 7, "file_name": "a.jpg"}, {"id": 8, "file_name": "b.jpg"}, {"id": 7, "file_name": "c.jpg"}]';
    const own = '[{"image_id": 7}, {"image_id": 8}, {"image_id": 9}]';
    const index = open(`{"images": ${twins}, "annotations": ${own}}`);
    expect(() => index?.partOf(2)).toThrow('has one id for images[0] and images[2]');
    expect(() => index?.partOf(0)).toThrow('whose boxes they are is not known');
    expect(index?.partOf(1).places).toEqual([1]);
    expect(index?.strays).toBe(1);
  });

  it('refuses more boxes for an image than one may have', () => {
    const many = Array.from({ length: 10_001 }, () => ({ image_id: 7 }));
    const index = open(`{"images": ${images}, "annotations": ${JSON.stringify(many)}}`);
    expect(() => index?.partOf(0)).toThrow('has 10001 boxes for the image; at most 10000 fit');
    expect(index?.partOf(1).places).toEqual([]);
  });
});

it('gives each image of a CreateML file its own part', () => {
  const index = open(
    '[{"image": "x/a.jpg", "annotations": []}, {"image": "b.jpg", "annotations": [1]}]',
  );
  expect(index?.names).toEqual(['x/a.jpg', 'b.jpg']);
  const second = index?.partOf(1);
  expect([second?.format, second?.places]).toEqual(['createml', [1]]);
  expect(JSON.parse(second?.text ?? '')).toEqual([{ image: 'b.jpg', annotations: [1] }]);
  expect(JSON.parse(index?.partOf(0, 'a.jpg').text ?? '')).toEqual([
    { image: 'a.jpg', annotations: [] },
  ]);
});

it.each(['{"name": "fovea"}', '[1, 2]', '[]', '{}', '[{"image": "a.jpg"}]'])(
  'says that it is neither: %s',
  (text) => {
    expect(open(text)).toBeUndefined();
  },
);

it.each([
  ['no JSON', 'images', 'is not valid JSON'],
  ['nothing', ' \n', 'is JSON that ends too early'],
  ['an end too early', `{"images": ${images}, "annotations": [`, 'is JSON that ends too early'],
  ['an end in a string', '{"images": [], "annotations": ["', 'is JSON that ends too early'],
  ['something behind', `{"images": [], "annotations": []} {}`, 'is not valid JSON'],
  ['brackets that do not match', '{"images": [}', 'is not valid JSON'],
  ['a broken element', '{"images": [{"id": 1,}]}', 'images[0]: is not valid JSON'],
  ['no comma', '{"images": [], "annotations": [{} {}]}', 'annotations[0]: is not valid JSON'],
  ['no UTF-8', Buffer.from('{"images": ["\xff"]}', 'latin1'), 'images[0]: is no UTF-8 text'],
  ['numbers for images', '{"images": [0,0,0]}', 'images[0]: must be an object'],
  ['an image without a name', '{"images": [{"id": 1}]}', 'images[0].file_name: must be a string'],
  ['an image without an id', '{"images": [{"file_name": "a"}]}', 'images[0].id: is missing'],
  ['a class without an id', '{"categories": [{"name": "a"}]}', 'categories[0].id: is missing'],
  [
    'two classes of one id',
    '{"categories": [{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]}',
    "categories[1].id: 1 is another one's too",
  ],
  ['a second list', '{"images": [], "images": []}', 'has two members images'],
  ['no annotations', '{"images": []}', 'annotations: must be an array'],
  ['depth', `{"images": ${'['.repeat(100)}`, 'is nested deeper than 32 levels'],
  [
    'a huge element',
    `{"images": [], "annotations": [{"points": [${'1,'.repeat(2_200_000)}1]}]}`,
    'annotations[0]: has more than 4194304 bytes',
  ],
  [
    'too many classes',
    `{"images": [], "categories": [${'{"id": 1},'.repeat(20_000)}{"id": 1}]}`,
    'has more than 20000 categories',
  ],
])('refuses %s', (_case, text, message) => {
  expect(() => open(text)).toThrow(message);
});
