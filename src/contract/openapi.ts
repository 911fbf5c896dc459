// Generates OpenAPI 3.1 from operations.

import * as z from 'zod';
import type { Credential, Operation } from './operation.ts';

/** JSON Schema of 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ErrorAnswerDescription {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** A route without an operation. Path parameters in braces are strings. */
export interface RouteDescription {
  readonly id: string;
  /** Default `get`; the body of a `put` is binary. */
  readonly method?: 'get' | 'put';
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** Names of query parameters, all strings. */
  readonly query?: readonly string[];
  /** Media type of the answer; without `schema` it is binary. */
  readonly contentType: string;
  readonly schema?: JsonSchema;
  /** Whether range requests are supported. */
  readonly hasRanges?: boolean;
  /** Undefined: needs no credential. */
  readonly credential?: Credential;
  readonly errors: readonly number[];
}

/** Description of a service beside its operations. */
export interface ServiceDescription {
  readonly title: string;
  readonly version: string;
  /** Markdown. */
  readonly description: string;
  readonly routes?: readonly RouteDescription[];
  /** Security scheme of each credential; a credential without one is not required. */
  readonly security: Readonly<Partial<Record<Credential, JsonSchema>>>;
  /** Credentials that an operation accepts; default: only its own. */
  readonly credentials?: readonly Credential[];
  /** Error statuses of an operation. */
  errors(operation: Operation): readonly number[];
  /** Answer of an error status; without an operation: of a route. */
  errorAnswer(status: number, operation?: Operation): ErrorAnswerDescription;
  /** Example bodies, by the id of the operation. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

/** The OpenAPI document; schemas are inlined, so it has no references. */
export function openApi(
  operations: Readonly<Record<string, Operation>>,
  service: ServiceDescription,
): JsonSchema {
  const { title, version, description, routes = [], security } = service;
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const add = (path: string, method: string, item: JsonSchema) => {
    paths[path] = { ...paths[path], [method]: item };
  };
  const firstOf = new Map<string, string>();
  for (const operation of Object.values(operations)) {
    const shape = operation.path.replaceAll(/\{\w+\}/g, '{}');
    const path = firstOf.get(shape) ?? operation.path;
    firstOf.set(shape, path);
    add(path, operation.method.toLowerCase(), operationItem(operation, path, service));
  }
  for (const route of routes) add(route.path, route.method ?? 'get', routeItem(route, service));
  const tags = [
    ...Object.values(operations).map(({ toolset }) => toolset),
    ...routes.map(({ tag }) => tag),
  ];
  return {
    openapi: '3.1.1',
    info: { title, version, description },
    tags: [...new Set(tags)].map((name) => ({ name })),
    paths,
    components: { securitySchemes: security },
  };
}

/**
 * `path` is that of the first operation whose path has the same shape, since OpenAPI allows only
 * one of them; parameters have the names that they have there.
 */
function operationItem(
  operation: Operation,
  path: string,
  service: ServiceDescription,
): JsonSchema {
  const { id, toolset, summary, success, alsoAnswers, answer, credential, scope } = operation;
  const answers = Object.fromEntries(
    [success, ...alsoAnswers].map((status) => [status, successAnswer(status, answer)]),
  );
  return {
    operationId: id,
    tags: [toolset],
    summary,
    ...parametersOf([...pathParameters(operation, path), ...parameters(operation.query, 'query')]),
    ...requestBody(operation, service.examples?.[id]),
    responses: { ...answers, ...errorAnswers(service.errors(operation), service, operation) },
    security: (service.credentials ?? [credential]).flatMap((name) =>
      securityOf(name, service, name === 'bearer' ? [scope] : []),
    ),
  };
}

function routeItem(route: RouteDescription, service: ServiceDescription): JsonSchema {
  const { id, tag, summary, path, contentType, schema = {}, hasRanges, credential } = route;
  const { method, query = [] } = route;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const content = { [contentType]: { schema } };
  const range = { name: 'Range', in: 'header', schema: { type: 'string' }, example: 'bytes=0-99' };
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...parametersOf([
      ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...query.map((name) => ({ name, in: 'query', required: true, schema: { type: 'string' } })),
      ...(hasRanges ? [range] : []),
    ]),
    ...(method === 'put' && {
      requestBody: { required: true, content: { 'application/octet-stream': { schema: {} } } },
    }),
    responses: {
      200: { description: descriptions[200], content },
      ...(hasRanges && { 206: { description: 'The bytes of the range.', content } }),
      ...errorAnswers(route.errors, service),
    },
    security: securityOf(credential, service, []),
  };
}

