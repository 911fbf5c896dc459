// Files in the making: what dead processes left is removed, what others write is not.

import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { openTemporaryFiles } from '../../../src/platform/background-tasks/temporary-files.ts';

async function openFolder(): Promise<string> {
  const above = await mkdtemp(join(tmpdir(), 'fovea-scratch-'));
  onTestFinished(() => rm(above, { recursive: true, force: true }));
  return join(above, 'scratch');
}

it('removes what nobody has written to for an hour', async () => {
  const folder = await openFolder();
  await mkdir(folder);
  await writeFile(join(folder, 'dead'), 'half');
  await writeFile(join(folder, 'alive'), 'half');
  const hourAgo = systemClock.now() / 1000 - 3_601;
  await utimes(join(folder, 'dead'), hourAgo, hourAgo);
  await openTemporaryFiles(folder, systemClock);
  expect(await readdir(folder)).toEqual(['alive']);
});

it('gives everybody a file of their own, and removes it whatever happens', async () => {
  const folder = await openFolder();
  const temporaryFiles = await openTemporaryFiles(folder, systemClock);
  const kept = await temporaryFiles.withFile(async (path) => {
    await writeFile(path, 'mine');
    await temporaryFiles.withFile((other) => writeFile(other, 'another'));
    return readdir(folder);
  });
  expect(kept).toHaveLength(1);
  const failing = temporaryFiles.withFile(async (path) => {
    await writeFile(path, 'half');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await readdir(folder)).toEqual([]);
});

it('keeps a shared folder for the next attempt until it is forgotten', async () => {
  const folder = await openFolder();
  const temporaryFiles = await openTemporaryFiles(folder, systemClock);
  const failing = temporaryFiles.withShared('training-1', async (shared) => {
    await writeFile(join(shared, 'kept'), 'so far');
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await temporaryFiles.withShared('training-1', (shared) => readdir(shared))).toEqual([
    'kept',
  ]);
  await temporaryFiles.forget('training-1');
  expect(await readdir(folder)).toEqual([]);
});
