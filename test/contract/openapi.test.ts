// The OpenAPI document of every operation: its structure, its schemas, and what a reader relies on.

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { deviceOperations } from '../../src/contract/device-operations.ts';
import { embeddedOperations } from '../../src/contract/index.ts';
import { openApi, type ServiceDescription } from '../../src/contract/openapi.ts';

const service: ServiceDescription = {
  title: 'A service',
  version: 'v2',
  description: 'For tests.',
  security: {
    device_key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    bearer: { type: 'http', scheme: 'bearer' },
  },
  routes: [
    {
      id: 'picture',
      path: '/pictures/{file_id}',
      summary: 'A picture.',
      tag: 'files',
      contentType: 'image/*',
      hasRanges: true,
      credential: 'device_key',
      errors: [404],
    },
    {
      id: 'health',
      path: '/health',
      summary: 'Whether it answers.',
      tag: 'service',
      contentType: 'application/json',
      schema: { type: 'object' },
      errors: [],
    },
  ],
  errors: ({ errors }) => [...errors, 401, 422],
  errorAnswer: (status) => ({
    description: `Error ${status}.`,
    schema: { type: 'object', properties: { detail: { type: 'string' } } },
  }),
  examples: { events_create: { event_schema: 'custom' } },
};

const JsonSchema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
const Content = z.record(
  z.string(),
  z.strictObject({ schema: JsonSchema, example: z.unknown().optional() }),
);
const Item = z.strictObject({
  operationId: z.string().regex(/^\w+$/),
  tags: z.array(z.string()).length(1),
  summary: z.string().min(1),
  parameters: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        in: z.enum(['path', 'query', 'header']),
        description: z.string().optional(),
        required: z.boolean().optional(),
        schema: JsonSchema,
        example: z.string().optional(),
      }),
    )
    .optional(),
  requestBody: z.strictObject({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(
    z.string().regex(/^[1-5]\d\d$/),
    z.strictObject({ description: z.string().min(1), content: Content.optional() }),
  ),
  security: z.array(z.record(z.string(), z.array(z.string()))),
});
/** OpenAPI 3.1 as far as we use it; members that it does not know are refused. */
const Document = z.strictObject({
  openapi: z.literal('3.1.1'),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  tags: z.array(z.strictObject({ name: z.string() })),
  paths: z.record(
    z.string().startsWith('/'),
    z.partialRecord(z.enum(['get', 'post', 'put', 'patch', 'delete']), Item),
  ),
  components: z.strictObject({
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.string() })),
  }),
});

const device = Document.parse(openApi(deviceOperations, service));
const platform = Document.parse(openApi(embeddedOperations, { ...service, routes: [] }));

describe.each([
  ['the Event Store', device, deviceOperations, 2],
  ['the platform', platform, embeddedOperations, 0],
])('the document of %s', (_name, document, operations, routes) => {
  const items = itemsOf(document);

  test('has every operation once, under its own id', () => {
    const ids = items.map(({ item }) => item.operationId);
    expect(ids).toHaveLength(Object.keys(operations).length + routes);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toEqual(expect.arrayContaining(Object.keys(operations)));
  });

  test('declares the parameters of each path, and no parameter twice', () => {
    for (const { path, item } of items) {
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = (item.parameters ?? []).filter((parameter) => parameter.in === 'path');
      expect(declared.map(({ name }) => name).sort()).toEqual(placeholders.sort());
      expect(declared.every(({ required }) => required)).toBe(true);
      const names = (item.parameters ?? []).map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  test('has no two paths that mean the same', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(shapes).toEqual([...new Set(shapes)]);
  });

  test('has tags and security schemes for all that are used', () => {
    const tags = document.tags.map(({ name }) => name);
    const schemes = Object.keys(document.components.securitySchemes);
    for (const { item } of items) {
      expect(tags).toEqual(expect.arrayContaining(item.tags));
      expect(schemes).toEqual(expect.arrayContaining(item.security.flatMap(Object.keys)));
    }
  });

  test('has valid schemas without references and without words of our own', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, formats });
    const schemas = items.flatMap(({ item }) => schemasOf(item));
    expect(schemas.length).toBeGreaterThan(items.length);
    for (const schema of schemas) expect(() => ajv.compile(schema)).not.toThrow();
    expect(JSON.stringify(document)).not.toMatch(/\$ref|\$schema|describedOnly/);
  });
});

