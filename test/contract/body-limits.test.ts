// What a JSON body may cost, for each operation; and a large wrong input, of which little is built.

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { check, checkInput } from '../../src/contract/check.ts';
import { deviceOperations } from '../../src/contract/device-operations.ts';
import { embeddedOperations, operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { problemsOf } from './problems-of.ts';

const all: readonly Operation[] = Object.values({ ...embeddedOperations, ...deviceOperations });
const usual = {
  bytesMax: 1_048_576,
  parsedBytesMax: 4_194_304,
  elementsMax: 12_000,
  membersMax: 2_000,
  depthMax: 32,
};
const mega = 1_048_576;

test('nearly all operations have the same bounds; these have more', () => {
  const others = all.flatMap(({ id, bodyLimits }) => {
    const more = Object.entries(bodyLimits).filter(
      ([name, most]) => Reflect.get(usual, name) !== most,
    );
    return more.length === 0 ? [] : [[id, Object.fromEntries(more)]];
  });
  expect(Object.fromEntries(others)).toEqual({
    images_annotate: { bytesMax: 32 * mega, elementsMax: 20_010, membersMax: 20_000 },
    annotation_jobs_label: { bytesMax: 32 * mega, elementsMax: 20_010, membersMax: 20_000 },
    images_set_metadata_bulk: {
      bytesMax: 10 * mega,
      parsedBytesMax: 10 * mega,
      elementsMax: 110_000,
    },
    catalog_search_by_image: { bytesMax: 15_029_592 },
    images_search: { bytesMax: 15_029_592 },
    workflows_create: { elementsMax: 50_000 },
    workflows_update: { elementsMax: 50_000 },
    vision_events_create: { bytesMax: 16 * mega, elementsMax: 100_000 },
    vision_events_create_batch: { bytesMax: 16 * mega, elementsMax: 100_000 },
    events_create: { bytesMax: 80 * mega, elementsMax: 100_000 },
  });
});

/** A list of which nobody may look at the elements behind the first. */
function watchedList(length: number, element: unknown) {
  const list = Array.from({ length }, () => element);
  let touched = 0;
  for (let index = 200; index < length; index += 1) {
    const get = () => {
      touched += 1;
      return element;
    };
    Object.defineProperty(list, index, { get, enumerable: true });
  }
  return { list, touched: () => touched };
}

describe('of a large wrong value only the first pieces are looked at', () => {
  const box = z.strictObject({ label: z.string(), points: z.array(z.tuple([z.number()])) });
  const schema = z.strictObject({ boxes: z.array(box).optional(), map: z.record(z.string(), box) });

  test.each([
    [0, 'expected an object, got 0', 50],
    [{}, 'is required', 50],
    ['[1]', 'expected an object, got the string', 50],
    ['{}', 'is required', 50],
  ])('a list of %j', (element, words, count) => {
    const { list, touched } = watchedList(50_000, element);
    const found = problemsOf(() => check(schema, { boxes: list, map: {} }));
    expect(found).toHaveLength(count + 1);
    expect(found[0]?.path).toMatch(/^boxes\[0\]/);
    expect(found[0]?.message).toContain(words);
    expect(found.at(-1)).toEqual({ path: '', message: 'the rest was not looked at' });
    expect(touched()).toBe(0);
  });

  test('a list in a list, with the whole path', () => {
    const { list, touched } = watchedList(50_000, 0);
    const boxes = [
      { label: 'a', points: [[1]] },
      { label: 'b', points: list },
    ];
    const found = problemsOf(() => check(schema, { boxes, map: {} }));
    expect(found[0]).toEqual({
      path: 'boxes[1].points[0]',
      message: 'expected an array, got 0',
    });
    expect(touched()).toBe(0);
  });

  test('a list that is longer than it may be is not looked into', () => {
    const { list, touched } = watchedList(50_000, 0);
    const short = z.strictObject({ names: z.array(z.string()).max(100) });
    expect(problemsOf(() => check(short, { names: list }))).toEqual([
      { path: 'names', message: 'must have at most 100 items, has 50000' },
    ]);
    expect(touched()).toBe(0);
  });

  test('one wrong piece is the only problem', () => {
    const boxes = [...Array.from({ length: 3_000 }, () => ({ label: 'a', points: [] })), 0];
    expect(problemsOf(() => check(schema, { boxes, map: {} }))).toEqual([
      { path: 'boxes[3000]', message: 'expected an object, got 0' },
    ]);
  });

  test('a large map', () => {
    const map = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`name-${n}`, 0]));
    const found = problemsOf(() => check(schema, { map }));
    expect(found).toHaveLength(51);
    expect(found[49]).toEqual({ path: 'map.name-49', message: 'expected an object, got 0' });
  });

  test('a large right value is read, also from its texts', () => {
    const right = { label: 'a', points: Array.from({ length: 100 }, () => [1]) };
    const boxes = Array.from({ length: 50 }, () => right);
    expect(check(schema, { boxes, map: {} })).toEqual({ boxes, map: {} });
    const texts = { boxes: boxes.map((one) => JSON.stringify(one)), map: '{}' };
    expect(check(schema, texts)).toEqual({ boxes, map: {} });
    expect(check(schema, { boxes: JSON.stringify(boxes), map: {} })).toEqual({ boxes, map: {} });
  });

  test('a rule over all of a large value still holds', () => {
    const ruled = schema.refine(() => false, { error: 'is never right', path: ['boxes'] });
    const boxes = Array.from({ length: 2_000 }, () => ({ label: 'a', points: [] }));
    expect(problemsOf(() => check(ruled, { boxes, map: {} }))).toEqual([
      { path: 'boxes', message: 'is never right' },
    ]);
  });
});

