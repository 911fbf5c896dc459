// Input that passes, and what is said of input that does not.

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  check,
  checkInput,
  checkRequest,
  coerceText,
  flatSchema,
  splitInput,
  withoutNulls,
} from '../../src/contract/check.ts';
import { operations } from '../../src/contract/index.ts';
import { problemsOf } from './problems-of.ts';

const { projects_rebalance_splits, projects_create, images_annotate, events_list } = operations;

describe('check', () => {
  const schema = z.strictObject({
    name: z.string().min(1).describe('Display name.'),
    split: z.enum(['train', 'valid', 'test']).optional(),
    count: z.int().min(1).max(9).optional(),
    files: z.array(z.strictObject({ name: z.string() })).optional(),
    apiKey: z.string().max(5).optional(),
    when: z.iso.datetime({ offset: true }).optional(),
    tags: z.record(z.string().regex(/^[a-z]+$/, { error: 'must be letters' }), z.int()).optional(),
    either: z.union([z.int(), z.boolean()]).optional(),
    note: z.string().nullable().optional(),
  });
  const problems = (value: unknown) => problemsOf(() => check(schema, value));

  test('gives back what fits', () => {
    const value = { name: 'a', split: 'test', count: 9, files: [{ name: 'b' }], note: null };
    expect(check(schema, value)).toEqual(value);
  });

  test('says what is missing, with its description', () => {
    expect(problems({})).toEqual([
      { path: 'name', message: 'is required (a string): Display name.' },
    ]);
  });

  test.each([
    [
      { split: 'trian' },
      'split',
      'expected one of train, valid, test; got "trian" (did you mean "train"?)',
    ],
    [{ split: 'none at all' }, 'split', 'expected one of train, valid, test; got "none at all"'],
    [{ split: 3 }, 'split', 'expected one of train, valid, test; got 3'],
    [{ count: 'three' }, 'count', 'expected an integer, got the string "three"'],
    [{ count: 1.5 }, 'count', 'expected an integer, got 1.5'],
    [{ count: 0 }, 'count', 'must be at least 1, got 0'],
    [{ count: 10 }, 'count', 'must be at most 9, got 10'],
    [{ count: null }, 'count', 'expected an integer, got null'],
    [{ count: {} }, 'count', 'expected an integer, got an object'],
    [{ files: [{ name: 'a' }, {}] }, 'files[1].name', 'is required (a string).'],
    [{ files: 'a.jpg' }, 'files', 'expected an array, got the string "a.jpg"'],
    [{ files: [{ name: 'a', nme: 1 }] }, 'files[0].nme', 'is not known; did you mean "name"?'],
    [{ files: [{ name: 'a', colour: 1 }] }, 'files[0].colour', 'is not known; known are name'],
    [
      { when: 'noon' },
      'when',
      'expected an ISO 8601 time such as 2026-01-31T08:00:00Z, got the string "noon"',
    ],
    [{ tags: { B1: 1 } }, 'tags.B1', 'is not a valid name here: must be letters'],
    [{ tags: { b: 'x' } }, 'tags.b', 'expected an integer, got the string "x"'],
    [{ either: 'x' }, 'either', 'expected an integer or true or false, got the string "x"'],
    [{ note: 1 }, 'note', 'expected a string or null, got 1'],
  ])('%j', (member, path, message) => {
    expect(problems({ name: 'a', ...member })).toEqual([{ path, message }]);
  });

  test('says everything at once', () => {
    const paths = problems({ split: 'x', count: '1', files: [1], colour: 2 }).map(
      ({ path }) => path,
    );
    expect(paths).toEqual(['name', 'split', 'count', 'files[0]', 'colour']);
  });

  test('an empty string is none', () => {
    expect(problems({ name: '' })).toEqual([{ path: 'name', message: 'must not be empty' }]);
  });

  test('cuts long values and names', () => {
    const [value, name] = problems({ name: 'a', split: 'x '.repeat(500), ['y'.repeat(500)]: 1 });
    expect(value?.message).toBe(`expected one of train, valid, test; got "${'x '.repeat(30)}…"`);
    expect(name?.path).toBe(`${'y'.repeat(60)}…`);
  });

  test.each([
    [
      { count: 'sk_live_51H8xkqLmNoPqRsT' },
      'count',
      'expected an integer, got a string of 24 characters',
    ],
    [{ count: 'Bearer abc' }, 'count', 'expected an integer, got a string of 10 characters'],
    [
      { count: 'eyJhbGciOiJub25lIn0.e30.' },
      'count',
      'expected an integer, got a string of 24 characters',
    ],
    [{ apiKey: 'hunter2' }, 'apiKey', 'must have at most 5 characters, has 7'],
  ])('never shows what looks like a secret: %j', (member, path, message) => {
    expect(problems({ name: 'a', ...member })).toEqual([{ path, message }]);
  });

  test('of very many problems the first are named and the rest counted', () => {
    const found = problems({ name: 'a', files: Array(1000).fill(1) });
    expect(found).toHaveLength(51);
    expect(found[49]?.path).toBe('files[49]');
    expect(found[50]).toEqual({ path: '', message: 'and 950 more problems' });
  });

  test('a value that is no object at all', () => {
    expect(problems('x')).toEqual([
      { path: '', message: 'expected an object, got the string "x"' },
    ]);
    expect(problems(null)).toEqual([{ path: '', message: 'expected an object, got null' }]);
  });

  test('null stands for what was left out, where it may be left out', () => {
    const given = { name: null, split: null, note: null, files: [{ name: null }], other: null };
    expect(withoutNulls(schema, given)).toEqual({
      name: null,
      note: null,
      files: [{ name: null }],
      other: null,
    });
    const deep = z.object({ inner: z.object({ a: z.int().optional(), b: z.null().optional() }) });
    expect(withoutNulls(deep, { inner: { a: null, b: null } })).toEqual({ inner: { b: null } });
    expect(withoutNulls(schema, null)).toBe(null);
  });
});

