// Links that a service gave, into files: whole or not at all, without credentials, nowhere private.

import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client, ClientOptions } from '../../src/http-client/client.ts';
import {
  closedPort,
  drip,
  flood,
  half,
  json,
  type MisbehavingServer,
  reset,
  type Step,
  stall,
  startMisbehavingServer,
  text,
} from '../fixtures/scripted-http-server.ts';
import { apiKey, clientOf, errorOf } from './test-operations.ts';

const opened: (MisbehavingServer | Client)[] = [];
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fovea-download-'));
  path = join(folder, 'export.zip');
});

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
  await rm(folder, { recursive: true });
});

async function start(steps: Step[], options: Partial<ClientOptions> = {}) {
  const server = await startMisbehavingServer(...steps);
  const client = clientOf(server.url, options);
  opened.push(server, client);
  return { server, client, link: `${server.url}/files/export.zip?sign=1` };
}

async function canary(...steps: Step[]): Promise<MisbehavingServer> {
  const server = await startMisbehavingServer(...steps);
  opened.push(server);
  return server;
}

const zip = text(200, 'zip bytes', { 'content-type': 'application/zip' });
const redirect = (location: string, status = 302) => text(status, '', { location });

test('a link of our own service becomes a file, without a credential', async () => {
  const { server, client, link } = await start([zip]);
  const seen: unknown[] = [];
  const onProgress = (bytes: number, total: number | undefined) => seen.push([bytes, total]);
  const downloaded = await client.download(link, path, { onProgress });
  expect(downloaded).toEqual({ bytes: 9, contentType: 'application/zip' });
  expect(await readFile(path, 'utf8')).toBe('zip bytes');
  expect(await readdir(folder)).toEqual(['export.zip']);
  expect(seen.at(-1)).toEqual([9, undefined]);
  expect(server.seen[0]?.url).toBe('/files/export.zip?sign=1');
  expect(server.seen[0]?.headers.authorization).toBeUndefined();
});

test('a file of the Event Store comes with its credential, which goes nowhere else', async () => {
  const elsewhere = await canary(zip, zip);
  const { server, client } = await start([zip, redirect(`${elsewhere.url}/stolen`)]);
  await client.download('/videos/1', path, { fromDevice: true });
  expect(server.seen[0]?.url).toBe('/videos/1');
  expect(server.seen[0]?.headers['x-api-key']).toBe(apiKey);
  const error = await errorOf(
    client.download('/videos/2', join(folder, 'other'), { fromDevice: true }),
  );
  expect(error.code).toBe('invalid_input');
  expect(elsewhere.seen).toEqual([]);
});

test('progress knows the total where the host says it', async () => {
  const step = text(200, Buffer.alloc(300_000), { 'content-length': '300000' });
  const { client, link } = await start([step]);
  const seen: [number, number | undefined][] = [];
  await client.download(link, path, { onProgress: (bytes, total) => seen.push([bytes, total]) });
  expect(seen.at(-1)).toEqual([300_000, 300_000]);
  expect(seen.map(([bytes]) => bytes)).toEqual(seen.map(([bytes]) => bytes).sort((a, b) => a - b));
});

describe('a file that is there already', () => {
  test('is left as it is', async () => {
    await writeFile(path, 'mine');
    const { client, link } = await start([zip]);
    const error = await errorOf(client.download(link, path));
    expect(error.message).toBe('path: is there already: give the path of a new file');
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect(await readdir(folder)).toEqual(['export.zip']);
  });

  test('may be a broken symbolic link', async () => {
    await symlink(join(folder, 'elsewhere'), path);
    const { client, link } = await start([zip]);
    expect((await errorOf(client.download(link, path))).code).toBe('invalid_input');
    expect(await readdir(folder)).toEqual(['export.zip']);
  });
});

test('a folder that is not there is named as the fault of the path', async () => {
  const { client, link } = await start([zip]);
  const error = await errorOf(client.download(link, join(folder, 'no', 'export.zip')));
  expect(error.problems[0]?.path).toBe('path');
  expect(error.code).toBe('invalid_input');
});

