// Both file stores before the same judge, and what only a folder can get wrong.

import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSharedSync } from '../../src/durable-folders.ts';
import { openFileFolder } from '../../src/storage/file-store.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { hello, ids, idsOf, judgeFileStore, pieces } from './file-store-suite.ts';
import { memoryFiles } from './memory-files.ts';

const isRoot = process.getuid?.() === 0;

judgeFileStore('in memory', async () => memoryFiles());
judgeFileStore('on a folder', async () => openFileFolder(await temporaryFolder()));

describe('a file folder', () => {
  test('has files by the time in their ids, and nothing else', async () => {
    const { folder, files } = await openFolder();
    await files.write(ids.first, hello);
    await files.write(ids.later, pieces('hello'));
    expect(await filesIn(folder)).toEqual([
      '.fovea-files',
      `01934/01934abc/${ids.first}`,
      `01934/01934fff/${ids.later}`,
    ]);
  });

  test('says what a file takes on the disk', async () => {
    const { folder, files } = await openFolder();
    const { diskBytes } = await files.write(ids.first, Buffer.alloc(100_000, 'x'));
    const { blocks } = await stat(join(folder, '01934', '01934abc', ids.first));
    expect(diskBytes).toBe(blocks * 512);
    expect(diskBytes).toBeGreaterThanOrEqual(100_000);
  });

  test('has no folders without files', async () => {
    const { folder, files } = await openFolder();
    for (const id of Object.values(ids)) await files.write(id, hello);
    await files.remove([ids.first]);
    expect(await readdir(join(folder, '01934'))).toEqual(['01934abc', '01934fff']);
    await files.remove([ids.second, ids.later]);
    expect((await readdir(folder)).sort()).toEqual(['.fovea-files', 'incoming']);
  });

  test.skipIf(process.platform === 'win32')('keeps others out', async () => {
    const { folder, files } = await openFolder();
    await files.write(ids.first, hello);
    const path = join(folder, '01934', '01934abc');
    const modes = [folder, path, join(path, ids.first)].map(async (each) => stat(each));
    expect((await Promise.all(modes)).map(({ mode }) => mode & 0o777)).toEqual([
      0o700, 0o700, 0o600,
    ]);
  });

  test('leaves nothing of content whose source fails', async () => {
    const { folder, files } = await openFolder();
    const failing = async function* () {
      yield Buffer.alloc(2_000_000);
      throw new Error('gone');
    };
    await expect(files.write(ids.first, failing())).rejects.toThrow('gone');
    expect(await filesIn(folder)).toEqual(['.fovea-files']);
  });

  test('leaves alone the folder that another file is about to come to, where a source fails', async () => {
    const { folder, files } = await openFolder();
    const place = join(folder, '01934', '01934abc');
    await mkdir(place, { recursive: true });
    const failing = async function* () {
      yield Buffer.from('hel');
      throw new Error('no more');
    };
    await expect(files.write(ids.first, failing())).rejects.toThrow('no more');
    expect((await stat(place)).isDirectory()).toBe(true);
  });

  test('leaves nothing of a file that cannot get its place', async () => {
    const { folder, files } = await openFolder();
    await writeFile(join(folder, '01934'), 'a file where a folder must be');
    await expect(files.write(ids.first, hello)).rejects.toMatchObject({
      code: 'internal',
      message: 'The disk of the files failed.',
    });
    expect(await filesIn(folder)).toEqual(['.fovea-files', '01934']);
  });

  test('clears what dead processes left half written', async () => {
    const { folder, files } = await openFolder();
    await files.write(ids.first, hello);
    await writeFile(join(folder, 'incoming', ids.second), 'hal');
    expect(await idsOf(files)).toEqual([ids.first]);
    expect(await files.clearUnfinished()).toBe(1);
    expect(await files.clearUnfinished()).toBe(0);
    expect(await filesIn(folder)).toEqual(['.fovea-files', `01934/01934abc/${ids.first}`]);
  });

  test('serves several processes: one removes the folder that another has just used', async () => {
    const { folder, files } = await openFolder();
    const other = await openFileFolder(folder, { expected: true });
    for (let round = 0; round < 20; round += 1) {
      await files.write(ids.first, hello);
      await Promise.all([other.remove([ids.first]), files.write(ids.second, hello)]);
      expect(await idsOf(other)).toEqual([ids.second]);
      await other.remove([ids.second]);
    }
  });

  test('finds nothing but files of its own', async () => {
    const { folder, files } = await openFolder();
    await files.write(ids.first, hello);
    await mkdir(join(folder, 'lost+found'));
    await writeFile(join(folder, 'note.txt'), 'by hand');
    await writeFile(join(folder, '01934', 'note.txt'), 'by hand');
    expect(await idsOf(files)).toEqual([ids.first]);
  });
});