describe('JSON text', () => {
  const schema = z.looseObject({
    list: z.array(z.string()).optional(),
    nested: z.strictObject({ inner: z.array(z.int()) }).optional(),
    map: z.record(z.string(), z.int()).nullable().optional(),
    text: z.string().optional(),
    either: z.union([z.string(), z.array(z.string())]).optional(),
    count: z.int().optional(),
  });

  test.each([
    [{ list: '["a"]' }, { list: ['a'] }],
    [{ nested: ' {"inner": "[1,2]"}' }, { nested: { inner: [1, 2] } }],
    [{ map: '{"a":1}' }, { map: { a: 1 } }],
    [
      { text: '["a"]', list: '[]' },
      { text: '["a"]', list: [] },
    ],
    [{ either: '["a"]' }, { either: '["a"]' }],
    [
      { other: '{}', list: '[]' },
      { other: '{}', list: [] },
    ],
  ])('%j is read as %j', (given, read) => {
    expect(check(schema, given)).toEqual(read);
  });

  test.each([
    [{ list: '["a"' }, 'list', 'expected an array, got the string "[\\"a\\""'],
    [{ list: '{}' }, 'list', 'expected an array, got the string "{}"'],
    [{ list: 'a,b' }, 'list', 'expected an array, got the string "a,b"'],
    [{ list: '[1]' }, 'list[0]', 'expected a string, got 1'],
    [{ count: '1' }, 'count', 'expected an integer, got the string "1"'],
  ])('%j is not', (given, path, message) => {
    expect(problemsOf(() => check(schema, given))).toEqual([{ path, message }]);
  });

  test('names of the language itself are only names', () => {
    const value: unknown = JSON.parse('{"list":"[]","__proto__":{"polluted":true}}');
    const read = check(schema, value);
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect('polluted' in read).toBe(false);
  });
});

const here = { workspace: 'lab', project: 'cells' };
const splits = { train: 70, valid: 20, test: 10 };

