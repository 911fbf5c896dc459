// The guard on real folders, links and pipes.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LeftOut, openFileRoots } from '../../src/file-access/file-roots.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'fovea-roots-')));
const root = join(top, 'data');
const roots = openFileRoots([root], top);

function write(...names: string[]): void {
  const path = join(top, ...names);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, 'x');
}

function link(target: string, ...names: string[]): void {
  symlinkSync(target, join(top, ...names));
}

beforeAll(() => {
  write('data', 'a.txt');
  write('data', 'images', 'img2.jpg');
  write('data', 'images', 'img10.JPG');
  write('data', 'images', 'deep', 'img1.png');
  write('data', 'images', 'notes.txt');
  write('data', 'odd[1].jpg');
  write('data', '[2024] {a}', 'img3.jpg');
  write('data-evil', 'secret.jpg');
  write('outside', 'secret.jpg');
  link(join(top, 'outside'), 'data', 'link-out');
  link(join(top, 'outside', 'secret.jpg'), 'data', 'images', 'leak.jpg');
  link(join(root, 'images'), 'data', 'link-in');
  link(join(top, 'nowhere'), 'data', 'dangling');
  link(join(root, 'loop'), 'data', 'loop');
  link(root, 'root-link');
  link(join(top, 'nowhere'), 'dangling');
  link(join(top, 'loop'), 'loop');
  write('data', '.hidden', 'img4.jpg');
  mkdirSync(join(root, 'links'));
  link(join(top, 'outside', 'secret.jpg'), 'data', 'links', 'leak-there.jpg');
  link(join(top, 'outside', 'missing.jpg'), 'data', 'links', 'leak-missing.jpg');
  execFileSync('mkfifo', [join(root, 'pipe')]);
});

afterAll(() => rmSync(top, { recursive: true }));

describe('readable', () => {
  test.each([
    ['a.txt', 'a.txt'],
    ['images', 'images'],
    ['images/../a.txt', 'a.txt'],
    ['link-in/img2.jpg', 'images/img2.jpg'],
    [root, ''],
    [join(root, 'a.txt'), 'a.txt'],
    [join(top, 'outside', '..', 'data', 'a.txt'), 'a.txt'],
    [join(top, 'root-link', 'a.txt'), 'a.txt'],
  ])('%s', async (path, real) => {
    expect(await roots.readable(path, 'path')).toBe(join(root, real));
  });

  test.each([
    '..',
    '../outside/secret.jpg',
    join(top, 'data-evil', 'secret.jpg'),
    '../data-evil/secret.jpg',
    'images/../../outside/secret.jpg',
    'link-out',
    'link-out/secret.jpg',
    'images/leak.jpg',
    '/',
    '/etc/passwd',
    '/etc/no-such-file',
    '../no-such-file',
    'link-out/no-such-file',
    '../dangling',
    '../loop',
    `../${'x'.repeat(300)}`,
  ])('%s lies outside', async (path) => {
    await expect(roots.readable(path, 'image')).rejects.toMatchObject({
      code: 'invalid_input',
      problems: [
        {
          path: 'image',
          message: `"${path}" lies outside the folders that tools may use (allowed: ${root})`,
        },
      ],
      hint: expect.stringContaining('FOVEA_FILE_ROOTS'),
    });
  });

  test.each([
    ['missing.jpg', 'does not exist'],
    ['a.txt/b', 'does not exist'],
    ['', 'must be a path'],
    ['a.txt\0.jpg', 'NUL'],
    ['~/a.txt', '"~" is not expanded'],
    [`file://${root}/a.txt`, 'is a URL; give a path'],
    ['https://example.com/a.jpg', 'is a URL; give a path'],
    ['pipe', 'neither a file nor a folder'],
    ['dangling', 'a link to nowhere'],
    ['loop', 'ELOOP'],
    [`${'x'.repeat(300)}`, 'ENAMETOOLONG'],
  ])('%j is refused', async (path, message) => {
    await expect(roots.readable(path, 'image')).rejects.toThrow(message);
  });

  test('a device is refused even where the root is the whole disk', async () => {
    await expect(openFileRoots(['/']).readable('/dev/zero', 'image')).rejects.toThrow(
      'neither a file nor a folder',
    );
  });

  test('a relative path counts from the working folder where that lies below a root', async () => {
    const inside = openFileRoots([root], join(root, 'images'));
    expect(await inside.readable('img2.jpg', 'image')).toBe(join(root, 'images', 'img2.jpg'));
  });

  test('without roots everything is refused', async () => {
    const none = openFileRoots([], root);
    await expect(none.readable('a.txt', 'image')).rejects.toThrow(
      'no folder is allowed: FOVEA_FILE_ROOTS names none, and the folder in which the server',
    );
    await expect(none.readable('/', 'image')).rejects.toThrow('no folder is allowed');
    await expect(none.writable(join(root, 'b.txt'), 'to')).rejects.toThrow('no folder is allowed');
  });

  test('a root that is itself a link allows what it leads to', async () => {
    const linked = openFileRoots([join(top, 'root-link')], top);
    expect(linked.roots).toEqual([root]);
    expect(await linked.readable('a.txt', 'image')).toBe(join(root, 'a.txt'));
  });
});

