// Objects of a store that gives some of them and refuses others.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openObjects } from '../../../src/platform/zip-import/open-objects.ts';

const never = new AbortController().signal;
const keys = ['archived.png', 'a.png', 'A.PNG', 'folder/', '.DS_Store', 'gone.png'];

/** A store with the keys above, of which it gives one. */
async function place() {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a-key');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'a-secret');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const refused = (code: string) => `<Error><Code>${code}</Code><Message>no</Message></Error>`;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store');
    if (searchParams.has('list-type')) {
      const contents = keys.map((key) => `<Contents><Key>in/${key}</Key><Size>3</Size></Contents>`);
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
    prefix: 'in/',
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
