// What an archive may expand to, by the bytes that really come out of it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openZip } from '../../../src/platform/zip-import/open-zip.ts';
import { openFileFolder } from '../../../src/storage/file-store.ts';
import { zipOf } from './zip-files.ts';

const id = '01a2011c-0b78-7a22-b2e2-8f0bc7d9e528';
const bounds = { filesMax: 10, expandedBytesMax: 1_000, textBytesMax: 500 };

async function open(zip: Uint8Array, signal = new AbortController().signal) {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-open-zip-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const files = await openFileFolder(folder);
  await files.write(id, zip);
  return openZip(files, id, signal, bounds);
}

function entries(count: number, bytes: number, statedBytes = bytes) {
  const content = Buffer.alloc(bytes);
  return Array.from({ length: count }, (_, n) => ({
    name: `${n}.bin`,
    content,
    method: 8,
    statedBytes,
  }));
}

it('ends when all files together are too large, though each is not and says to be small', async () => {
  const zip = await open(zipOf(entries(3, 400, 1)));
  const options = { bytesMax: 400 };
  const problem = 'its bytes are not those that the archive promises';
  for (const entry of zip.entries.slice(0, 2)) {
    await expect(zip.read(entry, options)).rejects.toMatchObject({ message: problem });
  }
  await expect(zip.read(zip.entries[2] ?? fail(), options)).rejects.toMatchObject({
    name: 'FoveaError',
    code: 'too_large',
    message: 'The files of the zip file expand to more than 1000 bytes.',
  });
});

it('has a smaller bound for text, which takes longer to be read', async () => {
  const zip = await open(zipOf(entries(2, 300)));
  const options = { bytesMax: 400, isText: true };
  const [first = fail(), second = fail()] = zip.entries;
  expect(await zip.read(first, options)).toHaveLength(300);
  await expect(zip.read(second, options)).rejects.toMatchObject({
    message: 'The annotation files of the zip file expand to more than 500 bytes.',
  });
  expect(await zip.read(second, { bytesMax: 400 })).toHaveLength(300);
});

it('gives up when its work is taken away', async () => {
  const stop = new AbortController();
  const zip = await open(zipOf(entries(1, 300)), stop.signal);
  stop.abort(new Error('taken away'));
  await expect(zip.read(zip.entries[0] ?? fail(), { bytesMax: 400 })).rejects.toThrow();
});

it('reads files of no bytes, stored and deflated', async () => {
  const zip = await open(
    zipOf([
      { name: 'a', content: '' },
      { name: 'b', content: '', method: 8 },
    ]),
  );
  for (const entry of zip.entries) {
    expect(await zip.read(entry, { bytesMax: 1 })).toHaveLength(0);
  }
  expect(zip.entries).toHaveLength(2);
});

it('reads more entries than fit into one look at the list of its files', async () => {
  const files = Array.from({ length: 9 }, (_, n) => ({
    name: `${String(n).repeat(900)}/${n}`,
    content: Buffer.alloc(20_000, n),
  }));
  const zip = await open(zipOf(files));
  const last = zip.entries.at(-1) ?? fail();
  expect(last.path.endsWith('8/8')).toBe(true);
  await expect(zip.read(last, { bytesMax: 30_000 })).rejects.toMatchObject({ code: 'too_large' });
});

it('refuses a list with more than 4,096 bytes of extra fields for one file', async () => {
  const file = { name: 'a', content: 'x' };
  expect((await open(zipOf([{ ...file, extraBytes: 4_096 }]))).entries).toHaveLength(1);
  for (const extraBytes of [4_100, 64_000]) {
    await expect(open(zipOf([{ ...file, extraBytes }]))).rejects.toMatchObject({
      name: 'FoveaError',
      code: 'invalid_input',
    });
  }
});

function fail(): never {
  throw new Error('no such entry');
}
