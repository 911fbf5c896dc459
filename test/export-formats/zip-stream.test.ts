// Zip files of any number of entries, read by another library.

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
