// Zip files of any number of entries, read by another library.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPromise } from 'yauzl';
import { ZipFile } from '../../src/export-formats/zip-file.ts';
import { readZip } from '../fixtures/read-zip.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

interface Entry {
  readonly path: string;
  readonly isDeflated: boolean;
  readonly texts: readonly string[];
}

async function written(entries: readonly Entry[]): Promise<string> {
  const pieces: Buffer[] = [];
  const zip = new ZipFile((bytes) => pieces.push(Buffer.from(bytes)));
  const buffer = Buffer.alloc(200_000);
  for (const { path, isDeflated, texts } of entries) {
    zip.begin(path, isDeflated);
    // Its bytes change after each piece.
    for (const text of texts) zip.add(buffer.subarray(0, buffer.write(text)));
  }
  zip.end();
  const path = join(await temporaryFolder(), 'file.zip');
  await writeFile(path, Buffer.concat(pieces));
  return path;
}

test('entries come back, stored and deflated, short and long, in one piece and in many', async () => {
  const long = 'line\n'.repeat(20_000);
  const contents: Readonly<Record<string, readonly string[]>> = {
    'empty.txt': [],
    'short.txt': ['short'],
    'two.txt': ['one ', 'two'],
    'nothing-last.txt': ['one', ''],
    'long.txt': [long],
    'long-in-three.txt': [long, long, 'end'],
    'ä/ö.txt': ['ü'],
  };
  const entries = [true, false].flatMap((isDeflated) =>
    Object.entries(contents).map(([name, texts]) => ({
      path: `${isDeflated ? 'deflated' : 'stored'}/${name}`,
      isDeflated,
      texts,
    })),
  );
  const found = await readZip(await written(entries));
  expect([...found.keys()]).toEqual(entries.map(({ path }) => path));
  for (const [path, bytes] of found) {
    const name = path.slice(path.indexOf('/') + 1);
    expect(bytes.toString()).toBe(contents[name]?.join(''));
  }
});

test('short content stands there as it is, longer content is deflated', async () => {
  const entries = [
    { path: 'labels.txt', isDeflated: true, texts: ['0 0.5 0.5 0.25 0.25\n'.repeat(51)] },
    { path: 'pieces.txt', isDeflated: true, texts: ['0 0.5 0.5 ', '0.25 0.25\n'] },
    { path: 'long.txt', isDeflated: true, texts: ['0 0.5 0.5 0.25 0.25\n'.repeat(52)] },
    { path: 'image.jpg', isDeflated: false, texts: ['0 0.5 0.5 0.25 0.25\n'.repeat(52)] },
  ];
  const zip = await openPromise(await written(entries), { lazyEntries: true });
  const methods: Record<string, number> = {};
  for await (const { fileName, compressionMethod } of zip.eachEntry()) {
    methods[fileName] = compressionMethod;
  }
  expect(methods).toEqual({ 'labels.txt': 0, 'pieces.txt': 8, 'long.txt': 8, 'image.jpg': 0 });
});

test('there may be more of them than 16 bits count', async () => {
  const entries = Array.from({ length: 65_540 }, (_, at) => ({
    path: `${at}`,
    isDeflated: false,
    texts: [`${at}`],
  }));
  const zip = await openPromise(await written(entries), { lazyEntries: true });
  expect(zip.entryCount).toBe(65_540);
  const names: string[] = [];
  for await (const { fileName } of zip.eachEntry()) names.push(fileName);
  expect(names).toEqual(entries.map(({ path }) => path));
});
