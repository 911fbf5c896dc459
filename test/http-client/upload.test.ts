// Files to links that a service gave: as they are read, without credentials, nowhere private.

import { createServer, type IncomingMessage, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import type { Client, ClientOptions, UploadSource } from '../../src/http-client/client.ts';
import {
  closedPort,
  json,
  stall,
  startMisbehavingServer,
} from '../fixtures/scripted-http-server.ts';
import { clientOf, errorOf } from './test-operations.ts';

const opened: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A service that takes whatever is sent. */
async function start(options: Partial<ClientOptions> = {}) {
  const received: Received[] = [];
  const server: Server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const body = await buffer(request).catch(() => Buffer.from('broken off'));
    received.push({ method, url, headers, body: body.toString() });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(server);
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { url, client: tracked(clientOf(url, options)), received };
}

function tracked(client: Client): Client {
  opened.push(client);
  return client;
}

function source(...pieces: readonly string[]): UploadSource {
  const bytes = pieces.map((piece) => Buffer.from(piece));
  return {
    bytes: bytes.reduce((sum, { length }) => sum + length, 0),
    open: async function* () {
      yield* bytes;
    },
  };
}

const zip = { contentType: 'application/zip' };

test('a link of our own service gets the file, with its length and without a credential', async () => {
  const { client, url, received } = await start();
  const sent: unknown[] = [];
  const onSent = (bytes: number, total: number) => sent.push([bytes, total]);
  await client.upload(`${url}/uploads/1?signature=a`, source('one', 'three'), { ...zip, onSent });
  expect(received).toMatchObject([
    {
      method: 'PUT',
      url: '/uploads/1?signature=a',
      body: 'onethree',
      headers: { 'content-type': 'application/zip', 'content-length': '8' },
    },
  ]);
  expect(received[0]?.headers).not.toHaveProperty('authorization');
  expect(sent).toEqual([
    [3, 8],
    [8, 8],
  ]);
});

test.each([
  ['http://example.com/a', 'it is not https'],
  ['https://127.0.0.1:1/a', 'its address is not public'],
  ['https://169.254.169.254/latest/meta-data', 'its address is not public'],
  ['https://[::1]/a', 'its address is not public'],
  ['file:///etc/passwd', 'it is not https'],
  ['https://user:word@example.com/a', 'it contains a user name'],
  ['not a link', 'it is not a URL'],
])('nothing is sent to %s', async (link, reason) => {
  const { client, received } = await start();
  const error = await errorOf(client.upload(link, source('secret'), zip));
  expect(error).toMatchObject({
    code: 'invalid_input',
    message: `link: cannot be used: ${reason}`,
  });
  expect(received).toEqual([]);
});

test.each([
  [403, 'not_found'],
  [404, 'not_found'],
  [409, 'conflict'],
  [413, 'too_large'],
  [500, 'upstream_failed'],
  [302, 'upstream_failed'],
] as const)('an answer of %i is %s, and nothing is sent twice', async (status, code) => {
  const server = await startMisbehavingServer(json(status, { error: 'words of others' }));
  opened.push(server);
  const client = tracked(clientOf(server.url));
  const error = await errorOf(client.upload(`${server.url}/u`, source('x'), zip));
  expect(error).toMatchObject({
    code,
    message: `The upload failed: the host answered with status ${status}.`,
    upstream: { status },
  });
  expect(server.seen).toHaveLength(1);
});

test('a source that fails is thrown as it is', async () => {
  const { client, url } = await start();
  const broken: UploadSource = {
    bytes: 100,
    open: async function* () {
      yield Buffer.from('some');
      throw new Error('the file changed');
    },
  };
  await expect(client.upload(`${url}/u`, broken, zip)).rejects.toThrow('the file changed');
});

test.each([
  ['less', source('abc'), 5],
  ['more', source('abcdefgh'), 5],
])('a source with %s bytes than it said is an error', async (_what, given, bytes) => {
  const { client, url } = await start();
  const error = await errorOf(client.upload(`${url}/u`, { ...given, bytes }, zip));
  expect(error.code).toBe('conflict');
});

test('a host that is not there is unreachable', async () => {
  const url = `http://127.0.0.1:${await closedPort()}`;
  const error = await errorOf(tracked(clientOf(url)).upload(`${url}/u`, source('x'), zip));
  expect(error.code).toBe('unreachable');
});

test('ends when the caller gives up, and when its time is up', async () => {
  const server = await startMisbehavingServer(stall, stall);
  opened.push(server);
  const client = tracked(clientOf(server.url));
  const stop = new AbortController();
  const cancelled = client.upload(`${server.url}/u`, source('x'), { ...zip, signal: stop.signal });
  stop.abort();
  expect((await errorOf(cancelled)).code).toBe('cancelled');
  const late = client.upload(`${server.url}/u`, source('x'), { ...zip, timeoutMs: 50 });
  expect((await errorOf(late)).code).toBe('timed_out');
});
