// The description of the platform's API beside the platform itself.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { embeddedOperations } from '../../src/contract/index.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

const Item = z.looseObject({
  operationId: z.string(),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  responses: z.record(
    z.string(),
    z.looseObject({
      content: z.record(z.string(), z.looseObject({ schema: z.looseObject({}) })).optional(),
    }),
  ),
});

const Document = z.looseObject({
  openapi: z.literal('3.1.1'),
  paths: z.record(z.string(), z.record(z.string(), Item)),
  components: z.looseObject({ securitySchemes: z.record(z.string(), z.unknown()) }),
});

let platform: TestPlatform;
let document: z.output<typeof Document>;

beforeAll(async () => {
  platform = await startTestPlatform();
  const answer = await fetch(`${platform.url}/openapi.json`);
  document = Document.parse(await answer.json());
});

afterAll(() => platform.close());

function items() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, item]) => ({ path, method, item })),
  );
}

test('it names every operation, and the addresses beside them', () => {
  const ids = items().map(({ item }) => item.operationId);
  const others = ['blob_get', 'thumb_get', 'upload_put', 'health'];
  expect(ids.toSorted()).toEqual([...Object.keys(embeddedOperations), ...others].toSorted());
});

test('every address of it has the methods that it describes', async () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    const url = platform.url + path.replaceAll(/\{\w+\}/g, 'x');
    const { headers, status } = await fetch(url, { method: 'OPTIONS' });
    expect(status).toBe(405);
    // A text in a path may also be a parameter of another one: so there can be more.
    const allowed = (headers.get('allow') ?? '').toLowerCase().split(', ');
    expect({ path, allowed }).toEqual({
      path,
      allowed: expect.arrayContaining(Object.keys(methods)),
    });
  }
});

test('every operation takes a header or a query, and says 400, 401, 403, 404 and 429', () => {
  expect(document.components.securitySchemes).toEqual({
    bearer: { type: 'http', scheme: 'bearer', description: 'An API key or an access token.' },
    api_key_query: { type: 'apiKey', in: 'query', name: 'api_key' },
  });
  for (const { item } of items()) {
    const { operationId, security, responses } = item;
    if (!Object.hasOwn(embeddedOperations, operationId)) continue;
    expect({ operationId, named: security.flatMap((one) => Object.keys(one)) }).toEqual({
      operationId,
      named: ['bearer', 'api_key_query'],
    });
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['400', '401', '403', '404', '429']),
    );
  }
});

test('every schema of it can be used as it stands', () => {
  const ajv = new Ajv2020({ strict: false });
  let schemas = 0;
  for (const { item } of items()) {
    for (const { content = {} } of Object.values(item.responses)) {
      for (const { schema } of Object.values(content)) {
        ajv.compile(schema);
        schemas += 1;
      }
    }
  }
  expect(schemas).toBeGreaterThan(500);
});

test.each([
  ['/openapi.json', 'application/json; charset=utf-8'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/docs.js', 'text/javascript; charset=utf-8'],
  ['/docs/docs.css', 'text/css; charset=utf-8'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
])('%s is there without a credential', async (path, type) => {
  const answer = await fetch(platform.url + path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
});
