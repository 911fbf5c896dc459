// Bodies with long strings: read as JSON.parse reads them, and refused where it refuses them.

import { expect, test } from 'vitest';
import { bodyLimits } from '../../src/contract/operation.ts';
import { JsonBody, readLongJson } from '../../src/http-server/json-body.ts';
import { outlineOf } from '../../src/json-scanner.ts';

const long = 'iVBORw0KGgo+/='.repeat(3_000);
const bounds = bodyLimits({ bytesMax: 100_000_000 });
const readBytes = (bytes: Uint8Array) => readLongJson(bytes, outlineOf(bytes, bounds), bounds);
const read = (text: string) => readBytes(Buffer.from(text));

test.each([
  ['one', `{"a":"${long}"}`, { a: long }],
  [
    'several, at any depth',
    `{"a":["${long}x",{"b":"y${long}"}]}`,
    { a: [`${long}x`, { b: `y${long}` }] },
  ],
  ['beside short ones', `{"a":"${long}","b":"short","c":1}`, { a: long, b: 'short', c: 1 }],
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
  [
    'of escapes alone, over several steps',
    `{"a":"${String.raw`\u00e9`.repeat(400_000)}${String.raw`\\\"`.repeat(600_000)}"}`,
    { a: `${'\u00e9'.repeat(400_000)}${'\\"'.repeat(600_000)}` },
  ],
  [
    'of halves of characters, over several steps',
    `{"a":"${String.raw`x\ud83d\ude00`.repeat(200_000)}"}`,
    { a: 'x\u{1f600}'.repeat(200_000) },
  ],
  [
    'of characters of three bytes, over several steps',
    `{"a":"\ufeff${'\u20ac\ufeff'.repeat(400_000)}"}`,
    { a: `\ufeff${'\u20ac\ufeff'.repeat(400_000)}` },
  ],
])('a long string is read: %s', async (_name, text, expected) => {
  const value: unknown = await read(text);
  // Compared as they are: a difference of megabytes would be printed for minutes.
  expect(JSON.stringify(value) === JSON.stringify(expected)).toBe(true);
});

// A step may end at any byte of an escape.
test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])(
  'a step ends %i bytes further on',
  async (ahead) => {
    const fill = 'x'.repeat(1024 * 1024 - ahead);
    const value = await read(String.raw`{"a":"${fill}\\u0041\u0042\\\"\u00e9"}`);
    expect(value.a === `${fill}\\u0041B\\"\u00e9`).toBe(true);
  },
);

test('the name of a member is never so long', async () => {
  const words = 'The name of a member has 16384 bytes or more.';
  await expect(read(`{"${long}":"${long}v"}`)).rejects.toThrow(words);
});

// Words of four bytes are looked at at once: each place in them, and each way to begin, counts.
test.each(
  [0, 1, 2, 3].flatMap((start) => [0, 1, 2, 3, 4, 5].map((length) => [start, length] as const)),
)('a control character in it is refused: %i before, %i more', async (start, length) => {
  const blanks = ' '.repeat(start);
  for (const control of ['\n', '\u0000', '\u001f']) {
    const more = 'z'.repeat(length);
    for (const content of [
      `${long}${more}${control}`,
      `${control}${long}${more}`,
      `${long}${control}${more}${long}`,
    ]) {
      await expect(read(`${blanks}{"a":"${content}"}`)).rejects.toThrow('not valid JSON');
    }
  }
});

test.each([
  [
    'broken UTF-8',
    Buffer.concat([Buffer.from(`{"a":"${long}`), Buffer.from([0xff]), Buffer.from('"}')]),
  ],
  ['no end', Buffer.from(`{"a":"${long}`)],
  ['no comma', Buffer.from(`{"a":"${long}" "b":"${long}"}`)],
])('it is refused: %s', async (_name, bytes) => {
  await expect(readBytes(bytes)).rejects.toThrow('not valid JSON');
});

test('a prototype beside it is refused', async () => {
  await expect(read(`{"a":"${long}","__proto__":{"b":1}}`)).rejects.toThrow('__proto__');
  await expect(read(`{"__proto__":"${long}"}`)).rejects.toThrow('__proto__');
});

test('its bytes are let go once they are read', () => {
  const body = new JsonBody(Buffer.from('{"a":1}'), bounds);
  expect(body.shortText).toBe('{"a":1}');
  expect(body.members).toEqual({ a: 1 });
  expect(body.shortText).toBeUndefined();
  expect(body.members).toEqual({ a: 1 });
});
