// The description of the API beside the service itself, and the page on which it is tried out.

import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { systemClock } from '../../src/clock.ts';
import { createKeyCheck, deviceCredentials } from '../../src/event-store/api-key.ts';
import { eventStoreErrorBody } from '../../src/event-store/error-response.ts';
import { serve } from '../../src/http-server/serve.ts';
import { staticFileRoute } from '../../src/http-server/static-file.ts';
import { createLog } from '../../src/log.ts';
import {
  type EventStoreAnswer,
  openTestEventStore,
  plainEvent,
  type TestEventStore,
} from '../fixtures/event-store.ts';
import { hasChromium, inChromium, openBrowser, visit } from './chromium.ts';

const key = { 'x-api-key': 'a-key-for-the-docs' };

const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        responses: z.record(
          z.string(),
          z.object({
            content: z.record(z.string(), z.object({ schema: z.looseObject({}) })).optional(),
          }),
        ),
        security: z.array(z.unknown()),
      }),
    ),
  ),
  components: z.object({ securitySchemes: z.record(z.string(), z.unknown()) }),
});

let store: TestEventStore;
let document: z.output<typeof Document>;

beforeAll(async () => {
  store = await openTestEventStore({ settings: { API_KEY: key['x-api-key'] } });
  document = Document.parse((await store.get('/openapi.json', key)).body);
});

afterAll(() => store.close());

describe('the description', () => {
  test('names every address of the service with its methods', async () => {
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining([
        '/v2/events',
        '/v2/events/{event_id}',
        '/v2/events/{event_id}/finalize',
        '/events/count/stats',
        '/images/{file_id}',
        '/videos/{file_id}',
        '/local-only-files/{file_id}',
        '/health',
        '/metrics',
      ]),
    );
    for (const [path, methods] of Object.entries(document.paths)) {
      const answer = await fetch(store.url + path.replaceAll(/\{\w+\}/g, 'x'), {
        method: 'DELETE',
      });
      const allowed = (answer.headers.get('allow') ?? '').toLowerCase().split(', ').sort();
      const described = Object.keys(methods);
      if (described.includes('get')) described.push('head');
      expect({ path, allowed }).toEqual({ path, allowed: described.sort() });
    }
  });

  test('has schemas that the answers of the service keep', async () => {
    const created = await store.post('/v2/events', plainEvent, key);
    const id = created.text('id');
    keeps('events_create', created);
    keeps('events_get', await store.get(`/v2/events/${id}`, key));
    keeps('events_list', await store.get('/v2/events?limit=5', key));
    keeps('events_count', await store.get('/events/count/stats', key));
    keeps('events_finalize', await store.post(`/v2/events/${id}/finalize`, undefined, key));
    keeps('events_stats', await store.get('/v2/stats', key));
    keeps('events_ledger', await store.get('/v2/ledger', key));
    keeps('event_schemas_list', await store.get('/v2/event-schemas', key));
    keeps('health', await store.get('/health'));
    keeps('events_get', await store.get('/v2/events/unknown', key), 404);
    const guessed = await store.get('/v2/events/count', key);
    expect(guessed.text('detail')).toContain('Counts are at /events/count/stats');
    keeps('events_create', await store.post('/v2/events', {}, key), 422);
    keeps('events_list', await store.get('/v2/events'), 401);
    const later = `/v2/events/${id}/videos`;
    keeps('events_attach_video', await store.post(later, undefined, key), 409);
  });

  test('asks for the key only where one is set', async () => {
    expect(document.components.securitySchemes).toHaveProperty('device_key');
    const open = await openTestEventStore();
    onTestFinished(() => open.close());
    const { components, paths } = Document.parse((await open.get('/openapi.json')).body);
    expect(components.securitySchemes).toEqual({});
    expect(paths['/v2/events']?.get?.responses).not.toHaveProperty('401');
  });

  test.each(['/openapi.json', '/docs', '/docs/swagger-ui-bundle.js', '/metrics', '/'])(
    '%s is behind the key',
    async (path) => {
      expect((await store.get(path)).status).toBe(401);
      expect((await store.get(path, key)).status).toBe(200);
      const basic = Buffer.from(`me:${key['x-api-key']}`).toString('base64');
      expect((await store.get(path, { authorization: `Basic ${basic}` })).status).toBe(200);
    },
  );
});

test('a build without the files says so', async () => {
  const service = await serve({
    operations: {},
    handlers: {},
    routes: [staticFileRoute({ path: '/docs', file: undefined, policy: "default-src 'none'" })],
    credentials: deviceCredentials,
    authenticate: createKeyCheck(undefined),
    authorize: async () => {},
    errorBody: eventStoreErrorBody,
    port: 0,
    log: createLog('error', () => {}),
    clock: systemClock,
  });
  onTestFinished(() => service.close());
  const answer = await fetch(`${service.url}/docs`);
  expect(answer.status).toBe(404);
  expect(await answer.json()).toEqual({
    detail:
      'This build of the service lacks the files of this page. ' +
      'The API works without them; GET /openapi.json describes it.',
  });
});

describe.skipIf(!hasChromium)(inChromium, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  test('lists the operations, and tries one out with the key', async () => {
    const httpCredentials = { username: 'anybody', password: key['x-api-key'] };
    const options = { httpCredentials, viewport: { width: 1280, height: 2_000 } };
    const { page, problems } = await visit(browser, `${store.url}/docs`, options);
    await page.locator('#operations-events-events_create').waitFor();
    const { paths } = document;
    const count = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
    expect(await page.locator('.opblock').count()).toBe(count);
    const create = page.locator('#operations-events-events_create');
    await create.locator('.opblock-summary-control').click();
    await create.locator('.execute').click();
    await expect.poll(() => create.locator('.live-responses-table').textContent()).toContain('401');
    await page.locator('button.authorize').first().click();
    await page.locator('.auth-container input').fill(key['x-api-key']);
    await page.locator('.auth-btn-wrapper .authorize').click();
    await page.locator('.auth-btn-wrapper .btn-done').click();
    await create.locator('.execute').click();
    await expect
      .poll(() => create.locator('.live-responses-table').textContent())
      .toContain('"message": "Stored."');
    expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
    await page.context().close();
  });
});

const ajv = new Ajv2020({ strict: false });

/** Holds an answer against the schema that the description has for its status. */
function keeps(operationId: string, answer: EventStoreAnswer, status?: number): void {
  const operation = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .find((found) => found.operationId === operationId);
  if (status !== undefined) expect(answer.status).toBe(status);
  const content = operation?.responses[String(answer.status)]?.content?.['application/json'];
  if (content === undefined) throw new Error(`${operationId} does not describe ${answer.status}`);
  const check = ajv.compile(content.schema);
  check(answer.body);
  expect({ operationId, errors: check.errors }).toEqual({ operationId, errors: null });
}