describe('texts that PostgreSQL cannot store', () => {
  const { images_set_metadata, vision_events_create, events_create } = operations;
  const nul = 'has U+0000, a character that cannot be stored';
  const half = 'has half of a character (a surrogate without its other one)';
  const at = (metadata: unknown) => ({ workspace: 'acme', imageId: 'i', metadata });

  test.each([
    [at({ camera: 'a\u0000' }), 'metadata.camera', nul],
    [at({ camera: '\ud800' }), 'metadata.camera', half],
    [at({ 'a\u0000b': 1 }), 'metadata', `the name of a member ${nul}`],
    [at('{"camera":"a\\u0000"}'), 'metadata.camera', nul],
    [{ ...at({}), imageId: 'a\u0000' }, 'imageId', nul],
  ])('%j is refused at %s', (input, path, message) => {
    expect(problemsOf(() => checkInput(images_set_metadata, input))).toContainEqual({
      path,
      message,
    });
  });

  test('also in a server, deep in data of any kind', () => {
    const body = {
      eventId: 'e',
      eventType: 'custom',
      useCaseId: 'u',
      timestamp: '2026-01-31T08:00:00Z',
      eventData: { lists: [[], [{ deep: 'a\u0000' }]] },
    };
    const request = { path: { workspace: 'acme' }, query: {}, body };
    expect(problemsOf(() => checkRequest(vision_events_create, request))).toContainEqual({
      path: 'eventData.lists[1][0].deep',
      message: nul,
    });
  });

  test('an event of a device is taken: its store mends the text', () => {
    const event = {
      event_schema: 'custom',
      inference_timestamp: '2026-01-31T08:00:00Z',
      event_data: { note: 'a\u0000' },
    };
    expect(checkInput(events_create, event)).toEqual(event);
  });
});

describe('checkInput', () => {
  test('takes the flat arguments of path, query and body', () => {
    const input = { project: 'cells', imageId: 'i', name: 'i.xml', annotationFile: '<a/>' };
    expect(checkInput(images_annotate, input)).toEqual(input);
  });

  test('refuses what it does not know, even where the body is open', () => {
    const input = {
      ...here,
      name: 'Cells',
      type: 'object-detection',
      annotation: 'c',
      licence: 'MIT',
    };
    expect(problemsOf(() => checkInput(projects_create, input))).toEqual([
      {
        path: 'project',
        message: 'is not known; known are workspace, name, type, annotation, license, public',
      },
      { path: 'licence', message: 'is not known; did you mean "license"?' },
    ]);
  });

  test('keeps the rules over several members', () => {
    const none = { train: 0, valid: 0, test: 0 };
    expect(
      problemsOf(() => checkInput(projects_rebalance_splits, { ...here, splits: none })),
    ).toEqual([{ path: 'splits', message: 'at least one share must be greater than 0' }]);
    const both = {
      workspace: 'lab',
      query: '*',
      format: 'coco',
      dataset: 'a',
      annotationGroup: 'b',
    };
    expect(problemsOf(() => checkInput(operations.search_export_start, both))).toEqual([
      { path: 'dataset', message: 'give either dataset or annotationGroup, not both' },
    ]);
    const nothing = { workspace: 'lab', imageId: 'i' };
    expect(problemsOf(() => checkInput(operations.images_set_metadata, nothing))).toEqual([
      { path: '', message: 'give at least one of metadata, removeMetadata, addTags, removeTags' },
    ]);
  });

  test('says all problems of path, query and body at once', () => {
    const input = { project: '', imagId: 'i', overwrite: 'yes', annotationFile: 5 };
    expect(problemsOf(() => checkInput(images_annotate, input))).toEqual([
      { path: 'project', message: 'must not be empty' },
      { path: 'imageId', message: 'is required (a string): Id of the image.' },
      {
        path: 'name',
        message: 'is required (a string): Annotation file name, with its extension.',
      },
      { path: 'overwrite', message: 'expected true or false, got the string "yes"' },
      { path: 'annotationFile', message: 'expected a string, got 5' },
      { path: 'imagId', message: 'is not known; did you mean "imageId"?' },
    ]);
  });

  test('no arguments are the same as none given', () => {
    expect(checkInput(operations.workspace_whoami, undefined)).toEqual({});
    expect(problemsOf(() => checkInput(operations.workspace_whoami, []))).toEqual([
      { path: '', message: 'expected an object, got an empty array' },
    ]);
  });
});

