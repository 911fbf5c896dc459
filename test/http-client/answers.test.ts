// What becomes of each answer: a body, or an error that tells what it means.

import { afterEach, expect, test } from 'vitest';
import type { Operation } from '../../src/contract/operation.ts';
import type { Client, ClientOptions } from '../../src/http-client/client.ts';
import {
  flood,
  half,
  json,
  type MisbehavingServer,
  raw,
  type Step,
  startHastyServer,
  startMisbehavingServer,
  text,
} from '../fixtures/scripted-http-server.ts';
import {
  addThing,
  apiKey,
  clientOf,
  errorOf,
  inThing,
  readEvent,
  readTask,
  readThing,
  uploadThing,
} from './test-operations.ts';

const opened: (MisbehavingServer | Client)[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function start(step: Step, options: Partial<ClientOptions> = {}) {
  const server = await startMisbehavingServer(step);
  const client = clientOf(server.url, options);
  opened.push(server, client);
  return { server, client };
}

const newThing = { workspace: 'acme', name: 'x' };

test.each([
  ['a 204', text(204, '')],
  ['an empty 200', text(200, '')],
])('%s gives an empty body', async (_name, step) => {
  const { client } = await start(step);
  expect((await client.call(readThing, inThing)).body).toEqual({});
});

test('members that the contract does not know pass through', async () => {
  const { client } = await start(json(200, { name: 'cells', 'new': { a: [null, 'ü'] } }));
  const { body } = await client.call(readThing, inThing);
  expect(body).toEqual({ name: 'cells', new: { a: [null, 'ü'] } });
});

test.each([
  [400, 'invalid_input'],
  [404, 'not_found'],
  [409, 'conflict'],
  [422, 'invalid_input'],
])(
  'of status %d, which is said of many things, the reason of the service is all that is said',
  async (status, code) => {
    const { client } = await start(json(status, { error: { message: 'why', hint: 'what to do' } }));
    const error = await errorOf(client.call(readThing, inThing));
    expect(error).toMatchObject({ code, hint: undefined, upstream: { status, message: 'why' } });
    expect(error.message).toBe(`things_get failed with status ${status}.`);
  },
);

test.each([
  [400, 'invalid_input', 'never', 'the service calls the request invalid'],
  [401, 'unauthenticated', 'never', 'the credential is missing or wrong'],
  [402, 'forbidden', 'never', 'the plan or the quota of the workspace does not allow it'],
  [403, 'forbidden', 'never', 'this credential has no access'],
  [404, 'not_found', 'never', 'it is not there, or this credential has no access to it'],
  [405, 'method_not_allowed', 'never', 'the service does not know this operation there'],
  [409, 'conflict', 'never', 'it conflicts with what is there already'],
  [410, 'not_found', 'never', 'it is no longer there'],
  [413, 'too_large', 'never', 'what was sent is too large'],
  [415, 'unsupported_media', 'never', 'the service does not take files of this type'],
  [418, 'upstream_failed', 'never', 'the service refused the request'],
  [422, 'invalid_input', 'never', 'the service found arguments that are not valid'],
  [423, 'forbidden', 'never', 'it is locked, for example because billing is paused'],
  [500, 'upstream_failed', 'safe', 'the service failed'],
  [501, 'not_implemented', 'never', 'the service does not offer this operation'],
  [529, 'full', 'after', 'the service is full and waits for room'],
])('status %d becomes %s after one request', async (status, code, retry, meaning) => {
  const { server, client } = await start(json(status, {}));
  const error = await errorOf(client.call(readThing, inThing));
  expect(error).toMatchObject({ code, retry, upstream: { status, message: '' } });
  expect(error.message).toBe(`things_get failed with status ${status}: ${meaning}.`);
  expect(server.seen.length).toBe(1);
});

test('hints name the setting and the scope', async () => {
  const wrong = await start(json(401, {}));
  const denied = await start(json(403, {}));
  const hintOf = async (call: Promise<unknown>) => (await errorOf(call)).hint;
  expect(await hintOf(wrong.client.call(readThing, inThing))).toContain('FOVEA_API_KEY');
  expect(await hintOf(wrong.client.call(readEvent, {}))).toContain('FOVEA_DEVICE_API_KEY');
  expect(await hintOf(denied.client.call(readThing, inThing))).toContain('project:read');
});

test('a write that failed with 500 may have been carried out', async () => {
  const { server, client } = await start(json(500, { error: 'x' }));
  const error = await errorOf(client.call(addThing, newThing));
  expect(error).toMatchObject({ code: 'upstream_failed', retry: 'never' });
  expect(error.hint).toBe('Read back what it should have changed before trying again.');
  expect(server.seen.length).toBe(1);
});

test.each([
  [{ error: 'plain' }, { message: 'plain' }],
  [
    { error: { message: 'm', type: 'GraphMethodException', hint: 'h' } },
    { message: 'm', type: 'GraphMethodException', hint: 'h' },
  ],
  [
    { error: 'plain', hint: 'h' },
    { message: 'plain', hint: 'h' },
  ],
  [
    { error: 'some_code', message: 'm' },
    { message: 'm', type: 'some_code' },
  ],
  [{ message: 'm' }, { message: 'm' }],
  [
    { detail: 'd', error: 'capacity_blocked' },
    { message: 'd', type: 'capacity_blocked' },
  ],
  [
    {
      detail: [
        { loc: ['body', 'images', 0], msg: 'bad', input: 1 },
        { loc: [], msg: 'worse' },
      ],
    },
    { message: 'body.images.0: bad; worse' },
  ],
  [{ error: { message: 7 } }, { message: '' }],
  [{ detail: [null, 1, { loc: 'x' }, { msg: 'm' }] }, { message: 'm' }],
  [null, { message: '' }],
  [[1, 2], { message: '' }],
  ['a JSON string', { message: 'a JSON string' }],
])('the words of %j are kept apart', async (body, said) => {
  const { client } = await start(json(400, body));
  const error = await errorOf(client.call(readThing, inThing));
  expect(error.upstream).toEqual({ status: 400, ...said });
});

test('words that are no JSON are kept, cut, cleaned and without our key', async () => {
  const long = await start(text(400, `a\u0000b\u001b[31m\r\nc ${apiKey} ${'x'.repeat(5000)}`));
  const { upstream } = await errorOf(long.client.call(readThing, inThing));
  expect(upstream?.message.slice(0, 23)).toBe('a b [31m c [secret] xxx');
  expect(upstream?.message.length).toBe(2000);
});

test('an error with a huge body still gives its status', async () => {
  const step: Step = (response) => {
    response.writeHead(404, { 'content-type': 'text/html' });
    response.end(Buffer.alloc(5_000_000, 'z'));
  };
  const { client } = await start(step);
  const error = await errorOf(client.call(readThing, inThing));
  expect(error.code).toBe('not_found');
  expect(error.upstream?.message.length).toBe(2000);
});

test('an error whose body is cut off still gives its status', async () => {
  const { client } = await start(half(403));
  const error = await errorOf(client.call(readThing, inThing));
  expect(error).toMatchObject({ code: 'forbidden', upstream: { status: 403 } });
});

test('an error that comes before the upload has ended is heard', async () => {
  const body = '{"error":"too much"}';
  const head = `HTTP/1.1 413 No\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  const hasty = await startHastyServer((socket) => socket.pause().end(head + body));
  const client = clientOf(hasty.url);
  try {
    const file = { name: 'a.bin', content: Buffer.alloc(20_000_000) };
    const error = await errorOf(client.call(uploadThing, { project: 'cells', file }));
    expect(error).toMatchObject({ code: 'too_large', upstream: { message: 'too much' } });
  } finally {
    await client.close();
    hasty.close();
  }
});

test('a 2xx answer that carries an error is one', async () => {
  const { client } = await start(json(200, { error: { message: 'no', type: 't' } }));
  const error = await errorOf(client.call(addThing, newThing));
  expect(error).toMatchObject({
    code: 'upstream_failed',
    retry: 'never',
    message:
      'things_create was answered with status 200, but the answer carries an error. ' +
      'It may have been carried out.',
    upstream: { status: 200, message: 'no', type: 't' },
  });
});

test('an error that the contract itself has is data', async () => {
  const { client } = await start(json(200, { status: 'failed', error: 'disk' }));
  const { body } = await client.call(readTask, {});
  expect(body).toEqual({ status: 'failed', error: 'disk' });
});

test.each([null, '', false])('an error of %j is none', async (error) => {
  const { client } = await start(json(200, { error, name: 'x' }));
  expect((await client.call(readThing, inThing)).status).toBe(200);
});

const jsonType = { 'content-type': 'application/json' };

test.each([
  ['broken JSON', text(200, '{"name":', jsonType), 'the answer is not valid JSON'],
  ['no UTF-8', text(200, Buffer.from([34, 255, 34]), jsonType), 'the answer is not valid JSON'],
  [
    'an HTML page',
    text(200, '<p>', { 'content-type': 'text/html' }),
    'the answer is not of the type JSON',
  ],
  [
    'a compressed answer',
    text(200, 'zz', { ...jsonType, 'content-encoding': 'gzip' }),
    'the answer is compressed, which was not asked for',
  ],
  [
    'another shape',
    json(200, { name: ['not', 'a', 'name'] }),
    'the answer has not the documented shape',
  ],
  [
    'a very deep answer',
    text(200, `{"new":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, jsonType),
    'the answer is nested too deeply',
  ],
  ['a list', json(200, [1]), 'the answer has not the documented shape'],
])('%s is a clear error', async (_name, step, wrong) => {
  const { server, client } = await start(step);
  const error = await errorOf(client.call(readThing, inThing));
  expect(error).toMatchObject({ code: 'upstream_failed', upstream: { status: 200 } });
  expect(error.message).toBe(`things_get was answered with status 200, but ${wrong}.`);
  expect(server.seen.length).toBe(1);
});

