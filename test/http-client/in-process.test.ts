// A service of the same process answers as it does over HTTP: results, errors, limits and aborts.

import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { FoveaError } from '../../src/errors.ts';
import type { CallOptions, Client, Upstream } from '../../src/http-client/client.ts';
import { limits } from '../../src/limits.ts';
import { Secret } from '../../src/secret.ts';
import {
  key,
  operations,
  startTestService,
  type TestService,
} from '../http-server/test-service.ts';
import { clientOf, readEvent } from './test-operations.ts';

let service: TestService;
let folder: string;
const clients: Client[] = [];

beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), 'fovea-in-process-'));
  await writeFile(join(folder, 'a.jpg'), 'the bytes');
  await writeFile(join(folder, 'empty.jpg'), '');
  await writeFile(join(folder, 'large.jpg'), '');
  await truncate(join(folder, 'large.jpg'), limits.imageBytesMax + 1);
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await service.close();
  await rm(folder, { recursive: true });
});

function clientBy(way: 'over HTTP' | 'in process', credential = key): Client {
  const { handle } = service;
  const base = async (): Promise<Upstream> => ({
    // In process nothing is sent to the address.
    url: way === 'over HTTP' ? service.url : 'http://127.0.0.1:1',
    credential: new Secret(credential),
    ...(way === 'in process' && { handle }),
  });
  const client = clientOf(service.url, { upstreams: { base, device: base } });
  clients.push(client);
  return client;
}

/** A result, or all of an error that a tool or a model sees. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return call.catch((thrown: unknown) => {
    if (!(thrown instanceof FoveaError)) throw thrown;
    const { code, message, hint, retry, retryAfterSeconds, problems, upstream, wasSent } = thrown;
    return { code, message, hint, retry, retryAfterSeconds, problems, upstream, wasSent };
  });
}

type Call = (client: Client) => Promise<unknown>;

const { workspace, create, upload, annotate, startVideo } = operations;
const removeProject = { ...operations.removeProject, answer: z.looseObject({}) };
const file = (name: string) => ({ name, content: { path: join(folder, name) } });
const inMemory = { name: 'dir/b\u0007"q.png', contentType: 'image/png', content: Buffer.from('x') };

const calls: Readonly<Record<string, Call>> = {
  'a read with a query': (client) =>
    client.call(workspace, { workspace: 'w', count: 3, regenerate: true }),
  'a write with another status': (client) =>
    client.call(create, { workspace: 'w', name: 'n', license: 'MIT' }),
  'an answer without a body': (client) =>
    client.call(removeProject, { workspace: 'w', project: 'p' }),
  'another success status': (client) => client.call(workspace, { workspace: 'accepted' }),
  'a project with its workspace': (client) =>
    client.call(removeProject, { workspace: 'w', project: 'w/p' }),
  'a project of another workspace': (client) =>
    client.call(removeProject, { workspace: 'w', project: 'v/p' }),
  'a path of dots': (client) => client.call(workspace, { workspace: '..' }),
  'a workspace of others': (client) => client.call(workspace, { workspace: 'hidden' }),
  'a wrong query': (client) => client.call(workspace, { workspace: 'w', count: 1.5 }),
  'a wrong body': (client) => client.call(create, { workspace: 'w', name: JSON.parse('7') }),
  'an unknown member': (client) =>
    client.call(create, JSON.parse('{"workspace": "w", "name": "n", "licence": "MIT"}')),
  'a forbidden member name': (client) =>
    client.call(startVideo, JSON.parse('{"a": {"__proto__": 1}}')),
  'a fault of the handler': (client) => client.call(workspace, { workspace: 'crash' }),
  'a wait of the handler': (client) =>
    client.call(workspace, { workspace: 'later' }, { timeoutMs: 1_000 }),
  'a failed upstream': (client) => client.call(workspace, { workspace: 'upstream' }),
  'a file of a folder': (client) =>
    client.call(upload, { project: 'p', file: file('a.jpg'), name: 'ä b', tag: ['x', 'y'] }),
  'a file in memory, with metadata': (client) =>
    client.call(upload, { project: 'p', file: inMemory, metadata: { a: 1, b: ['c'] } }),
  'an empty file': (client) => client.call(upload, { project: 'p', file: file('empty.jpg') }),
  'a file that is too large': (client) =>
    client.call(upload, { project: 'p', file: file('large.jpg') }),
  'a file that is not there': (client) =>
    client.call(upload, { project: 'p', file: file('missing.jpg') }),
  'a long text': (client) =>
    client.call(annotate, { project: 'p', imageId: 'i', annotationFile: 'é"\\'.repeat(40_000) }),
  'a body of too many bytes': (client) =>
    client.call(annotate, {
      project: 'p',
      imageId: 'i',
      annotationFile: 'x'.repeat(limits.bodyBytesMax),
    }),
  'a body of too many elements': (client) =>
    client.call(startVideo, { list: Array.from({ length: limits.bodyElementsMax + 1 }, () => 0) }),
  'a body that is too deep': (client) =>
    client.call(startVideo, {
      deep: JSON.parse('['.repeat(200) + ']'.repeat(200)),
    }),
};

describe('the same outcome over HTTP and in process', () => {
  test.each(Object.entries(calls))('%s', async (_name, call) => {
    const expected = await outcomeOf(call(clientBy('over HTTP')));
    expect(await outcomeOf(call(clientBy('in process')))).toEqual(expected);
    expect(expected).toBeDefined();
  });

  test.each(['key-of-nobody', 'key-of-bob'])('with the credential %s', async (credential) => {
    const call: Call = (client) => client.call(workspace, { workspace: 'only-alice' });
    const expected = await outcomeOf(call(clientBy('over HTTP', credential)));
    expect(await outcomeOf(call(clientBy('in process', credential)))).toEqual(expected);
    expect(expected).toHaveProperty('code');
  });

  test.each(['over HTTP', 'in process'] as const)('%s, how much of a file is read', async (way) => {
    const sent: string[] = [];
    const onSent: CallOptions['onSent'] = (bytes, total) => sent.push(`${bytes}/${total}`);
    await clientBy(way).call(upload, { project: 'p', file: file('a.jpg') }, { onSent });
    expect(sent.at(-1)).toBe('9/9');
  });
});

describe.each(['over HTTP', 'in process'] as const)('%s', (way) => {
  test('a cancelled call tells the handler', async () => {
    const before = service.aborted.length;
    const cancel = new AbortController();
    const call = clientBy(way).call(workspace, { workspace: 'wait' }, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 50);
    expect(await outcomeOf(call)).toMatchObject({ code: 'cancelled', wasSent: true });
    await expect.poll(() => service.aborted.length).toBe(before + 1);
  });

  test('a deadline ends a call', async () => {
    const before = service.aborted.length;
    const call = clientBy(way).call(workspace, { workspace: 'wait' }, { timeoutMs: 50 });
    expect(await outcomeOf(call)).toMatchObject({ code: 'timed_out', retry: 'safe' });
    await expect.poll(() => service.aborted.length).toBe(before + 1);
  });

  test('a closed client makes no call', async () => {
    const client = clientBy(way);
    await client.close();
    const outcome = await outcomeOf(client.call(workspace, { workspace: 'w' }));
    expect(outcome).toMatchObject({ code: 'cancelled', message: 'The client is closed.' });
  });
});

test('an operation that the service does not have is not found in process', async () => {
  const outcome = await outcomeOf(clientBy('in process').call(readEvent, JSON.parse('{"id":"e"}')));
  expect(outcome).toMatchObject({ code: 'not_found' });
});