describe('checkParts', () => {
  test('gives the flat input of a request', () => {
    const parts = { path: here, query: {}, body: { splits, mode: 'shuffle' } };
    expect(checkRequest(projects_rebalance_splits, parts)).toEqual({
      ...here,
      splits,
      mode: 'shuffle',
    });
  });

  test('lets an open body have more members, and a closed one not', () => {
    const body = { name: 'Cells', type: 'object-detection', annotation: 'cell', groups: [1] };
    const parts = { path: { workspace: 'lab' }, query: {}, body };
    expect(checkRequest(projects_create, parts)).toEqual({ workspace: 'lab', ...body });
    const more = { path: here, query: {}, body: { splits, clases: [] } };
    expect(problemsOf(() => checkRequest(projects_rebalance_splits, more))).toEqual([
      { path: 'clases', message: 'is not known; did you mean "classes"?' },
    ]);
  });

  test('refuses unknown query parameters', () => {
    const parts = { path: here, query: { regenrate: true }, body: undefined };
    expect(problemsOf(() => checkRequest(operations.projects_health, parts))).toEqual([
      { path: 'regenrate', message: 'is not known; did you mean "regenerate"?' },
    ]);
  });

  test('no body member stands for a parameter of path or query', () => {
    const path = { project: 'cells', imageId: 'i' };
    const body = { annotationFile: 'x', imageId: 'other', overwrite: 'yes' };
    expect(
      problemsOf(() => checkRequest(images_annotate, { path, query: { name: 'a.txt' }, body })),
    ).toEqual([
      { path: 'imageId', message: 'belongs in the path, not in the body' },
      { path: 'overwrite', message: 'belongs in the query, not in the body' },
    ]);
  });

  test('a body that is no object', () => {
    const parts = { path: here, query: {}, body: [splits] };
    expect(problemsOf(() => checkRequest(projects_rebalance_splits, parts))).toEqual([
      { path: '', message: 'expected an object, got an array' },
    ]);
  });

  test('a body where none is expected', () => {
    const parts = { path: here, query: {}, body: { force: true } };
    expect(problemsOf(() => checkRequest(operations.projects_delete, parts))).toEqual([
      { path: 'force', message: 'is not known; nothing is expected here' },
    ]);
  });
});

describe('splitInput', () => {
  test('puts each member where it belongs, and leaves undefined ones out', () => {
    const input = {
      project: 'cells',
      imageId: 'i',
      name: 'a.xml',
      overwrite: undefined,
      annotationFile: '<a/>',
      labelmap: null,
    };
    expect(splitInput(images_annotate, input)).toEqual({
      path: { project: 'cells', imageId: 'i' },
      query: { name: 'a.xml' },
      body: { annotationFile: '<a/>', labelmap: null },
    });
  });
});

describe('coerceText', () => {
  test('reads text as its schema types it', () => {
    const text = {
      limit: ['20'],
      include_drafts: ['false'],
      device_id: ['7'],
      metadata_filter: ['a:1', 'b:gt:2'],
    };
    expect(coerceText(events_list.query, text)).toEqual({
      limit: 20,
      include_drafts: false,
      device_id: '7',
      metadata_filter: ['a:1', 'b:gt:2'],
    });
  });

  test('a single repeated value is still a list where a list is wanted', () => {
    expect(coerceText(events_list.query, { metadata_filter: ['a:1'] })).toEqual({
      metadata_filter: ['a:1'],
    });
  });

  test.each([
    [{ limit: ['many'] }, 'limit', 'expected an integer, got the string "many"'],
    [{ limit: ['0x10'] }, 'limit', 'expected an integer, got the string "0x10"'],
    [{ limit: [''] }, 'limit', 'expected an integer, got the string ""'],
    [{ limit: ['1.5'] }, 'limit', 'expected an integer, got 1.5'],
    [{ include_drafts: ['yes'] }, 'include_drafts', 'expected true or false, got the string "yes"'],
    [{ device_id: ['a', 'b'] }, 'device_id', 'expected a string, got an array'],
    [{ devce_id: ['a'] }, 'devce_id', 'is not known; did you mean "device_id"?'],
  ])('%j is left for check to explain', (text, path, message) => {
    const query = coerceText(events_list.query, text);
    expect(problemsOf(() => check(events_list.query, query))).toEqual([{ path, message }]);
  });

  test('reads the number of a version from its path', () => {
    const { pathParameters } = operations.versions_get;
    expect(
      coerceText(pathParameters, { workspace: ['1'], project: ['2'], version: ['3'] }),
    ).toEqual({
      workspace: '1',
      project: '2',
      version: 3,
    });
  });
});

test('flatSchema is one strict object of all members', () => {
  const flat = flatSchema(images_annotate);
  expect(Object.keys(flat.shape)).toEqual([
    'project',
    'imageId',
    'name',
    'jobName',
    'prediction',
    'overwrite',
    'revision',
    'class_state',
    'annotationFile',
    'labelmap',
  ]);
  expect(flat.safeParse({ more: 1 }).error?.issues.at(-1)?.code).toBe('unrecognized_keys');
});
