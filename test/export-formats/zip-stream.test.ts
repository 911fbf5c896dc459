// Zip files of any number of entries, read by another library; and what is read ahead of its turn.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPromise } from 'yauzl';
import { type ZipEntry, zipStream } from '../../src/export-formats/zip-stream.ts';
import { writeSynced } from '../../src/storage/write-synced-file.ts';
import { readZip } from '../fixtures/read-zip.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

async function* piecesOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function written(entries: Iterable<ZipEntry>): Promise<string> {
  const path = join(await temporaryFolder(), 'file.zip');
  await writeSynced(path, zipStream(entries));
  return path;
}

test('entries come back, stored and deflated, short and long, in one piece and in many', async () => {
  const long = 'line\n'.repeat(20_000);
  const contents: Readonly<Record<string, readonly string[]>> = {
    'empty.txt': [],
    'short.txt': ['short'],
    'two.txt': ['one ', 'two'],
    'long.txt': [long],
    'long-in-two.txt': [long, long],
    'ä/ö.txt': ['ü'],
  };
  const entries = [true, false].flatMap((isDeflated) =>
    Object.entries(contents).map(([name, texts]) => ({
      path: `${isDeflated ? 'deflated' : 'stored'}/${name}`,
      isDeflated,
      content: () => piecesOf(...texts),
    })),
  );
  const found = await readZip(await written(entries));
  expect([...found.keys()]).toEqual(entries.map(({ path }) => path));
  for (const [path, bytes] of found) {
    const name = path.slice(path.indexOf('/') + 1);
    expect(bytes.toString()).toBe(contents[name]?.join(''));
  }
});

test('there may be more of them than 16 bits count', async () => {
  const entries = Array.from({ length: 65_540 }, (_, at) => ({
    path: `${at}`,
    isDeflated: false,
    content: () => piecesOf(`${at}`),
  }));
  const zip = await openPromise(await written(entries), { lazyEntries: true });
  expect(zip.entryCount).toBe(65_540);
  const names: string[] = [];
  for await (const { fileName } of zip.eachEntry()) names.push(fileName);
  expect(names).toEqual(entries.map(({ path }) => path));
});

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
  for await (const piece of zipStream(entries)) {
    if (Buffer.from(piece).includes('second')) break;
  }
  expect(begun.length).toBeGreaterThan(2);
  expect(begun.length).toBeLessThan(12);
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
    for await (const piece of zipStream(entries)) text += Buffer.from(piece).toString('latin1');
  };
  await expect(read()).rejects.toThrow('cut');
  expect(text).toContain('all of it');
  expect(text).toContain('broken');
});
