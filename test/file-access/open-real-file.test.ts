// Files opened by real paths, whose parts are swapped for links before they are opened.

import { execFileSync } from 'node:child_process';
import {
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  checkRealFolder,
  createRealFile,
  openRealFile,
} from '../../src/file-access/open-real-file.ts';

let top: string;
let file: string;

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'fovea-real-file-')));
  await mkdir(join(top, 'inside', 'deep'), { recursive: true });
  await mkdir(join(top, 'outside', 'deep'), { recursive: true });
  file = join(top, 'inside', 'deep', 'a.txt');
  await writeFile(file, 'ours');
  await writeFile(join(top, 'outside', 'deep', 'a.txt'), 'a secret');
});

afterEach(() => rm(top, { recursive: true }));

const changes = {
  'the file': async () => {
    await rm(file);
    await symlink(join(top, 'outside', 'deep', 'a.txt'), file);
  },
  'its folder': async () => {
    await rename(join(top, 'inside', 'deep'), join(top, 'moved'));
    await symlink(join(top, 'outside', 'deep'), join(top, 'inside', 'deep'));
  },
  'a folder above': async () => {
    await rename(join(top, 'inside'), join(top, 'moved'));
    await symlink(join(top, 'outside'), join(top, 'inside'));
  },
} as const;

const whats = ['the file', 'its folder', 'a folder above'] as const;

describe('a file to read', () => {
  test('is read from its handle, whatever stands in its place later', async () => {
    const handle = await openRealFile(file);
    await changes['the file']();
    expect(await handle.readFile('utf8')).toBe('ours');
    await handle.close();
  });

  test.each(whats)('is refused where %s was swapped for a link', async (what) => {
    await changes[what]();
    await expect(openRealFile(file)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is refused where it is a folder, and not waited for where it is a pipe', async () => {
    await expect(openRealFile(join(top, 'inside'))).rejects.toMatchObject({ code: 'conflict' });
    execFileSync('mkfifo', [join(top, 'pipe')]);
    await expect(openRealFile(join(top, 'pipe'))).rejects.toMatchObject({ code: 'conflict' });
  });

  test('that is not there is an error of the disk', async () => {
    await expect(openRealFile(join(top, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('a file to write', () => {
  test('is new', async () => {
    const handle = await createRealFile(join(top, 'inside', 'new.txt'));
    await handle.writeFile('new');
    await handle.close();
    expect(await readFile(join(top, 'inside', 'new.txt'), 'utf8')).toBe('new');
    await expect(createRealFile(file)).rejects.toMatchObject({ code: 'EEXIST' });
  });

  test.each(['its folder', 'a folder above'] as const)(
    'is not left where %s was swapped for a link',
    async (what) => {
      await changes[what]();
      const path = join(top, 'inside', 'deep', 'new.txt');
      await expect(createRealFile(path)).rejects.toMatchObject({ code: 'conflict' });
      await expect(checkRealFolder(path)).rejects.toMatchObject({ code: 'conflict' });
      await expect(readFile(join(top, 'outside', 'deep', 'new.txt'))).rejects.toThrow('ENOENT');
    },
  );

  test('a link in its place is not written through', async () => {
    const path = join(top, 'inside', 'new.txt');
    await symlink(join(top, 'outside', 'new.txt'), path);
    await expect(createRealFile(path)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(readFile(join(top, 'outside', 'new.txt'))).rejects.toThrow('ENOENT');
  });
});
