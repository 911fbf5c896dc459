// Bodies with long strings: read as JSON.parse reads them, and refused where it refuses them.

import { expect, test } from 'vitest';
import { JsonBody } from '../../src/http-server/json-body.ts';

const long = 'iVBORw0KGgo+/='.repeat(3_000);
const read = (text: string) => new JsonBody(Buffer.from(text)).members;

test.each([
  ['one', `{"a":"${long}"}`, { a: long }],
  [
    'several, at any depth',
    `{"a":["${long}x",{"b":"y${long}"}]}`,
    { a: [`${long}x`, { b: `y${long}` }] },
  ],
  ['beside short ones', `{"a":"${long}","b":"short","c":1}`, { a: long, b: 'short', c: 1 }],
  ['as the name of a member', `{"${long}":"${long}v"}`, { [long]: `${long}v` }],
  ['given twice: the last counts', `{"a":"${long}1","a":"${long}2"}`, { a: `${long}2` }],
  [
    'with an escape',
    String.raw`{"a":"${long}\n\u00e9","b":"${long}"}`,
    { a: `${long}\n\u00e9`, b: long },
  ],
  [
    'not ASCII',
    `{"a":"${'\u00e9'.repeat(20_000)}","b":"${long}"}`,
    { a: '\u00e9'.repeat(20_000), b: long },
  ],
  [
    'with the last of ASCII',
    `{"a":"${'\u007f~ '.repeat(9_000)}"}`,
    { a: '\u007f~ '.repeat(9_000) },
  ],
])('a long string is read: %s', (_name, text, expected) => {
  expect(read(text)).toStrictEqual(expected);
});

// Words of four bytes are looked at at once: each place in them, and each way to begin, counts.
test.each(
  [0, 1, 2, 3].flatMap((start) => [0, 1, 2, 3, 4, 5].map((length) => [start, length] as const)),
)('a control character in it is refused: %i before, %i more', (start, length) => {
  const blanks = ' '.repeat(start);
  for (const control of ['\n', '\u0000', '\u001f']) {
    const more = 'z'.repeat(length);
    expect(() => read(`${blanks}{"a":"${long}${more}${control}"}`)).toThrow('not valid JSON');
    expect(() => read(`${blanks}{"a":"${control}${long}${more}"}`)).toThrow('not valid JSON');
    expect(() => read(`${blanks}{"a":"${long}${control}${more}${long}"}`)).toThrow(
      'not valid JSON',
    );
  }
});

test.each([
  [
    'broken UTF-8',
    Buffer.concat([Buffer.from(`{"a":"${long}`), Buffer.from([0xff]), Buffer.from('"}')]),
  ],
  ['no end', Buffer.from(`{"a":"${long}`)],
  ['no comma', Buffer.from(`{"a":"${long}" "b":"${long}"}`)],
])('it is refused: %s', (_name, bytes) => {
  expect(() => new JsonBody(bytes).members).toThrow('not valid JSON');
});

test('a prototype beside it is refused', () => {
  expect(() => read(`{"a":"${long}","__proto__":{"b":1}}`)).toThrow('__proto__');
  expect(() => read(`{"__proto__":"${long}"}`)).toThrow('__proto__');
});

test('its bytes are let go once they are read', () => {
  const body = new JsonBody(Buffer.from('{"a":1}'));
  expect(body.shortText).toBe('{"a":1}');
  expect(body.members).toEqual({ a: 1 });
  expect(body.shortText).toBeUndefined();
  expect(body.members).toEqual({ a: 1 });
});