describe('the Event Store', () => {
  test('has the query parameters of the document, with their types', () => {
    const parameters = itemOf('events_list').parameters ?? [];
    expect(parameters.map(({ name }) => name)).toEqual([
      'start_time',
      'end_time',
      'limit',
      'device_id',
      'event_schema',
      'workflow_id',
      'external_id',
      'related_event_id',
      'sort_direction',
      'device_id__in',
      'event_schema__in',
      'workflow_id__in',
      'external_id__in',
      'metadata_filter',
      // Event Store 18.12 and 18.13.
      'event_data_filter',
      'detection_filter',
      'include_drafts',
    ]);
    const schemas = new Map(parameters.map(({ name, schema }) => [name, schema]));
    expect(schemas.get('start_time')).toEqual({ type: 'string', format: 'date-time' });
    expect(schemas.get('limit')).toEqual({ type: 'integer', minimum: 1, maximum: 1000 });
    expect(schemas.get('metadata_filter')).toMatchObject({
      type: 'array',
      items: { type: 'string' },
    });
    expect(parameters.filter(({ required }) => required)).toEqual([]);
  });

  test('takes JSON with an example, and files as multipart', () => {
    const { requestBody } = itemOf('events_create');
    expect(requestBody).toMatchObject({
      required: true,
      content: {
        'application/json': {
          example: { event_schema: 'custom' },
          schema: {
            required: ['event_schema', 'event_data', 'inference_timestamp'],
            properties: { displayImagePosition: {}, images: { type: 'array' } },
          },
        },
      },
    });
    expect(itemOf('events_attach_file').requestBody?.content['multipart/form-data']).toMatchObject({
      schema: {
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary' }, content_type: {} },
      },
    });
    expect(itemOf('events_finalize')).not.toHaveProperty('requestBody');
  });

  test('says what each status answers', () => {
    const { responses } = itemOf('events_attach_video');
    expect(Object.keys(responses)).toEqual([
      '201',
      '401',
      '409',
      '413',
      '415',
      '422',
      '500',
      '529',
    ]);
    expect(responses[415]).toEqual({
      description: 'Error 415.',
      content: {
        'application/json': {
          schema: { type: 'object', properties: { detail: { type: 'string' } } },
        },
      },
    });
    expect(itemOf('events_get').responses[200]?.content?.['application/json']).toMatchObject({
      schema: {
        required: ['id', 'inference_timestamp', 'event_schema', 'event_data', 'created_at'],
      },
    });
  });

  test('asks for the key where one is needed', () => {
    expect(device.components.securitySchemes.device_key).toEqual({
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
    });
    expect(itemOf('events_create').security).toEqual([{ device_key: [] }]);
    expect(itemOf('picture').security).toEqual([{ device_key: [] }]);
    expect(itemOf('health').security).toEqual([]);
    const open = Document.parse(openApi(deviceOperations, { ...service, security: {} }));
    expect(itemsOf(open).flatMap(({ item }) => item.security)).toEqual([]);
  });

  test('describes raw routes with their ranges', () => {
    const { parameters, responses } = itemOf('picture');
    expect(parameters?.map(({ name }) => name)).toEqual(['file_id', 'Range']);
    expect(Object.keys(responses)).toEqual(['200', '206', '404']);
    expect(responses[206]?.content).toHaveProperty(['image/*']);
  });
});

test('the platform says the scope of each operation, and answers without a body', () => {
  const get = (id: string) => itemsOf(platform).find(({ item }) => item.operationId === id)?.item;
  expect(get('annotation_jobs_list')?.security).toEqual([{ bearer: ['annotation-job:read'] }]);
  expect(get('autolabel_start')?.responses).toHaveProperty('202');
  const empty = itemsOf(platform).flatMap(({ item }) => item.responses[204] ?? []);
  expect(empty.every((answer) => answer.content === undefined)).toBe(true);
});

const formats = { 'date-time': true, binary: true, uri: true, email: true } as const;

function itemsOf(document: z.output<typeof Document>) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((item) => ({ path, item })),
  );
}

function itemOf(id: string): z.output<typeof Item> {
  const found = itemsOf(device).find(({ item }) => item.operationId === id);
  if (found) return found.item;
  throw new Error(`no ${id}`);
}

function schemasOf({ parameters = [], requestBody, responses }: z.output<typeof Item>) {
  const contents = [requestBody, ...Object.values(responses)].flatMap((part) =>
    Object.values(part?.content ?? {}),
  );
  return [...parameters, ...contents].map(({ schema }) => schema);
}
