// The OpenAPI document of the platform, and a page to try it out.

import { embeddedOperations } from '../contract/index.ts';
import {
  type ErrorAnswerDescription,
  type JsonSchema,
  openApi,
  type RouteDescription,
} from '../contract/openapi.ts';
import type { Operation } from '../contract/operation.ts';
import { apiDocsRoutes } from '../http-server/api-docs-page.ts';
import type { Route } from '../http-server/handlers.ts';
import type { Principal } from './access-control/authorization.ts';

/** `/openapi.json`, and `/docs` with the files that it loads. Open: they tell nothing of data. */
export function docsRoutes(): readonly Route<Principal>[] {
  return apiDocsRoutes({ describe: describeApi, open: true });
}

/** The whole API as OpenAPI 3.1. */
function describeApi(): JsonSchema {
  return openApi(embeddedOperations, {
    title: 'Fovea platform',
    version: 'v1',
    description: introduction,
    security: {
      bearer: { type: 'http', scheme: 'bearer', description: 'An API key or an access token.' },
      api_key_query: { type: 'apiKey', in: 'query', name: 'api_key' },
    },
    credentials: ['bearer', 'api_key_query'],
    routes,
    errors: errorsOf,
    errorAnswer,
    examples,
  });
}

const introduction = [
  'Labelled images, dataset versions, trainings, search and vision events, on this machine.',
  'What takes long answers with a task; ask for it until it is completed or failed.',
  'A POST may carry the key as `api_key` in its JSON body as well.',
].join(' ');

const routes: readonly RouteDescription[] = [
  {
    id: 'blob_get',
    path: '/blobs/{hash}',
    summary: 'The bytes behind a link that an operation gave.',
    tag: 'files',
    contentType: 'application/octet-stream',
    query: ['name', 'type', 'expires', 'signature'],
    hasRanges: true,
    errors: [403, 416],
  },
  {
    id: 'thumb_get',
    path: '/thumbs/{hash}',
    summary: 'An image in small, by a link that an operation gave.',
    tag: 'files',
    contentType: 'image/jpeg',
    query: ['expires', 'signature'],
    errors: [403],
  },
  {
    id: 'upload_put',
    method: 'put',
    path: '/uploads/{id}',
    summary: 'Takes the bytes of a file, by a link that an operation gave.',
    tag: 'files',
    contentType: 'application/json',
    query: ['expires', 'signature'],
    schema: {
      type: 'object',
      properties: { success: { type: 'boolean' }, bytes: { type: 'integer' } },
      required: ['success'],
    },
    errors: [400, 403, 408, 409, 413, 529],
  },
  {
    id: 'health',
    path: '/health',
    summary:
      'Whether the service answers; with ?ready=1, 503 while its database or its files cannot be reached. Needs no key.',
    tag: 'service',
    contentType: 'application/json',
    query: ['ready'],
    schema: {
      type: 'object',
      properties: {
        status: { enum: ['ok', 'degraded'] },
        ready: { type: 'boolean' },
        problems: { type: 'array', items: { type: 'string' } },
      },
      required: ['status'],
    },
    errors: [400, 503],
  },
];

/** API 27.1 to 27.5; bodies have a size and a type as well, also where none is expected. */
function errorsOf({ errors, method }: Operation): readonly number[] {
  return [...general, ...errors, ...(method === 'GET' ? [] : [413, 415])];
}

const general = [400, 401, 403, 404, 429];

const words: JsonSchema = { type: 'string', minLength: 1 };

/** API 27.6. A 502 says whether the same call may be made again. */
function errorAnswer(status: number, operation?: Operation): ErrorAnswerDescription {
  const error = operation?.textErrors.includes(status)
    ? words
    : {
        type: 'object',
        properties: { message: words, type: words, hint: words },
        required: ['message', 'type'],
      };
  return {
    description: conditions[status] ?? 'An error.',
    schema: {
      type: 'object',
      properties: { error, ...(status === 502 && { retryable: { type: 'boolean' } }) },
      required: ['error'],
    },
  };
}

const conditions: Readonly<Record<number, string>> = {
  400: 'The request is invalid.',
  401: 'The credential is missing or invalid.',
  403: 'The credential does not have access to this resource.',
  404: 'There is no such resource, or it is not accessible.',
  408: 'The body came too slowly.',
  409: 'It does not fit the state in which the resource is.',
  413: 'The body is larger than this platform takes.',
  415: 'The content is of a type that is not taken.',
  416: 'The range lies beyond the content.',
  429: 'The request rate is too high; Retry-After says when to ask again.',
  501: 'This platform is not set up for it.',
  502: 'A host that had to be called failed; retryable says whether to try again.',
  529: 'The disk is full.',
};

const examples = {
  [embeddedOperations.projects_create.id]: {
    name: 'Blood cells',
    type: 'object-detection',
    annotation: 'cells',
  },
  [embeddedOperations.projects_rebalance_splits.id]: {
    splits: { train: 70, valid: 20, test: 10 },
  },
  [embeddedOperations.workspace_search.id]: { query: 'class:Platelets>=3 split:train' },
};
