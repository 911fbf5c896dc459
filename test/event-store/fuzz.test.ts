// Random and malformed requests against a real service: no 5xx, documented answers, nothing left
// behind. FUZZ_RUNS=20000 makes a longer run, with a new seed each time.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call, Reply } from '../conformance/http.ts';
import { type EventStoreProcess, startEventStoreProcess } from '../fixtures/event-store-process.ts';
import { createdAnswer, pageAnswer } from './conformance/answers.ts';
import type { Context } from './conformance/check.ts';
import { type Cloud, startCloud } from './conformance/cloud.ts';
import { clip, filePart, multipart, multipartType, part } from './conformance/samples.ts';
import {
  attachment,
  contents,
  create,
  eventOf,
  expectErrorBody,
  read,
} from './conformance/steps.ts';
import { suiteFor } from './conformance/suite.ts';
import { damaged, oddEvent, oddId, oddQuery, validEvent } from './fuzz/generators.ts';
import { rawRequests, sendRaw } from './fuzz/raw-requests.ts';

const { FUZZ_RUNS } = process.env;
const runs =
  FUZZ_RUNS === undefined ? { numRuns: 50, seed: 20_261_121 } : { numRuns: Number(FUZZ_RUNS) };
const timeoutMs = 30_000 + runs.numRuns * 200;

let service: EventStoreProcess;
let cloud: Cloud;
let fixture: Context;

beforeAll(async () => {
  [service, cloud] = await Promise.all([startEventStoreProcess(), startCloud()]);
  fixture = suiteFor({ url: service.url, key: undefined, cloud });
});

afterAll(async () => {
  const { status } = await fixture.client.send({ path: '/health' });
  const code = await service.stop();
  await cloud.close();
  expect([status, code]).toEqual([200, 0]);
  expect(service.log()).not.toMatch(/ error /);
});

