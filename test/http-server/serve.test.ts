// What an answer looks like, what happens when a handler fails, and how a service ends.

import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { inWorkspace } from '../../src/contract/fields.ts';
import { operation } from '../../src/contract/operation.ts';
import type { Call } from '../../src/http-server/handlers.ts';
import { Secret } from '../../src/secret.ts';
import {
  bearer,
  json,
  key,
  send,
  sendRaw,
  startTestService,
  type TestService,
} from './test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ checkAnswers: true });
});

afterAll(() => service.close());

describe('an answer', () => {
  test('has the status of the operation, and 204 no body', async () => {
    const answer = await send(service, 'DELETE', '/ws/cells', bearer);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers['content-type']).toBeUndefined();
  });

  test('has another status when the handler says so', async () => {
    const answer = await send(service, 'GET', '/accepted', bearer);
    expect(answer.status).toBe(202);
    expect(json(answer)).toEqual({ operation: 'workspace' });
  });

  test('that its schema refuses is a 500 that names operation and field', async () => {
    const answer = await send(service, 'GET', '/wrong', bearer);
    expect(answer.status).toBe(500);
    expect(answer.text).toContain('workspace gave a wrong answer: operation: ');
  });
});

describe('an error', () => {
  test('says when to come back', async () => {
    const answer = await send(service, 'GET', '/later', bearer);
    expect(answer.status).toBe(429);
    expect(answer.headers['retry-after']).toBe('2');
    expect(json(answer)).toEqual({
      error: { message: 'Too many requests.', type: 'rate_limited' },
    });
  });

  test('of another host may be retried', async () => {
    const answer = await send(service, 'GET', '/upstream', bearer);
    expect(answer.status).toBe(502);
    expect(json(answer)).toEqual({
      error: { message: 'The host of the image failed.', type: 'upstream_failed' },
      retryable: true,
    });
  });

  test('that nobody foresaw tells nothing, and the next request is fine', async () => {
    const answer = await send(service, 'GET', '/crash', bearer);
    expect(answer.status).toBe(500);
    expect(json(answer)).toEqual({
      error: { message: 'Something failed inside Fovea.', type: 'internal' },
    });
    expect(service.logLines.at(-1)).toContain('operation="workspace"');
    expect(service.logLines.at(-1)).toContain('a detail that nobody may see');
    expect((await send(service, 'GET', '/ws', bearer)).status).toBe(200);
  });

  test('in the check of credentials is one too', async () => {
    const broken = await startTestService({
      authenticate: async () => {
        throw new TypeError('no database');
      },
    });
    const answer = await send(broken, 'GET', '/', bearer);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('database');
    await broken.close();
  });
});

test('what is for callers of this process alone is not served over HTTP', async () => {
  const peek = operation({
    id: 'peek',
    toolset: 'projects',
    method: 'GET',
    path: '/{workspace}/a/b/c/d/peek',
    summary: 'For tests.',
    pathParameters: inWorkspace,
    answer: z.looseObject({}),
    scope: 'project:read',
    effect: 'reads',
  });
  const handlers = {
    peek: async (input: object, { principal }: Call<string>) => ({ input, principal }),
  };
  const local = await startTestService({ local: { operations: { peek }, handlers } });
  expect((await send(local, 'GET', '/ws/a/b/c/d/peek', bearer)).status).toBe(404);
  const ask = (workspace: string, credential: string) =>
    local.handle({
      operation: peek,
      path: { workspace },
      query: {},
      body: null,
      credential: new Secret(credential),
      signal: AbortSignal.timeout(10_000),
    });
  expect(await ask('ws', key)).toMatchObject({
    status: 200,
    body: { input: { workspace: 'ws' }, principal: 'alice' },
  });
  expect(await ask('ws', 'wrong')).toMatchObject({ status: 401 });
  expect(await ask('only-alice', 'key-of-bob')).toMatchObject({ status: 403 });
  await local.close();
});

test('a client that goes away aborts its handler', async () => {
  const socket = connect(service.port, '127.0.0.1');
  socket.write(
    `GET /wait?api_key=key-of-alice HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n\r\n`,
    () => setTimeout(() => socket.destroy(), 50),
  );
  await expect.poll(() => service.aborted).toEqual(['workspace']);
  expect((await send(service, 'GET', '/ws', bearer)).status).toBe(200);
});

test('a connection serves one request after another, refused ones included', async () => {
  const line = (path: string, last = '') =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${service.port}\r\n${last}\r\n`;
  const key = '?api_key=key-of-alice';
  const text = await sendRaw(
    service,
    line(`/a${key}`) + line('/b') + line(`/c${key}`, 'Connection: close\r\n'),
  );
  expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401', 'HTTP/1.1 200']);
});

describe('close', () => {
  test('ends with an idle keep-alive connection open', async () => {
    const own = await startTestService();
    const agent = new Agent({ keepAlive: true });
    const request = get(`${own.url}/?api_key=key-of-alice`, { agent });
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
    await own.close();
    await own.close();
    await expect(send(own, 'GET', '/', bearer)).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
  });

  test('lets a running request end', async () => {
    const own = await startTestService();
    const agent = new Agent({ keepAlive: true });
    const request = get(`${own.url}/slow?api_key=key-of-alice`, { agent });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const [[response]] = await Promise.all([once(request, 'response'), own.close()]);
    expect(response.statusCode).toBe(200);
    response.resume();
    agent.destroy();
  });

  test('cuts a request that does not end', async () => {
    const own = await startTestService();
    const waiting = send(own, 'GET', '/wait', bearer).catch((error: Error) => error.message);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await own.close();
    expect(await waiting).toContain('socket hang up');
    expect(own.aborted).toEqual(['workspace']);
  });
});