test('of many unknown members the first are explained and the rest counted', () => {
  const strays = Object.fromEntries(Array.from({ length: 1_900 }, (_, n) => [`nam${n}`, 0]));
  const found = problemsOf(() =>
    check(z.strictObject({ name: z.string() }), { name: 'a', ...strays }),
  );
  expect(found).toHaveLength(51);
  expect(found[50]).toEqual({ path: '', message: 'and 1850 more problems' });
  const input = { workspace: 'w', project: 'p', images: ['a'], ...strays };
  const flat = problemsOf(() => checkInput(operations.images_delete, input));
  expect(flat).toHaveLength(51);
  expect(flat[50]).toEqual({ path: '', message: 'and 1850 more problems' });
});

describe('JSON in a text', () => {
  const lists = z.looseObject({ a: z.array(z.int()), b: z.array(z.array(z.int())).optional() });
  const zeros = (count: number) => `[${'0,'.repeat(count - 1)}0]`;

  test.each([
    [
      'too many values',
      { a: zeros(12_000) },
      { path: 'a', message: 'is JSON text that has more than 12000 values' },
    ],
    [
      'too many values in texts together',
      { a: zeros(7_000), b: [zeros(4_000), zeros(2_000)] },
      { path: 'b[1]', message: 'is JSON text that has more than 12000 values' },
    ],
    [
      'too many values in texts of texts',
      { a: [], b: JSON.stringify([zeros(7_000), zeros(7_000)]) },
      { path: 'b[1]', message: 'is JSON text that has more than 12000 values' },
    ],
    [
      'too deep',
      { a: `${'['.repeat(33)}${']'.repeat(33)}` },
      { path: 'a', message: 'is JSON text that is nested deeper than 32 levels' },
    ],
    [
      'too many members',
      {
        a: JSON.stringify([
          Object.fromEntries(Array.from({ length: 2_001 }, (_, n) => [`n${n}`, 0])),
        ]),
      },
      { path: 'a', message: 'is JSON text that has an object with more than 2000 members' },
    ],
    [
      'too long',
      { a: `["${'x'.repeat(1_048_576)}"]` },
      { path: 'a', message: 'is JSON text of more than 1048576 bytes: give what it holds' },
    ],
    [
      'a name of the language',
      { a: '[{"__proto__":{"polluted":true}}]' },
      {
        path: 'a',
        message: 'is JSON text with a member named __proto__, which is not allowed',
      },
    ],
  ])('is not read: %s', (_what, value, problem) => {
    expect(problemsOf(() => check(lists, value))).toEqual([problem]);
  });

  test('is read up to its bounds', () => {
    expect(check(lists, { a: zeros(11_999) }).a).toHaveLength(11_999);
  });

  test('has the bounds of its operation', () => {
    const updates = Array.from({ length: 1_000 }, (_, n) => ({
      imageId: `i${n}`,
      addTags: Array.from({ length: 20 }, (_, tag) => `tag${tag}`),
    }));
    const input = { workspace: 'w', updates: JSON.stringify(updates) };
    expect(checkInput(operations.images_set_metadata_bulk, input).updates).toEqual(updates);
  });
});
