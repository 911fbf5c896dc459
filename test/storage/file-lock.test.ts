// Locks among processes: the operating system frees those of the dead.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Lock, tryLock } from '../../src/storage/file-lock.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';
import { startChild } from './child-process.ts';

async function lockPath(): Promise<string> {
  return join(await temporaryFolder(), 'below', 'leader.lock');
}

/** Released after the test, so that its folder can go. */
function take(path: string, mode: 'exclusive' | 'shared'): Lock | undefined {
  const lock = tryLock(path, mode);
  onTestFinished(() => lock?.release());
  return lock;
}

test('one has it exclusively, and the next one once it is released', async () => {
  const path = await lockPath();
  const first = take(path, 'exclusive');
  expect(first).toBeDefined();
  expect(take(path, 'exclusive')).toBe(undefined);
  expect(take(path, 'shared')).toBe(undefined);
  first?.release();
  first?.release();
  const second = take(path, 'shared');
  const third = take(path, 'shared');
  expect([second, third]).not.toContain(undefined);
  expect(take(path, 'exclusive')).toBe(undefined);
  second?.release();
  expect(take(path, 'exclusive')).toBe(undefined);
  third?.release();
  expect(take(path, 'exclusive')).toBeDefined();
});

test.each(['exclusive', 'shared'])('%s: of a process that is killed it is free', async (mode) => {
  const path = await lockPath();
  const child = startChild('hold-lock.ts', path, mode);
  await child.says('taken');
  expect(take(path, 'exclusive')).toBe(undefined);
  await child.kill();
  expect(take(path, 'exclusive')).toBeDefined();
});

test('another process is refused while it is held', async () => {
  const path = await lockPath();
  const lock = take(path, 'shared');
  const other = startChild('hold-lock.ts', path, 'exclusive');
  await other.says('refused');
  const reader = startChild('hold-lock.ts', path, 'shared');
  await reader.says('taken');
  lock?.release();
  expect(take(path, 'exclusive')).toBe(undefined);
});

test('a file that is something else is refused, and left alone', async () => {
  const path = join(await temporaryFolder(), 'notes.txt');
  await writeFile(path, 'Not a lock, and longer than the header of a database. '.repeat(20));
  expect(() => tryLock(path, 'exclusive')).toThrow('The file is not a database');
});