describe('redirects', () => {
  test('inside the same service are followed, 5 at most', async () => {
    const { server, client } = await start([
      redirect('/b', 301),
      redirect('c', 302),
      redirect('/d', 303),
      redirect('/e', 307),
      redirect('/f', 308),
      zip,
    ]);
    await client.download(`${server.url}/a`, path);
    expect(server.seen.map(({ url }) => url)).toEqual(['/a', '/b', '/c', '/d', '/e', '/f']);
    expect(await readFile(path, 'utf8')).toBe('zip bytes');
  });

  test('without end are refused', async () => {
    const { server, client, link } = await start([redirect('/again')]);
    const error = await errorOf(client.download(link, path));
    expect(error.message).toBe('link: cannot be fetched: it redirects more than 5 times');
    expect(server.seen.length).toBe(6);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    ['http elsewhere', (port: number) => `http://127.0.0.1:${port}/`, 'it is not https'],
    [
      'a private address',
      (port: number) => `https://127.0.0.1:${port}/`,
      'its address is not public',
    ],
    [
      'a disguised one',
      (port: number) => `https://2130706433:${port}/`,
      'its address is not public',
    ],
    [
      'a mapped one',
      (port: number) => `https://[::ffff:7f00:1]:${port}/`,
      'its address is not public',
    ],
    ['a private name', (port: number) => `https://localhost:${port}/`, 'its address is not public'],
    ['another scheme', () => 'file:///etc/passwd', 'it is not https'],
    ['a user name', (port: number) => `https://u:p@127.0.0.1:${port}/`, 'it contains a user name'],
    ['nonsense', () => 'http://[', 'it is not a URL'],
  ])('to %s are refused', async (_name, location, reason) => {
    const other = await canary(zip);
    const { client, link } = await start([redirect(location(other.port))]);
    const error = await errorOf(client.download(link, path));
    expect(error).toMatchObject({
      code: 'invalid_input',
      message: `link: cannot be fetched: ${reason}`,
    });
    expect(other.connections()).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  test('from elsewhere do not lead to our own service', async () => {
    const { server, client, link } = await start([zip]);
    const other = await canary(redirect(link));
    const allowed = clientOf(server.url, { isAllowedLink: ({ port }) => port === `${other.port}` });
    opened.push(allowed);
    const error = await errorOf(allowed.download(other.url, path));
    expect(error.message).toBe('link: cannot be fetched: it is not https');
    expect(server.connections()).toBe(0);
    await client.close();
  });
});

test.each([
  'http://example.com/export.zip',
  'https://10.0.0.7/export.zip',
  'https://169.254.169.254/latest/meta-data',
  'https://[::1]/',
  'ftp://example.com/a',
  'export.zip',
  '',
])('the link %j is refused', async (link) => {
  const { server, client } = await start([zip]);
  const error = await errorOf(client.download(link, path));
  expect(error).toMatchObject({ code: 'invalid_input', retry: 'never' });
  expect(error.problems[0]?.path).toBe('link');
  expect(server.connections()).toBe(0);
});

test('a link elsewhere is fetched where the setting permits it', async () => {
  const other = await canary(zip);
  const { client } = await start([json(500, {})], {
    isAllowedLink: ({ host }) => host === new URL(other.url).host,
  });
  await client.download(other.url, path);
  expect(await readFile(path, 'utf8')).toBe('zip bytes');
});

describe('a download that fails leaves no file', () => {
  test.each([401, 403, 404, 410])('with status %d: the link has ended', async (status) => {
    const { server, client, link } = await start([json(status, { error: 'x' })]);
    const error = await errorOf(client.download(link, path));
    expect(error).toMatchObject({ code: 'not_found', upstream: { status } });
    expect(error.hint).toContain('ask the service for a new one');
    expect(server.seen.length).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    [500, 'upstream_failed', 1],
    [503, 'upstream_failed', 4],
    [429, 'rate_limited', 4],
    [206, 'upstream_failed', 1],
    [204, 'upstream_failed', 1],
  ])('with status %d', async (status, code, requests) => {
    const { server, client, link } = await start([text(status, '')]);
    expect((await errorOf(client.download(link, path))).code).toBe(code);
    expect(server.seen.length).toBe(requests);
    expect(await readdir(folder)).toEqual([]);
  });

  test('after Retry-After that is longer than a call may take', async () => {
    const { server, client, link } = await start([json(503, {}, { 'retry-after': '3600' })]);
    const error = await errorOf(client.download(link, path));
    expect(error).toMatchObject({ retry: 'after', retryAfterSeconds: 3600 });
    expect(server.seen.length).toBe(1);
  });

  test.each([
    ['a reset', reset, 'unreachable'],
    ['half a file', half(200), 'upstream_failed'],
  ])('after %s, four times', async (_name, step, code) => {
    const { server, client, link } = await start([step]);
    expect(await errorOf(client.download(link, path))).toMatchObject({ code, retry: 'safe' });
    expect(server.seen.length).toBe(4);
    expect(await readdir(folder)).toEqual([]);
  });

  test('but one half that is followed by the whole does no harm', async () => {
    const { client, link } = await start([half(200), zip]);
    await client.download(link, path);
    expect(await readFile(path, 'utf8')).toBe('zip bytes');
    expect(await readdir(folder)).toEqual(['export.zip']);
  });

  test.each([
    ['said beforehand', text(200, 'x'.repeat(2000), { 'content-length': '2000' })],
    ['not said beforehand', flood(2_000_000)],
  ])('when it is too large, its size %s', async (_name, step) => {
    const { server, client, link } = await start([step], { downloadBytesMax: 1000 });
    const error = await errorOf(client.download(link, path));
    expect(error).toMatchObject({
      code: 'too_large',
      message: 'The download has more than 1000 bytes.',
    });
    await server.allClosed();
    expect(await readdir(folder)).toEqual([]);
  });

  test('when it is compressed', async () => {
    const { client, link } = await start([text(200, 'zz', { 'content-encoding': 'gzip' })]);
    expect((await errorOf(client.download(link, path))).code).toBe('upstream_failed');
    expect(await readdir(folder)).toEqual([]);
  });

  test('when its caller gives up', async () => {
    const { server, client, link } = await start([drip(200)]);
    const cancel = new AbortController();
    const onProgress = () => cancel.abort();
    const call = client.download(link, path, { signal: cancel.signal, onProgress });
    expect(await errorOf(call)).toMatchObject({ code: 'cancelled' });
    await server.allClosed();
    expect(await readdir(folder)).toEqual([]);
  });

  test('when its time is up', async () => {
    const { client, link } = await start([drip(200)]);
    const error = await errorOf(client.download(link, path, { timeoutMs: 200 }));
    expect(error).toMatchObject({
      code: 'timed_out',
      retry: 'safe',
      message: 'The download had not ended within 200 ms.',
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('when its host falls silent', async () => {
    const { client, link } = await start([stall], { timeoutMs: 200 });
    const error = await errorOf(client.download(link, path));
    expect(error.message).toBe('The download stopped: its host sent nothing for too long.');
  });

  test('when nobody listens', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const client = clientOf(url);
    opened.push(client);
    const error = await errorOf(client.download(`${url}/a`, path));
    expect(error).toMatchObject({ code: 'unreachable', retry: 'safe' });
  });
});
