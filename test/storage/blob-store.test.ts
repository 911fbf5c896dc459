// Both blob stores before the same judge, and what only a folder can get wrong.

import { mkdir, readdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openBlobFolder } from '../../src/storage/blob-store.ts';
import { settableClock } from '../fixtures/settable-clock.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { judgeBlobStore } from './blob-suite.ts';
import { memoryBlobs } from './memory-blobs.ts';

const hello = Buffer.from('hello');
const helloHash = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const minute = 60_000;

judgeBlobStore('in memory', async (clock) => {
  const blobs = memoryBlobs(clock);
  const damage = async (hash: string, content: Uint8Array) => {
    blobs.kept.set(hash, { content, touchedMs: clock.now() });
  };
  return { blobs, damage };
});

judgeBlobStore('on a folder', async (clock) => {
  const folder = await temporaryFolder();
  const blobs = await openBlobFolder(folder, clock);
  return { blobs, damage: (hash, content) => writeFile(placeOf(folder, hash), content) };
});

describe('a blob folder', () => {
  test('has content in one level of folders, and no drafts', async () => {
    const { folder, blobs } = await openFolder();
    await blobs.put(hello);
    expect(await filesIn(folder)).toEqual([`2c/${helloHash}`]);
  });

  test.skipIf(process.platform === 'win32')('keeps others out', async () => {
    const { folder, blobs } = await openFolder();
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, 'world', { mode: 0o644 });
    const { hash } = await blobs.putFile(path);
    await blobs.put(hello);
    const paths = [folder, join(folder, '2c'), placeOf(folder, helloHash)];
    const modes = [...paths, placeOf(folder, hash)].map(async (each) => (await stat(each)).mode);
    expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([
      0o700, 0o700, 0o600, 0o600,
    ]);
  });

  test('has what an earlier Fovea kept two folders deep, once, and sweeps it', async () => {
    const { folder, blobs, clock } = await openFolder();
    await blobs.put(hello);
    await mkdir(join(folder, '2c', 'f2'));
    await rename(placeOf(folder, helloHash), join(folder, '2c', 'f2', helloHash));
    expect(await blobs.get(helloHash)).toEqual(hello);
    expect(await blobs.size(helloHash)).toBe(5);
    await blobs.put(hello);
    expect(await filesIn(folder)).toEqual([`2c/f2/${helloHash}`]);
    clock.advance(2 * minute);
    expect(await blobs.sweep(() => true, minute)).toMatchObject({ removed: 0, kept: 1 });
    expect(await blobs.sweep(() => false, minute)).toMatchObject({ removed: 1, bytesRemoved: 5 });
    expect(await blobs.has(helloHash)).toBe(false);
  });

  test('leaves no draft of content whose source fails', async () => {
    const { folder, blobs } = await openFolder();
    const failing = async function* () {
      yield hello;
      throw new Error('gone');
    };
    await expect(blobs.put(failing())).rejects.toThrow('gone');
    expect(await filesIn(folder)).toEqual([]);
  });

  test('does not write known content again', async () => {
    const { folder, blobs } = await openFolder();
    await blobs.put(hello);
    const { ino } = await stat(placeOf(folder, helloHash));
    await blobs.put(hello);
    expect((await stat(placeOf(folder, helloHash))).ino).toBe(ino);
  });

  test('removes drafts of dead processes when it opens, and spares those in the making', async () => {
    const { folder, clock } = await openFolder();
    await writeDraft(folder, 'dead', clock.now() - 61 * minute);
    await writeDraft(folder, 'alive', clock.now() - 59 * minute);
    await openBlobFolder(folder, clock);
    expect(await filesIn(folder)).toEqual(['incoming/alive']);
  });

  test('finds what a sweep took out of its place before it was killed', async () => {
    const { folder, blobs, clock } = await openFolder();
    await blobs.put(hello);
    const leaving = join(folder, 'leaving', `${helloHash}.1`);
    await rename(placeOf(folder, helloHash), leaving);
    await utimes(leaving, 0, 0);
    expect(Buffer.from(await blobs.get(helloHash)).toString()).toBe('hello');
    expect(await blobs.has(helloHash)).toBe(true);
    const reopened = await openBlobFolder(folder, clock);
    expect(await filesIn(folder)).toEqual([`2c/${helloHash}`]);
    const result = await reopened.sweep(() => false, 60 * minute);
    expect(result).toEqual({ removed: 0, bytesRemoved: 0, kept: 1 });
  });

  test('serves several processes: one sweeps what another has just put', async () => {
    const { folder, blobs, clock } = await openFolder();
    const other = await openBlobFolder(folder, clock);
    await blobs.put(hello);
    clock.advance(120 * minute);
    const putByOther = async () => {
      await other.put(hello);
      return false;
    };
    expect(await blobs.sweep(putByOther, 60 * minute)).toMatchObject({ removed: 0, kept: 1 });
    expect(Buffer.from(await other.get(helloHash)).toString()).toBe('hello');
    const sweepByOther = async () => {
      await other.sweep(() => false, 60 * minute);
      return false;
    };
    clock.advance(120 * minute);
    expect(await blobs.sweep(sweepByOther, 60 * minute)).toMatchObject({ removed: 0 });
    expect(await filesIn(folder)).toEqual([]);
  });
});

test('a sweep of a folder goes on past what cannot be removed', async () => {
  const { folder, blobs, clock } = await openFolder();
  const { hash } = await blobs.put(Buffer.from('world'));
  // A folder in place of a file.
  await mkdir(join(placeOf(folder, helloHash), 'inside'), { recursive: true });
  await utimes(placeOf(folder, helloHash), 0, 0);
  clock.advance(120 * minute);
  const result = await blobs.sweep(() => false, 60 * minute);
  expect(result).toMatchObject({ removed: 1, kept: 1, problems: { count: 1 } });
  expect(result.problems?.first).toMatchObject({ code: 'ERR_FS_EISDIR' });
  expect(await blobs.has(hash)).toBe(false);
});

async function openFolder() {
  const clock = settableClock();
  const folder = join(await temporaryFolder(), 'blobs');
  return { folder, clock, blobs: await openBlobFolder(folder, clock) };
}

async function writeDraft(folder: string, name: string, writtenMs: number): Promise<void> {
  const path = join(folder, 'incoming', name);
  await writeFile(path, 'half of it');
  await utimes(path, writtenMs / 1000, writtenMs / 1000);
}

function placeOf(folder: string, hash: string): string {
  return join(folder, hash.slice(0, 2), hash);
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
