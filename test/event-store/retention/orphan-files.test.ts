// Files without a row: which are removed, and when nothing is.

import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newFileId } from '../../../src/event-store/ids.ts';
import { limits } from '../../../src/limits.ts';
import { tryLock } from '../../../src/storage/file-lock.ts';
import { openFileFolder } from '../../../src/storage/file-store.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { listed, openTestStore, patiently, secondMs, testClock } from './test-store.ts';

const content = new Uint8Array(100);

describe('the sweep of strays', () => {
  test('removes all files without a row that are older than a start alone', async () => {
    const first = await openTestStore();
    await first.create({ images: [content, content] });
    const kept = await listed(first.files);
    for (let count = 0; count < 120; count += 1) {
      await first.files.write(newFileId(first.clock), content);
    }
    await first.close();
    first.clock.advance(secondMs);
    const second = await openTestStore({ data: first.data, clock: first.clock });
    await expect.poll(() => listed(second.files), patiently).toEqual(kept);
    expect(second.logLines.some((line) => line.includes('files=120'))).toBe(true);
    expect(second.retention.health()).toEqual([]);
  });

  test('leaves files that are younger than the start: their rows are to come', async () => {
    const { files, store, clock, data, close } = await openTestStore();
    await close();
    const id = newFileId(clock);
    const folder = await openFileFolder(join(data, 'files'));
    await folder.write(id, content);
    const again = await openTestStore({ data, clock });
    await again.retention.cleanNow();
    await again.close();
    expect(await listed(files)).toEqual([id]);
    void store;
  });

  test('clears half-written files at a start alone', async () => {
    const data = await temporaryFolder();
    await mkdir(join(data, 'files/incoming'), { recursive: true });
    await writeFile(join(data, 'files/incoming/half'), content);
    const { close } = await openTestStore({ data });
    await close();
    await expect(rm(join(data, 'files/incoming/half'))).rejects.toThrow('ENOENT');
  });

  test('leaves young files and half-written ones where another process lives', async () => {
    const data = await temporaryFolder();
    const clock = testClock();
    const other = tryLock(join(data, 'presence.lock'), 'shared');
    const folder = await openFileFolder(join(data, 'files'));
    const id = newFileId(clock);
    await folder.write(id, content);
    await writeFile(join(data, 'files/incoming/half'), content);
    clock.advance(secondMs);
    const { files, retention, close } = await openTestStore({ data, clock });
    await retention.cleanNow();
    await close();
    expect(await listed(files)).toEqual([id]);
    await rm(join(data, 'files/incoming/half'));
    other?.release();
  });

  test('takes no file for old that may belong to a running upload', () => {
    expect(limits.orphanAgeMsMin).toBeGreaterThan(limits.uploadMsMax);
  });

  test('removes nothing where most files are gone, and says why', async () => {
    const first = await openTestStore();
    for (let count = 0; count < 5; count += 1) await first.create({ images: [content] });
    await first.files.write(newFileId(first.clock), content);
    await first.close();
    first.clock.advance(1_000 * 24 * 60 * 60 * secondMs);
    await rename(join(first.data, 'files'), join(first.data, 'elsewhere'));
    const second = await openTestStore({ data: first.data, clock: first.clock });
    const stray = newFileId(testClock());
    await second.files.write(stray, content);
    await second.retention.cleanNow();
    expect(second.retention.health()).toEqual([
      'Of 5 files that were looked for, 5 are gone: is the disk of the files mounted?',
    ]);
    expect(await second.ids()).toHaveLength(5);
    expect(await listed(second.files)).toEqual([stray]);
  });

  test('removes nothing where the database is new and the files are not', async () => {
    const data = await temporaryFolder();
    const clock = testClock();
    const folder = await openFileFolder(join(data, 'files'));
    for (let count = 0; count < 101; count += 1) await folder.write(newFileId(clock), content);
    clock.advance(secondMs);
    const { files, retention } = await openTestStore({ data, clock });
    await retention.cleanNow();
    expect(retention.health()).toEqual([
      'There are many files, and the database is new: is it the right one?',
    ]);
    expect(await listed(files)).toHaveLength(101);
  });
});
