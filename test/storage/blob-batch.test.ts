// Many contents that come into a blob folder at once.

import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BlobBatch } from '../../src/storage/blob-batch.ts';
import { openBlobFolder } from '../../src/storage/blob-store.ts';
import { HashedBytes } from '../../src/storage/content-hash.ts';
import { settableClock } from '../fixtures/settable-clock.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const minute = 60_000;
const hello = new HashedBytes(Buffer.from('hello'));
const world = new HashedBytes(Buffer.from('world'));

async function openFolder() {
  const clock = settableClock();
  const folder = join(await temporaryFolder(), 'blobs');
  const blobs = await openBlobFolder(folder, clock);
  return { folder, blobs, clock, batch: new BlobBatch(folder) };
}

function drafts(folder: string): Promise<readonly string[]> {
  return readdir(join(folder, 'incoming'));
}

test('is there after its end, once, for its owner alone and young', async () => {
  const { folder, blobs, clock, batch } = await openFolder();
  for (const content of [hello, world, hello]) batch.add(content, clock.now());
  expect(await blobs.has(hello.hash)).toBe(false);
  await batch.end();
  expect(Buffer.from(await blobs.get(hello.hash)).toString()).toBe('hello');
  expect(Buffer.from(await blobs.get(world.hash)).toString()).toBe('world');
  expect(await drafts(folder)).toEqual([]);
  const { mode, mtimeMs } = await stat(join(folder, '2c', hello.hash));
  if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o600);
  expect(Math.round(mtimeMs)).toBe(clock.now());
});

test('takes the next ones after its end', async () => {
  const { blobs, clock, batch } = await openFolder();
  batch.add(hello, clock.now());
  await batch.end();
  batch.add(world, clock.now());
  await batch.end();
  expect(await blobs.sweep(() => true, 0)).toMatchObject({ kept: 2 });
});

test('does not write what is there, and makes it young again', async () => {
  const { folder, blobs, clock, batch } = await openFolder();
  await blobs.put(hello.bytes);
  await blobs.put(world.bytes);
  await mkdir(join(folder, '2c', 'f2'));
  const earlier = join(folder, '2c', 'f2', hello.hash);
  await rename(join(folder, '2c', hello.hash), earlier);
  const { ino } = await stat(earlier);
  clock.advance(120 * minute);
  batch.add(hello, clock.now());
  await batch.end();
  expect((await stat(earlier)).ino).toBe(ino);
  expect(await blobs.sweep(() => false, 60 * minute)).toMatchObject({ removed: 1, kept: 1 });
  expect(await blobs.has(hello.hash)).toBe(true);
});

test.each(['damaged', 'hellO'])('replaces what is damaged: "%s"', async (content) => {
  const { folder, blobs, clock, batch } = await openFolder();
  const damaged = new HashedBytes(Buffer.from(content));
  await blobs.put(damaged.bytes);
  await mkdir(join(folder, '2c'), { recursive: true });
  const from = join(folder, damaged.hash.slice(0, 2), damaged.hash);
  await rename(from, join(folder, '2c', hello.hash));
  batch.add(hello, clock.now());
  await batch.end();
  expect(Buffer.from(await blobs.get(hello.hash)).toString()).toBe('hello');
});

test('that is discarded leaves nothing', async () => {
  const { folder, blobs, clock, batch } = await openFolder();
  batch.add(hello, clock.now());
  batch.discard();
  await batch.end();
  expect(await drafts(folder)).toEqual([]);
  expect(await blobs.has(hello.hash)).toBe(false);
});

test('whose place cannot be made is discarded', async () => {
  const { folder, blobs, clock, batch } = await openFolder();
  await writeFile(join(folder, '2c'), 'a file');
  for (const content of [hello, world]) batch.add(content, clock.now());
  await expect(batch.end()).rejects.toThrow('2c');
  batch.discard();
  expect(await drafts(folder)).toEqual([]);
  expect(await blobs.has(world.hash)).toBe(false);
});
