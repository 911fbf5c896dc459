// Folders that are made with all above them.

import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../src/durable-folders.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fovea-folders-'));
});

afterAll(() => rm(root, { recursive: true }));

describe('makeFolder', () => {
  test('makes all that is missing, for the owner alone', () => {
    makeFolder(join(root, 'a', 'b', 'c'));
    for (const name of ['a', 'a/b', 'a/b/c']) {
      expect(statSync(join(root, name)).mode & 0o777).toBe(0o700);
    }
  });

  test('a second time changes nothing', () => {
    makeFolder(join(root, 'a', 'b'));
    expect(existsSync(join(root, 'a', 'b', 'c'))).toBe(true);
  });

  test('a file in the way is an error', async () => {
    await writeFile(join(root, 'file'), '');
    expect(() => makeFolder(join(root, 'file'))).toThrow('EEXIST');
    expect(() => makeFolder(join(root, 'file', 'below'))).toThrow(/ENOTDIR|EEXIST/);
  });

  test.skipIf(!existsSync('/proc/self'))('a place without folders is an error at once', () => {
    expect(() => makeFolder('/proc/nothing/at/all')).toThrow('ENOENT');
  });
});