describe('a file folder that was used before', () => {
  const missing = {
    code: 'internal',
    message: 'The folder of the files is not there, or not the right one.',
  };

  test('opens again', async () => {
    const { folder, files } = await openFolder();
    await files.write(ids.first, hello);
    const again = await openFileFolder(folder, { expected: true });
    expect(Buffer.from(await again.read(ids.first)).toString()).toBe('hello');
  });

  test('is not made anew when its disk is not mounted', async () => {
    const { folder } = await openFolder();
    await rename(folder, `${folder}-unmounted`);
    await expect(openFileFolder(folder, { expected: true })).rejects.toMatchObject(missing);
    await mkdir(folder);
    await expect(openFileFolder(folder, { expected: true })).rejects.toMatchObject(missing);
    expect(await readdir(folder)).toEqual([]);
    await rm(`${folder}-unmounted`, { recursive: true });
  });

  test.skipIf(isRoot || process.platform === 'win32')('says so when it cannot write', async () => {
    const { folder, files } = await openFolder();
    await chmod(join(folder, 'incoming'), 0o500);
    await expect(files.write(ids.first, hello)).rejects.toMatchObject({ code: 'internal' });
    await chmod(join(folder, 'incoming'), 0o700);
  });
});

describe('a shared sync', () => {
  test('is one for all who come while another runs, and begins after the last of them', async () => {
    const { sync, calls, finish } = heldSync();
    const shared = createSharedSync(sync);
    const first = shared('a');
    await finish();
    await first;
    const running = shared('a');
    await Promise.resolve();
    await Promise.resolve();
    expect(calls).toEqual(['a', 'a']);
    const waiting = [shared('a'), shared('a'), shared('a')];
    expect(calls).toEqual(['a', 'a']);
    await finish();
    await running;
    await finish();
    await Promise.all(waiting);
    expect(calls).toEqual(['a', 'a', 'a']);
  });

  test('does not make one folder wait for another', async () => {
    const { sync, calls, finish } = heldSync();
    const shared = createSharedSync(sync);
    const both = [shared('a'), shared('b')];
    await finish();
    await Promise.all(both);
    expect(calls).toEqual(['a', 'b']);
  });

  test('fails for all who shared it, and for nobody after them', async () => {
    let fails = true;
    const shared = createSharedSync(async () => {
      if (fails) throw new Error('input/output error');
    });
    const both = await Promise.allSettled([shared('a'), shared('a')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    await shared('a');
  });
});

/** A sync that runs until it is told to finish. */
function heldSync() {
  const calls: string[] = [];
  let held: (() => void)[] = [];
  const sync = (folder: string) => {
    calls.push(folder);
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push(resolve);
    return promise;
  };
  /** Finishes all that run by now. */
  const finish = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    for (const resolve of held) resolve();
    held = [];
  };
  return { calls, sync, finish };
}

async function openFolder() {
  const folder = join(await temporaryFolder(), 'files');
  return { folder, files: await openFileFolder(folder) };
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