describe('events', () => {
  test(
    'that the contract allows are taken, and come back as they were sent',
    async () => {
      await fc.assert(
        fc.asyncProperty(validEvent, async (event) => {
          const reply = await post(event);
          expect([reply.status, reply.text]).toEqual([201, reply.text]);
          await expectSame(event, reply);
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test(
    'with one odd thing are taken as they are, or refused and leave nothing',
    async () => {
      await fc.assert(
        fc.asyncProperty(oddEvent, async (event) => {
          const call = { method: 'POST', path: '/v2/events', json: event } as const;
          const { status, json, text } = await answered(call, [201, 400, 413, 422]);
          if (status === 201) await expectSame(event, { json, text });
        }),
        runs,
      );
    },
    timeoutMs,
  );

  const head = '{"event_schema":"custom","inference_timestamp":"2026-11-21T06:29:50Z",';
  test.each([
    ['depth 100,000', `${head}"event_data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['depth without an end', `${head}"event_data":${'{"a":'.repeat(100_000)}`],
    ['members of the prototype', `${head}"event_data":{"__proto__":{"draft":true}}}`],
    ['one member twice', `${head}"draft":false,"draft":true,"event_data":{}}`],
    ['one member in two spellings', `${head}"event_data":{},"eventData":{}}`],
    ['a number beyond all', `${head}"event_data":{},"displayImagePosition":1e999}`],
    [
      'a number without an end',
      `${head}"event_data":{},"custom_metadata":{"n":${'9'.repeat(5_000)}}}`,
    ],
    ['half a surrogate pair', `${head}"event_data":{"value":"\\ud83d"}}`],
    ['NUL, escaped', `${head}"event_data":{"value":"a\\u0000b"}}`],
    ['NUL, plain', `${head}"event_data":{"value":"a\u0000b"}}`],
    ['a byte order mark', `\ufeff${head}"event_data":{}}`],
    ['a comment', `${head}/* */"event_data":{}}`],
    ['a second body', `${head}"event_data":{}}{}`],
    ['NaN', `${head}"event_data":{},"displayImagePosition":NaN}`],
    ['a million members', `${head}"event_data":{"a":[${'0,'.repeat(1_300_000)}0]}}`],
  ])('as JSON with %s', async (_, body) => {
    await answered(
      { method: 'POST', path: '/v2/events', body, headers: { 'content-type': 'application/json' } },
      [201, 400, 413, 422],
    );
  });

  test.each([
    '',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json\t',
    ' application/json',
    'application/json, text/plain',
    'application/json; charset=utf-16',
    'application/problem+json',
    'text/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ])('under the content type %j', async (type) => {
    const body = JSON.stringify(eventOf(fixture));
    const headers = { 'content-type': type };
    await answered({ method: 'POST', path: '/v2/events', body, headers }, [201, 400, 422]);
  });
});

describe('reads', () => {
  test(
    'with odd parameters',
    async () => {
      await create(fixture, eventOf(fixture));
      await fc.assert(
        fc.asyncProperty(oddQuery, async (pairs) => {
          const rawQuery = `?${new URLSearchParams(pairs)}`;
          const { status, json } = await answered(
            { path: '/v2/events', rawQuery },
            [200, 400, 422],
          );
          if (status === 200) pageAnswer.parse(json);
          await answered({ path: '/v2/events/latest/query', rawQuery }, [200, 400, 422]);
          await answered({ path: '/events/count/stats', rawQuery }, [200, 400, 422]);
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test(
    'of odd ids',
    async () => {
      await fc.assert(
        fc.asyncProperty(oddId, async (id) => {
          const path = `/v2/events/${id}`;
          await answered({ path }, [200, 400, 404, 422]);
          await answered({ method: 'POST', path: `${path}/finalize` }, [400, 404, 405, 422]);
          for (const kind of ['images', 'videos', 'local-only-files']) {
            await answered({ path: `/${kind}/${id}` }, [400, 404, 422]);
          }
        }),
        runs,
      );
    },
    timeoutMs,
  );
});

describe('attachments', () => {
  const whole = multipart(part('name="label"', 'left'), filePart(clip.slice(0, 700)));

  test.each(['videos', 'local-only-files'] as const)(
    'of damaged %s',
    async (kind) => {
      const { id } = await create(fixture, eventOf(fixture, { draft: true }));
      await fc.assert(
        fc.asyncProperty(damaged(whole), async (body) => {
          const call = attachment(id, kind, { body, headers: multipartType });
          await answered(call, [201, 400, 413, 415, 422]);
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test.each([
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary=XX; boundary=YY',
    `multipart/form-data; boundary=${'X'.repeat(80)}`,
    'multipart/mixed; boundary=XX',
    'application/json',
    'text/plain; boundary=XX',
  ])('under the content type %s', async (type) => {
    const { id } = await create(fixture, eventOf(fixture, { draft: true }));
    const call = attachment(id, 'videos', { body: whole, headers: { 'content-type': type } });
    await answered(call, [201, 400, 422]);
  });

  test('with thousands of parts', async () => {
    const { id } = await create(fixture, eventOf(fixture, { draft: true }));
    const fields = Array.from({ length: 2_000 }, (_, index) => part(`name="f${index}"`, 'x'));
    const body = multipart(...fields, filePart(clip));
    await answered(attachment(id, 'videos', { body, headers: multipartType }), [400, 413, 422]);
  });
});

describe('bytes', () => {
  test.each(rawRequests)('of a request with %s', async (_, request, statuses) => {
    const before = await contents(fixture);
    const { status, answers, body } = await sendRaw(service.url, request);
    expect(statuses).toContain(status);
    expect(answers).toBe(1);
    if (status >= 400) expectErrorBody('', status, body);
    expect(await contents(fixture)).toEqual(before);
  });
});

function post(json: unknown): Promise<Reply> {
  return fixture.client.send({ method: 'POST', path: '/v2/events', json });
}

/** The answer: of one of these statuses, in its documented shape; a refusal leaves nothing. */
async function answered(call: Call, statuses: readonly number[]): Promise<Reply> {
  const isWrite = call.method === 'POST';
  const before = isWrite ? await contents(fixture) : undefined;
  const reply = await fixture.client.send(call);
  expect(statuses, `${call.path}: ${reply.text}`).toContain(reply.status);
  if (reply.status >= 400) {
    expectErrorBody(call.path, reply.status, reply.json);
    if (isWrite) expect(await contents(fixture)).toEqual(before);
  }
  return reply;
}

/** What was taken is not changed. */
async function expectSame(sent: unknown, reply: Pick<Reply, 'json' | 'text'>): Promise<void> {
  const { id } = createdAnswer.parse(reply.json);
  const event = await read(fixture, id);
  const { event_data, custom_metadata = null, device_id = null, solution = null } = Object(sent);
  expect({
    event_data: event.event_data,
    custom_metadata: event.custom_metadata,
    device_id: event.device_id,
    solution: event.solution,
  }).toEqual({ event_data, custom_metadata, device_id, solution });
}
