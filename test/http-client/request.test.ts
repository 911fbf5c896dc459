// What goes over the wire for an operation and its arguments.

import { rmSync, symlinkSync, truncateSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Client } from '../../src/http-client/client.ts';
import { Secret } from '../../src/secret.ts';
import {
  json,
  type MisbehavingServer,
  type Step,
  startHastyServer,
  startMisbehavingServer,
} from '../fixtures/scripted-http-server.ts';
import {
  addThing,
  apiKey,
  clientOf,
  errorOf,
  inThing,
  readEvent,
  readThing,
  readVersion,
  readVideo,
  uploadThing,
} from './test-operations.ts';

const opened: (MisbehavingServer | Client)[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function start(...steps: Step[]) {
  const server = await startMisbehavingServer(...steps);
  const client = clientOf(server.url);
  opened.push(server, client);
  return { server, client };
}

const good = json(200, { name: 'cells' });

test('a read goes out as GET with a Bearer credential and asks for plain JSON', async () => {
  const { server, client } = await start(good);
  const reply = await client.call(readThing, inThing);
  expect(reply).toEqual({ status: 200, body: { name: 'cells' }, ageMs: 0 });
  const [request] = server.seen;
  expect(request?.method).toBe('GET');
  expect(request?.url).toBe('/acme/cells');
  expect(request?.headers.authorization).toBe(`Bearer ${apiKey}`);
  expect(request?.headers['accept-encoding']).toBe('identity');
  expect(request?.headers.accept).toBe('application/json');
});

test('the base path of a service stands before the path of the operation', async () => {
  const { server } = await start(good);
  const client = clientOf(`${server.url}/api/`);
  opened.push(client);
  await client.call(readThing, inThing);
  expect(server.seen[0]?.url).toBe('/api/acme/cells');
});

test('path values are percent-encoded, versions are digits', async () => {
  const { server, client } = await start(good);
  await client.call(readThing, { workspace: 'a b?#%/é', project: '..x' });
  await client.call(readVersion, { ...inThing, version: 12 });
  const urls = server.seen.map(({ url }) => url);
  expect(urls).toEqual(['/a%20b%3F%23%25%2F%C3%A9/..x', '/acme/cells/12']);
});

test.each([
  ['.', 'project: must not be empty or only dots'],
  ['..', 'project: must not be empty or only dots'],
  ['', 'project: must not be empty or only dots'],
  ['\ud800', 'project: must be valid Unicode text'],
  ['a/b/c', 'project: must be a project slug, or workspace/project'],
  ['/cells', 'project: must be a project slug, or workspace/project'],
  [
    'other/cells',
    'project: "other/cells" is not in the workspace "acme": give the same workspace in both',
  ],
])('the project %j is refused before anything is sent', async (project, message) => {
  const { server, client } = await start(good);
  const error = await errorOf(client.call(readThing, { workspace: 'acme', project }));
  expect(error).toMatchObject({ code: 'invalid_input', message });
  expect(server.connections()).toBe(0);
});

test.each([1.5, Number.NaN, 1e300])('the version %d is refused', async (version) => {
  const { server, client } = await start(good);
  const error = await errorOf(client.call(readVersion, { ...inThing, version }));
  expect(error).toMatchObject({
    code: 'invalid_input',
    message: 'version: must be a whole number',
  });
  expect(server.connections()).toBe(0);
});

test('a project given as workspace/project is split', async () => {
  const { server, client } = await start(good);
  await client.call(readThing, { workspace: 'acme', project: 'acme/cells' });
  await client.call(uploadThing, { project: 'acme/cells', name: 'a' });
  const urls = server.seen.map(({ url }) => url);
  expect(urls).toEqual(['/acme/cells', '/dataset/cells/upload']);
});

test('query arrays repeat the key, booleans are words, undefined is left out', async () => {
  const { server, client } = await start(good);
  await client.call(readThing, { ...inThing, tag: ['a b', 'c&d'], deep: false });
  await client.call(readThing, { ...inThing, tag: undefined, deep: true });
  const urls = server.seen.map(({ url }) => url);
  expect(urls).toEqual(['/acme/cells?tag=a+b&tag=c%26d&deep=false', '/acme/cells?deep=true']);
});

test('a JSON body carries what is not in path and query', async () => {
  const { server, client } = await start(good);
  await client.call(addThing, { workspace: 'acme', name: 'Zellen ä', extra: { deep: [1] } });
  const [request] = server.seen;
  expect(request?.headers['content-type']).toBe('application/json');
  expect(request?.body.toString()).toBe('{"name":"Zellen ä","extra":{"deep":[1]}}');
});

test('a large file is told about while it is sent, and arrives whole', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-client-'));
  const path = join(folder, 'large.bin');
  await writeFile(path, Buffer.alloc(3_000_000, 7));
  try {
    const { server, client } = await start(good);
    const file = { name: 'large.bin', content: { path } };
    const told: [number, number][] = [];
    const onSent = (bytes: number, total: number) => told.push([bytes, total]);
    await client.call(uploadThing, { project: 'cells', file }, { onSent });
    const [request] = server.seen;
    expect(request?.body.filter((byte) => byte === 7)).toHaveLength(3_000_000);
    expect(request?.headers['content-length']).toBe(String(request?.body.length));
    expect(told.length).toBeGreaterThan(2);
    expect(told.every(([bytes], index) => bytes > (told[index - 1]?.[0] ?? 0))).toBe(true);
    expect(told.at(-1)).toEqual([3_000_000, 3_000_000]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a multipart body carries files from memory and from disk, texts and objects', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-client-'));
  try {
    const { server, client } = await start(good);
    const path = join(folder, 'a.bin');
    await writeFile(path, 'from disk');
    const disk = { name: 'blood cell "1".png', contentType: 'image/png', content: { path } };
    const memory = { name: 'b.bin', content: Buffer.from('from memory') };
    await client.call(uploadThing, { project: 'cells', file: disk, metadata: { lens: 40 } });
    await client.call(uploadThing, { project: 'cells', file: memory, name: 'b' });
    const [first, second] = server.seen.map(({ body }) => body.toString());
    expect(first).toContain('name="file"; filename="blood cell %221%22.png"\r\n');
    expect(first).toContain('Content-Type: image/png\r\n\r\nfrom disk\r\n');
    expect(first).toContain('name="metadata"\r\n\r\n{"lens":40}\r\n');
    expect(second).toContain('Content-Type: application/octet-stream\r\n\r\nfrom memory\r\n');
    expect(second).toContain('name="name"\r\n\r\nb\r\n');
    expect(server.seen[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(Number(server.seen[0]?.headers['content-length'])).toBe(server.seen[0]?.body.length);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.each([
  ['is not there', join(tmpdir(), 'fovea-is-not-there')],
  ['is a folder', tmpdir()],
])('a file that %s is refused before anything is sent', async (_what, path) => {
  const { server, client } = await start(good);
  const file = { name: 'a', content: { path } };
  const error = await errorOf(client.call(uploadThing, { project: 'cells', file }));
  expect(error).toMatchObject({ code: 'invalid_input', message: 'file: the file cannot be read' });
  expect(server.seen.length).toBe(0);
});

test.each([
  ['', {}],
  [', also where its progress is told', { onSent: () => undefined }],
])('a file that changes while it is sent is named as the reason%s', async (_, options) => {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-client-'));
  const path = join(folder, 'a.bin');
  await writeFile(path, Buffer.alloc(20_000_000));
  const hasty = await startHastyServer(() => truncateSync(path, 10));
  const client = clientOf(hasty.url);
  try {
    const file = { name: 'a', content: { path } };
    const error = await errorOf(client.call(uploadThing, { project: 'cells', file }, options));
    expect(error).toMatchObject({ code: 'invalid_input', retry: 'safe' });
    expect(error.message).toBe(
      'things_upload: a file changed while it was sent, and was not sent whole.',
    );
  } finally {
    await client.close();
    hasty.close();
    await rm(folder, { recursive: true });
  }
});

test('a file that is swapped for a link while it is sent again is not read', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'fovea-client-')));
  const path = join(folder, 'a.bin');
  await writeFile(path, 'ours');
  await writeFile(join(folder, 'secret'), 'a secret');
  const { server, client } = await start((response) => {
    rmSync(path, { force: true });
    symlinkSync(join(folder, 'secret'), path);
    response.writeHead(429, { 'retry-after': '0' }).end();
  });
  try {
    const file = { name: 'a', content: { path } };
    const error = await errorOf(client.call(uploadThing, { project: 'cells', file }));
    expect(error).toMatchObject({ code: 'invalid_input' });
    expect(server.seen.map(({ body }) => body.toString()).join()).not.toContain('a secret');
    expect(server.seen).toHaveLength(1);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('video operations take the key in the query, the Event Store in X-API-Key', async () => {
  const { server, client } = await start(json(200, { status: 1 }));
  await client.call(readVideo, { job_id: 'j 1' });
  await client.call(readEvent, {});
  const [video, event] = server.seen;
  expect(video?.url).toBe(`/videoinfer/?job_id=j+1&api_key=${apiKey}`);
  expect(video?.headers.authorization).toBeUndefined();
  expect(event?.headers['x-api-key']).toBe(apiKey);
  expect(event?.headers.authorization).toBeUndefined();
});

test('without a credential nothing is sent, except to the Event Store', async () => {
  const { server } = await start(json(200, { status: 1 }));
  const upstream = async () => ({ url: server.url, credential: undefined });
  const client = clientOf(server.url, { upstreams: { base: upstream, device: upstream } });
  opened.push(client);
  for (const call of [client.call(readThing, inThing), client.call(readVideo, { job_id: 'j' })]) {
    const error = await errorOf(call);
    expect(error.code).toBe('unauthenticated');
    expect(error.hint).toContain('FOVEA_API_KEY');
  }
  expect(server.connections()).toBe(0);
  await client.call(readEvent, {});
  expect(server.seen[0]?.headers['x-api-key']).toBeUndefined();
});

test.each(['two words', 'line\r\nend: 1', 'schlüssel'])('the key %j is refused', async (key) => {
  const { server } = await start(good);
  const upstream = async () => ({ url: server.url, credential: new Secret(key) });
  const client = clientOf(server.url, { upstreams: { base: upstream, device: upstream } });
  opened.push(client);
  const error = await errorOf(client.call(readThing, inThing));
  expect(error.code).toBe('unauthenticated');
  expect(error.message).toBe('FOVEA_API_KEY has characters that a key cannot have.');
  expect(server.connections()).toBe(0);
});

test('an error while a service is found reaches the caller', async () => {
  const upstream = async () => {
    throw new Error('no port left');
  };
  const client = clientOf('', { upstreams: { base: upstream, device: upstream } });
  opened.push(client);
  await expect(client.call(readThing, inThing)).rejects.toThrow('no port left');
});
