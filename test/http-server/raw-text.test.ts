// Handlers that are first given a short body as it came.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { deviceCredentials } from '../../src/event-store/api-key.ts';
import { RawTextHandler } from '../../src/http-server/handlers.ts';
import {
  type Answer,
  handlersFor,
  json,
  key,
  type operations,
  send,
  startTestService,
  type TestService,
} from './test-service.ts';

let service: TestService;
const texts: string[] = [];

beforeAll(async () => {
  service = await startTestService({
    handlers: { ...handlersFor([]), startVideo: handler },
    credentials: deviceCredentials,
    checkAnswers: true,
  });
});

afterEach(() => {
  texts.length = 0;
});

afterAll(() => service.close());

const handler = new RawTextHandler<typeof operations.startVideo, string>(
  async (text) => {
    texts.push(text);
    if (text.includes('refuse')) throw new FoveaError('conflict', 'Refused.');
    if (text.includes('later')) return undefined;
    return text.includes('wrong') ? JSON.parse('{"operation": 7}') : { operation: 'text' };
  },
  async (input) => ({ operation: 'members', input }),
);

function post(
  body: string | Buffer,
  path = '/videoinfer',
  headers: Record<string, string> = {},
): Promise<Answer> {
  const own = { 'x-api-key': key, 'content-type': 'application/json', ...headers };
  return send(service, 'POST', path, own, body);
}

test('the text as it came', async () => {
  const answer = await post('{ "a": 1 }');
  expect(json(answer)).toEqual({ operation: 'text' });
  expect(texts).toEqual(['{ "a": 1 }']);
});

test('what it leaves is read as any other', async () => {
  expect(json(await post('{"later":1}'))).toEqual({ operation: 'members', input: { later: 1 } });
  expect(texts).toEqual(['{"later":1}']);
  expect((await post('{later')).status).toBe(400);
});

test.each([
  ['a long body', JSON.stringify({ a: 'x'.repeat(20_000) }), '/videoinfer', {}],
  ['a body that is no UTF-8', Buffer.from('{"a":"\xff"}', 'latin1'), '/videoinfer', {}],
  ['another type', 'a', '/videoinfer', { 'content-type': 'text/plain' }],
  ['a parameter beside it', '{}', '/videoinfer?a=1', {}],
])('%s is not given to it', async (_, body, path, headers) => {
  await post(body, path, headers);
  expect(texts).toEqual([]);
});

test('who is not known is refused before it', async () => {
  expect((await post('{}', '/videoinfer', { 'x-api-key': 'another' })).status).toBe(401);
  expect(texts).toEqual([]);
});

test('what it throws, and a wrong answer, are errors as everywhere', async () => {
  expect((await post('{"refuse":1}')).status).toBe(409);
  expect((await post('{"wrong":1}')).status).toBe(500);
});
