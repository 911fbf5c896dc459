// Objects of a store that gives some of them and refuses others.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openObjects } from '../../../src/platform/zip-import/open-objects.ts';

const never = new AbortController().signal;
const usual = ['archived.png', 'a.png', 'A.PNG', 'folder/', '.DS_Store', 'gone.png'];

/** A store with these keys below `in/`, which gives those that end in `a.png`. */
async function place(keys: readonly string[] = usual, prefix = 'in/') {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a-key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const refused = (code: string) => `<Error><Code>${code}</Code><Message>no</Message></Error>`;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store');
    if (searchParams.has('list-type')) {
      const asked = searchParams.get('prefix') ?? '';
      const contents = keys
        .map((key) => `in/${key}`)
        .filter((key) => key.startsWith(asked))
        .map((key) => `<Contents><Key>${key}</Key><Size>3</Size></Contents>`);
      response.end(`<ListBucketResult>${contents.join('')}</ListBucketResult>`);
    } else if (pathname.endsWith('/a.png')) response.end('abc');
    else if (pathname.endsWith('/gone.png')) response.writeHead(404).end(refused('NoSuchKey'));
    else response.writeHead(403).end(refused('InvalidObjectState'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = Object(server.address());
  const endpoint = `http://127.0.0.1:${port}`;
  return {
    bucket: 'archive',
    prefix,
    endpoint,
    region: undefined,
    downloads: 'stream' as const,
  };
}

test('lists what may be read, and names what may not', async () => {
  const source = await openObjects(await place(), never);
  expect(source.entries).toEqual([
    { path: 'archived.png', statedBytes: 3 },
    { path: 'a.png', statedBytes: 3 },
    { path: 'gone.png', statedBytes: 3 },
  ]);
  expect(source.refused).toEqual([
    { shownPath: 'A.PNG', problem: 'another file of the prefix has the same name' },
  ]);
});

test('reads one after the other, and a refused one is no end', async () => {
  const source = await openObjects(await place(), never);
  const read = (path: string, bytesMax = 10) =>
    source.read({ path, statedBytes: 3 }, { bytesMax }).then(String);
  await expect(read('archived.png')).rejects.toMatchObject({
    code: 'invalid_input',
    message: expect.stringMatching(/^could not be read: /),
  });
  await expect(read('gone.png')).rejects.toMatchObject({ message: 'is not there any more' });
  await expect(read('a.png', 2)).rejects.toMatchObject({ code: 'too_large' });
  expect(await read('a.png')).toBe('abc');
});

test('counts objects before it reads any', async () => {
  await expect(openObjects(await place(), never, 3)).rejects.toMatchObject({
    code: 'invalid_input',
    message: 's3://archive/in/ has more objects; at most 3 are taken at a time.',
  });
});

test('says of hidden files and of parts of dots that they are not taken', async () => {
  const odd = ['..png', '.hidden.png', './dot.png', '../up.png', '../../etc/evil.png', '.x/in.png'];
  const left = ['._a.png', '.gitignore', '__MACOSX/a.png'];
  const { entries, refused } = await openObjects(await place([...odd, ...left, 'a.png']), never);
  expect(entries.map(({ path }) => path)).toEqual(['a.png']);
  expect(refused.map(({ shownPath }) => shownPath)).toEqual(odd);
  expect(refused[1]?.problem).toContain('begins with a dot');
  expect(refused[2]?.problem).toContain('has a part of dots');
});

test('takes keys that begin with a slash, which are no absolute paths', async () => {
  const source = await openObjects(await place(['/a.png']), never);
  const [entry = { path: '', statedBytes: 0 }] = source.entries;
  expect(entry.path).toBe('a.png');
  expect(String(await source.read(entry, { bytesMax: 10 }))).toBe('abc');
});

test('takes a single object, and says where there is none', async () => {
  const source = await openObjects(
    await place(['sub/a.png', 'sub/a.png2'], 'in/sub/a.png/'),
    never,
  );
  expect(source.entries).toEqual([{ path: 'a.png', statedBytes: 3 }]);
  const none = openObjects(await place(['sub/a.png'], 'in/sub/a/'), never);
  await expect(none).rejects.toMatchObject({
    message: 'There is no object below s3://archive/in/sub/a/, and none of that name.',
  });
});
