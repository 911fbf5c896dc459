// Handlers that read the body by themselves: for whom their work counts.

import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentCaller } from '../../src/current-caller.ts';
import { StreamingHandler } from '../../src/http-server/handlers.ts';
import {
  bearer,
  handlersFor,
  json,
  type operations,
  send,
  startTestService,
  type TestService,
} from './test-service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ handlers: { ...handlersFor([]), startVideo: handler } });
});

afterAll(() => service.close());

const handler = new StreamingHandler<typeof operations.startVideo, string>(
  async (_input, body) => ({
    operation: 'stream',
    body: await text(body),
    caller: currentCaller()?.name,
  }),
);

test('the work counts for the principal of the request', async () => {
  const answer = await send(service, 'POST', '/videoinfer', bearer, 'a stream');
  expect(json(answer)).toEqual({ operation: 'stream', body: 'a stream', caller: 'alice' });
});

test('without a credential the handler is not called', async () => {
  const answer = await send(service, 'POST', '/videoinfer', {}, 'a stream');
  expect(answer.status).toBe(401);
});
