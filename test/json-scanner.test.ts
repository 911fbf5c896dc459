// JSON text is counted before it is parsed.

import { expect, test } from 'vitest';
import { excessWords, jsonExcess, outlineOf } from '../src/json-scanner.ts';

const bounds = { elementsMax: 6, depthMax: 3, membersMax: 4 };
const many = { elementsMax: 1_000_000, depthMax: 64, membersMax: 1_000_000 };

test.each([
  ['[1,2,3,4,5]', undefined],
  ['[1,2,3,4,5,6]', 'elements'],
  ['{"a":1,"b":2,"c":3,"d":4}', undefined],
  ['{"a":1,"b":2,"c":3,"d":4,"e":5}', 'members'],
  ['{"a":1,"a":2,"a":3,"a":4,"a":5}', 'members'],
  ['[1,1,1,1,{"a":1}]', 'elements'],
  ['[[[1]]]', undefined],
  ['[[[[1]]]]', 'depth'],
  ['[[[{}]]]', 'depth'],
  ['"[[[[,,,,,,,,,{{{{"', undefined],
  [String.raw`["\"[[[[,,,,,,,,,"]`, undefined],
  [String.raw`["\\",[[[1]]]]`, 'depth'],
  [`["${'\u00e9'.repeat(100)}",1,2,3,4,5]`, 'elements'],
  ['', undefined],
  [']]]]]]]]]]]]]]]]', undefined],
  ['"[[[[[[[[[[', undefined],
])('%s exceeds %s', (text, excess) => {
  expect(jsonExcess(text, bounds)).toBe(excess);
  expect(jsonExcess(Buffer.from(text), bounds)).toBe(excess);
});

test('a bound of one list does not count the elements of lists', () => {
  expect(jsonExcess(`[{"a":[${'0,'.repeat(100)}0]}]`, { ...many, membersMax: 1 })).toBeUndefined();
  expect(jsonExcess('[{"a":[0,0]},{"a":{"b":1,"c":1}}]', { ...many, membersMax: 1 })).toBe(
    'members',
  );
});

test('the words name the bound', () => {
  expect(excessWords('elements', bounds)).toBe('has more than 6 values');
  expect(excessWords('depth', bounds)).toBe('is nested deeper than 3 levels');
  expect(excessWords('members', bounds)).toBe('has an object with more than 4 members');
});

// Escapes near and far from the quotes: each way in which the end of a string is looked for.
test.each([0, 1, 62, 63, 64, 65, 66, 200, 20_000])(
  'a string ends behind an escaped quote after %i letters',
  (length) => {
    const letters = 'x'.repeat(length);
    const text = `["${letters}\\"${letters}\\\\",[[[1]]]]`;
    expect(jsonExcess(text, bounds)).toBe('depth');
    expect(jsonExcess(`["${letters}\\"${letters}\\\\"]`, bounds)).toBeUndefined();
    expect(outlineOf(Buffer.from(`["${letters}\\u0041"]`), many).hasEscapes).toBe(true);
    expect(outlineOf(Buffer.from(`["${letters}\\n"]`), many).hasEscapes).toBe(false);
  },
);