test('an answer that is no HTTP is a connection that ended', async () => {
  const { client } = await start(raw('220 mail.example ESMTP\r\n'));
  const error = await errorOf(client.call(readThing, inThing));
  expect(error.code).toBe('upstream_failed');
});

test.each([
  ['said beforehand', text(200, ' '.repeat(2000), jsonType)],
  ['not said beforehand', flood(2_000_000)],
])('an answer over the limit is refused, its size %s', async (_name, step) => {
  const { server, client } = await start(step, { answerBytesMax: 1000 });
  const error = await errorOf(client.call(readThing, inThing));
  expect(error.message).toBe(
    'things_get was answered with status 200, but the answer is too large to be read.',
  );
  await server.allClosed();
  expect(server.seen.length).toBe(1);
});

test.each([301, 302, 303, 304, 307, 308])(
  'a redirect (%d) is not followed, and no credential leaves',
  async (status) => {
    const canary = await startMisbehavingServer();
    opened.push(canary);
    const location = { location: `${canary.url}/steal` };
    const step = status === 304 ? text(304, '', location) : json(status, {}, location);
    for (const operation of [readThing, addThing] satisfies Operation[]) {
      const { server, client } = await start(step);
      const error = await errorOf(client.call(operation, { ...inThing, ...newThing }));
      expect(error.code).toBe('upstream_failed');
      expect(error.message).toContain('redirects are not followed');
      expect(server.seen.length).toBe(1);
    }
    expect(canary.connections()).toBe(0);
  },
);

test('the key is in no error', async () => {
  const said = { error: { message: `bad ${apiKey}`, type: apiKey, hint: `?api_key=${apiKey}` } };
  for (const status of [200, 401, 429, 500]) {
    const { client } = await start(json(status, said));
    const error = await errorOf(client.call(readThing, inThing));
    const { message, hint, upstream, problems } = error;
    expect(JSON.stringify({ message, hint, upstream, problems })).not.toContain(apiKey);
  }
});