describe('writable', () => {
  test.each([
    ['a.txt', 'a.txt'],
    ['new.json', 'new.json'],
    ['new/folder/new.json', 'new/folder/new.json'],
    ['link-in/new.json', 'images/new.json'],
    ['link-in/more/new.json', 'images/more/new.json'],
  ])('%s', async (path, real) => {
    expect(await roots.writable(path, 'to')).toBe(join(root, real));
  });

  test('makes the folder and not the file', async () => {
    const file = await roots.writable('made/of/air.json', 'to');
    expect((await stat(join(file, '..'))).isDirectory()).toBe(true);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  test('makes a root that does not exist yet', async () => {
    const late = openFileRoots([join(top, 'late')], top);
    expect(await late.writable('x.json', 'to')).toBe(join(top, 'late', 'x.json'));
  });

  test.each([
    ['link-out/new.json', 'lies outside'],
    ['link-out/more/new.json', 'lies outside'],
    ['../new.json', 'lies outside'],
    [join(top, 'data-evil', 'new.json'), 'lies outside'],
    ['images/leak.jpg', 'lies outside'],
    ['dangling', 'a link to nowhere'],
    ['dangling/new.json', 'a link to nowhere'],
    ['images', 'is a folder'],
    ['fresh/', 'names a folder'],
    ['a.txt/new.json', 'cannot be made'],
    ['pipe', 'neither a file nor a folder'],
  ])('%s is refused', async (path, message) => {
    await expect(roots.writable(path, 'to')).rejects.toThrow(message);
    await expect(stat(join(top, 'outside', 'more'))).rejects.toThrow('ENOENT');
  });
});

describe('a path of more than 4096 characters', () => {
  const long = `/${'a/'.repeat(2_048)}`;
  const refused = {
    code: 'invalid_input',
    problems: [{ path: 'files', message: expect.stringMatching(/^has .{0,40}4096/) }],
  };

  test.each([long, `${long.slice(1)}a`, `${root}/${long}`, `${'../'.repeat(1_366)}`])(
    'is refused before it is looked for: %#',
    async (path) => {
      await expect(roots.readable(path, 'files')).rejects.toMatchObject(refused);
      await expect(roots.writable(path, 'files')).rejects.toMatchObject(refused);
      await expect(roots.expand([path], 'files')).rejects.toMatchObject(refused);
    },
  );

  test('is one too long: a shorter one is looked for', async () => {
    const path = 'a/'.repeat(2_048);
    await expect(roots.readable(path, 'files')).rejects.toThrow('does not exist');
    const { hint } = await roots.readable('none.jpg', 'files').catch(Object);
    expect(hint).toMatch(/^Relative paths count from ".+"\.$/);
  });
});

describe('expand', () => {
  const extensions = ['.jpg', '.png'];

  test.each([
    ['images', ['images/deep/img1.png', 'images/img2.jpg', 'images/img10.JPG']],
    ['images/*.jpg', ['images/img2.jpg']],
    ['images/*.{jpg,JPG}', ['images/img2.jpg', 'images/img10.JPG']],
    ['images/**/*', ['images/deep/img1.png', 'images/img2.jpg', 'images/img10.JPG']],
    ['link-in/img?.jpg', ['images/img2.jpg']],
    ['images/img2.jpg', ['images/img2.jpg']],
    ['odd[1].jpg', ['odd[1].jpg']],
    ['[2024] {a}', ['[2024] {a}/img3.jpg']],
    ['[2024] {a}/*.jpg', ['[2024] {a}/img3.jpg']],
    [join(root, 'images', 'deep', '*'), ['images/deep/img1.png']],
  ])('%s', async (pattern, files) => {
    const found = await roots.expand([pattern], 'images', { extensions });
    expect(found).toEqual(files.map((file) => join(root, file)));
  });

  test.each([
    ['images/img{2,10}.{jpg,JPG}', ['images/img2.jpg', 'images/img10.JPG']],
    ['images/img{1..3}.jpg', ['images/img2.jpg']],
    ['{images,images/deep}/*.{jpg,png}', ['images/deep/img1.png', 'images/img2.jpg']],
    ['images/img[0-9].jpg', ['images/img2.jpg']],
    ['images/img[!a-z]*', ['images/img2.jpg', 'images/img10.JPG']],
    ['i*/d??p/*', ['images/deep/img1.png']],
    ['**/deep/**', ['images/deep/img1.png']],
    ['**/**/**/**/img1.png', ['images/deep/img1.png']],
    ['link-*/img2.jpg', ['images/img2.jpg']],
    ['{,images/}img2.jpg', ['images/img2.jpg']],
    ['.hid*/*', ['.hidden/img4.jpg']],
  ])('%s stands for its files alone', async (pattern, files) => {
    const found = await roots.expand([pattern], 'images', { extensions });
    expect(found).toEqual(files.map((file) => join(root, file)));
  });

  test('a folder has its hidden files too, and a wildcard has not', async () => {
    const all = await roots.expand([root], 'images', { extensions: ['.jpg'] });
    expect(all).toContain(join(root, '.hidden', 'img4.jpg'));
    const wild = await roots.expand(['**/*.jpg'], 'images', { extensions: ['.jpg'] });
    expect(wild).not.toContain(join(root, '.hidden', 'img4.jpg'));
  });

  // `outside` and `data-evil` lie beside the root, `missing` does not.
  test.each([
    ['[.][.]/NAME/*', 'stands for no file'],
    ['?[.]/NAME/*', 'stands for no file'],
    ['.?/NAME/*', 'stands for no file'],
    ['{..,x}/NAME/*', 'must not have ".." after a wildcard'],
    ['{.,x}./NAME/*', 'must not have ".." after a wildcard'],
    ['**/../../NAME/*', 'must not have ".." after a wildcard'],
    ['*/{..,x}/../../NAME/*', 'must not have ".." after a wildcard'],
    ['@(..)/NAME/*', 'the folder of "GIVEN" does not exist'],
    ['?(..)/NAME/*', 'write {a,b}'],
    ['*(.)/NAME/*', 'write {a,b}'],
    [`{${top}/NAME,x}/*`, 'must not have a "/" first in a brace'],
    ['link-out/[s]*', 'lies outside'],
  ])('%s tells nothing of what lies outside', async (pattern, reason) => {
    for (const extension of ['.jpg', '.gif']) {
      const answers = ['outside', 'data-evil', 'missing'].map(async (name) => {
        const given = pattern.replace('NAME', name);
        const options = { extensions: [extension] };
        const error: Error = await roots.expand([given], 'images', options).then(
          () => new Error('was taken'),
          (thrown: Error) => thrown,
        );
        return error.message.replace(given, 'GIVEN');
      });
      const [first, ...others] = await Promise.all(answers);
      expect(first).toContain(reason);
      expect(others).toEqual([first, first]);
    }
  });

  test('a link to what is outside and one to what is nowhere are one', async () => {
    const outcomes = ['leak-there', 'leak-missing'].map(async (name) => {
      const counts: number[] = [];
      const onLeftOut = ({ outside }: LeftOut) => counts.push(outside);
      const found = await roots.expand([`links/${name}*`], 'images', { extensions, onLeftOut });
      return { found, counts };
    });
    const nothing = { found: [], counts: [1] };
    expect(await Promise.all(outcomes)).toEqual([nothing, nothing]);
  });

  test.each([
    ['*/img2.jpg', 'link-out'],
    ['*/secret.jpg', 'link-out'],
    ['**/secret.jpg', 'link-out'],
  ])('%s is not looked for behind a link that leads outside', async (pattern) => {
    const found = await roots.expand([pattern], 'images').catch(() => []);
    expect(found.filter((path) => path.includes('secret'))).toEqual([]);
  });

  test.each([
    ['twelve braces', '{a,b}'.repeat(12), 'has braces for more than 100 patterns'],
    ['a brace in a brace', `${'{a,'.repeat(200)}x${'}'.repeat(200)}`, 'for more than 100 patterns'],
    ['a long range', '{1..999999999}', 'has braces for more than 100 patterns'],
    ['a long pattern', `*${'x'.repeat(5_000)}`, 'has more than 4096 characters'],
    ['a deep pattern', `*${'/x'.repeat(100)}`, 'goes deeper than 64 folders'],
  ])('%s is refused before it is looked for', async (_case, pattern, message) => {
    await expect(roots.expand([pattern], 'images')).rejects.toMatchObject({
      code: 'invalid_input',
      problems: [{ path: 'images', message: expect.stringContaining(message) }],
    });
  });

  test('stars are held against a long name in few steps', async () => {
    const pattern = `images/${'*a'.repeat(120)}*.jpg`;
    write('data', 'long', `${'a'.repeat(119)}b.jpg`);
    await expect(roots.expand([`long/${'*a'.repeat(120)}*`], 'images')).rejects.toThrow(
      'stands for no file',
    );
    await expect(roots.expand([pattern], 'images')).rejects.toThrow('stands for no file');
  });

  test('gives each file once, over all patterns', async () => {
    const found = await roots.expand(['images/*.jpg', 'images/img2.jpg', 'link-in'], 'images', {
      extensions: ['.jpg'],
    });
    expect(found).toEqual([join(root, 'images/img2.jpg'), join(root, 'images/img10.JPG')]);
  });

  test('names folders behind links, and files by the links that lead to them', async () => {
    write('data', 'pool/a.jpg');
    write('data', 'pool/b.jpg');
    write('data', 'set/plain.jpg');
    symlinkSync(join(root, 'pool'), join(root, 'set/valid'));
    symlinkSync(join(root, 'pool/b.jpg'), join(root, 'set/first.jpg'));
    const left: LeftOut[] = [];
    const options = { extensions, onLeftOut: (told: LeftOut) => left.push(told) };
    expect(await roots.find(['set'], 'images', options)).toEqual([
      { path: join(root, 'set/first.jpg'), real: join(root, 'pool/b.jpg') },
      { path: join(root, 'set/plain.jpg'), real: join(root, 'set/plain.jpg') },
    ]);
    expect(left).toEqual([{ outside: 0, linkedFolders: [join(root, 'set/valid')] }]);
    await roots.find(['set/**/*.jpg'], 'images', options);
    expect(left[1]).toEqual(left[0]);
    expect(await roots.find(['set/valid'], 'images', options)).toEqual([
      { path: join(root, 'set/valid/a.jpg'), real: join(root, 'pool/a.jpg') },
      { path: join(root, 'set/valid/b.jpg'), real: join(root, 'pool/b.jpg') },
    ]);
    write('data', 'only/readme.md');
    symlinkSync(join(root, 'pool'), join(root, 'only/valid'));
    await expect(roots.find(['only'], 'images', options)).rejects.toThrow(
      `folders behind links are not looked into: name them, such as "${join(root, 'only/valid')}"`,
    );
  });

  test('counts what a link leads outside', async () => {
    const counts: number[] = [];
    const onLeftOut = ({ outside }: LeftOut) => counts.push(outside);
    await roots.expand(['images'], 'images', { extensions, onLeftOut });
    expect(counts).toEqual([1]);
    await roots.expand(['images/**/*.jpg'], 'images', { extensions, onLeftOut });
    expect(counts).toEqual([1, 1]);
  });

  test.each([
    ['../*.jpg', 'lies outside'],
    ['/etc/*', 'lies outside'],
    ['link-out/*', 'lies outside'],
    ['*/../missing/*.jpg', 'must not have ".." after a wildcard'],
    ['images/*.gif', 'stands for no file ending in .jpg, .png'],
    ['missing/*.jpg', 'does not exist'],
    ['a.txt', 'stands for no file ending in .jpg, .png'],
    ['missing.jpg', 'does not exist'],
  ])('%s is refused', async (pattern, message) => {
    await expect(roots.expand(['images', pattern], 'images', { extensions })).rejects.toThrow(
      /^images\[1\]: /,
    );
    await expect(roots.expand([pattern], 'images', { extensions })).rejects.toThrow(message);
  });
});
