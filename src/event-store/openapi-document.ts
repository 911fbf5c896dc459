// The API documentation: OpenAPI, and an offline page for trying it out.

import { deviceOperations } from '../contract/device-operations.ts';
import {
  type ErrorAnswerDescription,
  type JsonSchema,
  openApi,
  type RouteDescription,
} from '../contract/openapi.ts';
import type { Operation } from '../contract/operation.ts';
import { apiDocsRoutes } from '../http-server/api-docs-page.ts';
import type { Route } from '../http-server/handlers.ts';
import type { Caller } from './api-key.ts';

export interface ApiDocsOptions {
  /** Whether this service requires an API key. */
  readonly hasKey: boolean;
}

/** `/openapi.json`, and `/docs` with the files that it loads. */
export function docsRoutes(options: ApiDocsOptions): readonly Route<Caller>[] {
  return apiDocsRoutes({ describe: () => describeApi(options), open: false });
}

/** The whole API as OpenAPI 3.1. */
function describeApi({ hasKey }: ApiDocsOptions): JsonSchema {
  return openApi(deviceOperations, {
    title: 'Device Event Store',
    version: 'v2',
    description: introduction,
    security: hasKey ? { device_key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } } : {},
    routes,
    errors: (operation) => errorsOf(operation, hasKey),
    errorAnswer,
    examples,
  });
}

const introduction = [
  'Stores inference events of this device, each with its images, videos and local-only files.',
  'Members of an event are taken in camelCase and in snake_case; answers are snake_case.',
  'Boxes are centre-based, in absolute pixels. Times without a zone are UTC.',
].join(' ');

const health: JsonSchema = {
  type: 'object',
  properties: {
    status: { enum: ['ok', 'degraded'] },
    ready: { type: 'boolean' },
    problems: { type: 'array', items: { type: 'string' } },
  },
  required: ['status', 'ready', 'problems'],
};

const key = { credential: 'device_key', errors: [401, 500] } as const;

const routes: readonly RouteDescription[] = [
  {
    ...key,
    id: 'image_get',
    path: '/images/{file_id}',
    summary: 'The bytes of an image.',
    tag: 'files',
    contentType: 'image/*',
    hasRanges: true,
    errors: [401, 404, 416, 500],
  },
  {
    ...key,
    id: 'video_get',
    path: '/videos/{file_id}',
    summary: 'The bytes of a video.',
    tag: 'files',
    contentType: 'video/*',
    hasRanges: true,
    errors: [401, 404, 416, 500],
  },
  {
    ...key,
    id: 'local_only_file_get',
    path: '/local-only-files/{file_id}',
    summary: 'The bytes of a local-only file, as a download.',
    tag: 'files',
    contentType: 'application/octet-stream',
    hasRanges: true,
    errors: [401, 404, 416, 500],
  },
  {
    id: 'health',
    path: '/health',
    summary:
      'Says what is wrong, with 200 while the service answers; with ?ready=1, 503 while it takes no events in. Needs no key.',
    tag: 'service',
    contentType: 'application/json',
    schema: health,
    errors: [400, 500, 503],
  },
  {
    ...key,
    id: 'metrics',
    path: '/metrics',
    summary: 'Figures of the store in the text format of Prometheus.',
    tag: 'service',
    contentType: 'text/plain',
    schema: { type: 'string' },
  },
];

/** Event Store 15.1 to 15.23. */
function errorsOf(operation: Operation, hasKey: boolean): readonly number[] {
  const hasInput = operation.bodyType !== 'none' || Object.keys(operation.query.shape).length > 0;
  const isNamed = Object.keys(operation.pathParameters.shape).length > 0;
  return [
    ...operation.errors,
    ...(hasInput ? [400] : []),
    ...(hasKey ? [401] : []),
    ...(isNamed ? [404] : []),
    422,
    500,
  ];
}

const detail: JsonSchema = {
  type: 'object',
  properties: { detail: { type: 'string' } },
  required: ['detail'],
};

const problems: JsonSchema = {
  type: 'object',
  properties: {
    detail: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          loc: { type: 'array', items: { type: ['string', 'integer'] } },
          msg: { type: 'string' },
          type: { type: 'string' },
        },
        required: ['loc', 'msg', 'type'],
      },
    },
  },
  required: ['detail'],
};

const blocked: JsonSchema = {
  type: 'object',
  properties: { detail: { type: 'string' }, error: { const: 'capacity_blocked' } },
  required: ['detail', 'error'],
};

const schemas: Readonly<Record<number, JsonSchema>> = { 422: problems, 503: health, 529: blocked };

const conditions: Readonly<Record<number, string>> = {
  400: 'The request cannot be carried out as it is.',
  401: 'The X-API-Key is missing or wrong.',
  404: 'There is no such event or file.',
  409: 'The event is finalized; files go to drafts only.',
  413: 'The body is larger than this store takes.',
  415: 'The content is no video of a known format.',
  416: 'The range lies beyond the content.',
  422: 'The request does not fit the contract; each problem with its place.',
  500: 'The store failed.',
  503: 'The store takes no events in now; problems says why.',
  529: 'The store is at its limits; nothing was written. Try again later.',
};

function errorAnswer(status: number): ErrorAnswerDescription {
  return { description: conditions[status] ?? 'An error.', schema: schemas[status] ?? detail };
}

const examples = {
  [deviceOperations.events_create.id]: {
    event_schema: 'quality_check',
    event_data: { result: 'pass', externalId: 'part-0001' },
    inference_timestamp: '2026-11-21T09:30:00Z',
    device_id: 'camera-1',
    custom_metadata: { line: 3 },
    images: [
      {
        label: 'top',
        base64Image:
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        objectDetections: [
          { class: 'part', x: 0.5, y: 0.5, width: 1, height: 1, confidence: 0.97 },
        ],
      },
    ],
    draft: false,
  },
  [deviceOperations.events_hold.id]: { reason: 'Claim 4711' },
  [deviceOperations.events_retry_upload.id]: {},
};