function parametersOf(list: readonly JsonSchema[]): JsonSchema {
  return list.length === 0 ? {} : { parameters: list };
}

function pathParameters({ pathParameters: schema, path: own }: Operation, path: string) {
  const [names, shown] = [own, path].map((text) => [...text.matchAll(/\{(\w+)\}/g)]);
  return parameters(schema, 'path').map((parameter) => {
    const place = names?.findIndex(([, name]) => name === parameter.name) ?? -1;
    const name = shown?.[place]?.[1] ?? parameter.name;
    if (name === parameter.name) return parameter;
    return { ...parameter, name, description: `The ${parameter.name}.` };
  });
}

/** An array is a repeated parameter, which is the default of OpenAPI. */
function parameters(schema: z.ZodObject, place: 'path' | 'query'): JsonSchema[] {
  const { properties = {}, required = [] } = objectSchema(schema);
  return Object.entries(properties).map(([name, { description, ...value }]) => ({
    name,
    in: place,
    ...(description !== undefined && { description }),
    required: place === 'path' || required.includes(name),
    schema: value,
  }));
}

function requestBody(operation: Operation, example: unknown): JsonSchema {
  const { body, bodyType, rawMember } = operation;
  if (bodyType === 'none') return {};
  const schema = jsonSchema(body, 'input');
  const type = bodyType === 'json' ? 'application/json' : 'multipart/form-data';
  const content = {
    [type]: { schema, ...(example !== undefined && { example }) },
    ...(rawMember !== undefined && {
      'text/plain': { schema: { type: 'string', description: `\`${rawMember}\` alone.` } },
    }),
  };
  const { required = [] } = objectSchema(body);
  return { requestBody: { required: required.length > 0, content } };
}

const descriptions: Readonly<Record<Operation['success'], string>> = {
  200: 'Done.',
  201: 'Stored.',
  202: 'Taken on; the work goes on.',
  204: 'Done; the answer has no body.',
};

function successAnswer(status: Operation['success'], answer: z.ZodType): JsonSchema {
  const description = descriptions[status];
  if (status === 204) return { description };
  return {
    description,
    content: { 'application/json': { schema: jsonSchema(answer, 'output') } },
  };
}

function errorAnswers(
  statuses: readonly number[],
  service: ServiceDescription,
  operation?: Operation,
): JsonSchema {
  const sorted = [...new Set(statuses)].sort((a, b) => a - b);
  return Object.fromEntries(
    sorted.map((status) => {
      const { description, schema } = service.errorAnswer(status, operation);
      return [status, { description, content: { 'application/json': { schema } } }];
    }),
  );
}

function securityOf(
  credential: Credential | undefined,
  { security }: ServiceDescription,
  scopes: readonly string[],
): readonly JsonSchema[] {
  if (credential === undefined || security[credential] === undefined) return [];
  return [{ [credential]: scopes }];
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
}

function objectSchema(schema: z.ZodObject): ObjectSchema {
  return objectShape.parse(jsonSchema(schema, 'input'));
}

const objectShape = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  required: z.array(z.string()).optional(),
});

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
    override: ({ zodSchema, jsonSchema }) => plain(zodSchema, jsonSchema),
  });
  return rest;
}

/** Without our own keywords and unreadable patterns. */
function plain(schema: z.core.$ZodTypes, json: z.core.JSONSchema.BaseSchema): void {
  if (json.format === 'binary') {
    Object.assign(json, { type: 'string', contentMediaType: 'application/octet-stream' });
  }
  // The pattern of a time has 400 characters, and `format` says the same.
  if (schema._zod.def.type === 'string' && 'format' in schema._zod.def && json.pattern) {
    const { format } = schema._zod.def;
    if (format === 'datetime') Object.assign(json, { format: 'date-time', pattern: undefined });
  }
  const isBound = (bound: unknown) => Math.abs(Number(bound)) !== Number.MAX_SAFE_INTEGER;
  if (!isBound(json.minimum)) delete json.minimum;
  if (!isBound(json.maximum)) delete json.maximum;
}
