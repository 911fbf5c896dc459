// What of a zip file's entries is read ahead of its turn, and that what fails so fails in its turn.

import { expect, test } from 'vitest';
import { readAhead, type ZipEntry } from '../../src/export-formats/read-ahead.ts';

async function* given(entries: readonly ZipEntry[]): AsyncGenerator<ZipEntry> {
  yield* entries;
}

async function* piecesOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test('a few are begun ahead, and ended when nobody reads on', async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const entries = Array.from({ length: 100 }, (_, at) => ({
    path: `${at}`,
    isDeflated: at % 2 === 0,
    content: async function* () {
      begun.push(at);
      try {
        yield Buffer.from('first');
        yield Buffer.from('second');
      } finally {
        ended.push(at);
      }
    },
  }));
  for await (const { content } of readAhead(given(entries))) {
    const pieces: Uint8Array[] = [];
    for await (const piece of content()) pieces.push(piece);
    if (Buffer.concat(pieces).includes('second')) break;
  }
  expect(begun.length).toBeGreaterThan(2);
  expect(begun.length).toBeLessThan(20);
  expect(ended.toSorted((a, b) => a - b)).toEqual(begun);
});

test('one that fails ahead of its turn fails in its turn', async () => {
  const failing = async function* (): AsyncGenerator<Uint8Array> {
    yield* [];
    throw new Error('cut');
  };
  const entries = [
    { path: 'whole', isDeflated: false, content: () => piecesOf('all of it') },
    { path: 'broken', isDeflated: true, content: failing },
  ];
  let text = '';
  const read = async () => {
    for await (const { path, content } of readAhead(given(entries))) {
      text += path;
      for await (const piece of content()) text += Buffer.from(piece).toString('latin1');
    }
  };
  await expect(read()).rejects.toThrow('cut');
  expect(text).toContain('all of it');
  expect(text).toContain('broken');
});
