// The shape of one operation on the wire. Everything else derives from such constants: the tool,
// the client, the handlers of our own services, the documentation and the tests.

import * as z from 'zod';
import { type BodyBounds, bodyBounds } from './body-bounds.ts';
import type { Scope } from './scopes.ts';

/**
 * The service that answers: the management API, the device Event Store, or the embedded platform,
 * also where another one is the management API, or wherever deployed models run.
 */
export type Host = 'base' | 'device' | 'local' | 'serverless';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What a call does to the world. The hints of a tool come from it. */
export type Effect = 'reads' | 'adds' | 'changes' | 'removes';

/** How a call proves who makes it (API 25.1 to 25.4, Event Store 13.1). */
export type Credential = 'bearer' | 'api_key_query' | 'device_key';

/** The families: one word each, the same on every floor. */
export type Family =
  | 'workspace'
  | 'projects'
  | 'versions'
  | 'trainings'
  | 'api_keys'
  | 'folders'
  | 'images'
  | 'annotation'
  | 'search'
  | 'trash'
  | 'tasks'
  | 'deployment'
  | 'monitoring'
  | 'vision_events'
  | 'video'
  | 'inference'
  | 'workflows'
  | 'events';

export interface Operation<
  Path extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Answer extends z.ZodType = z.ZodType,
> {
  /** Also the name of the tool, for example `projects_create`. */
  readonly id: string;
  readonly family: Family;
  readonly host: Host;
  readonly method: Method;
  /** As in the specification, for example `/{workspace}/{project}`. */
  readonly path: string;
  /** One sentence for the API reference. */
  readonly summary: string;
  readonly pathParameters: Path;
  readonly query: Query;
  readonly body: Body;
  /** `none` where the specification shows no payload. */
  readonly bodyType: 'none' | 'json' | 'multipart';
  /**
   * The body member that a body of another type fills: plain text for a JSON operation, base64
   * for a multipart one. Undefined: such a body is refused.
   */
  readonly rawMember: string | undefined;
  /** What a JSON body may cost, counted before it is parsed; likewise JSON text in any input. */
  readonly bodyBounds: BodyBounds;
  /** What a 2xx answer carries; open to more members. A 204 carries nothing. */
  readonly answer: Answer;
  /** The status with which our own services answer a success. */
  readonly success: 200 | 201 | 202 | 204;
  /** Other statuses with which they answer one, with the same body. */
  readonly alsoAnswers: readonly (200 | 201 | 202)[];
  /** Statuses that this operation may answer beyond 400, 401, 403, 404 and 429. */
  readonly errors: readonly number[];
  /** Statuses whose body is `{ error: string }`; in all others `error` is an object. */
  readonly textErrors: readonly number[];
  readonly credential: Credential;
  /**
   * What an access token must allow (API 26.1 to 26.15). The Event Store takes a key,
   * so for its operations the scope speaks of the tool alone.
   */
  readonly scope: Scope;
  readonly effect: Effect;
  /** For `removes`: whether what is removed goes to the trash. */
  readonly recoverable: boolean;
  /** Whether a second identical call leaves the same state. */
  readonly idempotent: boolean;
  /** Whether the work goes on after the answer, under a task or another handle. */
  readonly longRunning: boolean;
  /** The least time between two calls with the same arguments, in milliseconds. */
  readonly intervalMs: number;
}

const usualBounds = bodyBounds();

const nothing = z.strictObject({});
type Nothing = typeof nothing;

type Required = 'id' | 'family' | 'method' | 'path' | 'summary' | 'answer' | 'scope' | 'effect';

/** What an operation has to say; the rest has the defaults below. */
type Words<O extends Operation> = Pick<O, Required> & Partial<Omit<O, Required>>;

/**
 * States an operation. Left out: no parameters, no body, the management API, a Bearer credential,
 * success 200; whatever adds is not idempotent, all else is.
 */
export function operation<
  Path extends z.ZodObject = Nothing,
  Query extends z.ZodObject = Nothing,
  Body extends z.ZodObject = Nothing,
  Answer extends z.ZodType = z.ZodType,
>(words: Words<Operation<Path, Query, Body, Answer>>): Operation<Path, Query, Body, Answer>;
export function operation(words: Words<Operation>): Operation {
  return Object.freeze({
    host: 'base',
    pathParameters: nothing,
    query: nothing,
    body: nothing,
    bodyType: words.body ? 'json' : 'none',
    rawMember: undefined,
    bodyBounds: usualBounds,
    success: 200,
    alsoAnswers: [],
    errors: [],
    textErrors: [],
    credential: words.host === 'device' ? 'device_key' : 'bearer',
    recoverable: false,
    idempotent: words.effect !== 'adds',
    longRunning: false,
    intervalMs: 0,
    ...words,
  });
}

/** The shape of a schema without members would forbid all members when joined with others. */
type Given<S extends z.ZodObject> = keyof S['shape'] extends never ? unknown : z.input<S>;

/**
 * The arguments of an operation, flat: path, query and body members never share a name. The
 * contract has no defaults and no transforms, so this is also what a handler receives.
 */
export type Input<O extends Operation> = Parameters<O> & Given<O['body']>;

/** Those of path and query alone. */
export type Parameters<O extends Operation> = Given<O['pathParameters']> & Given<O['query']>;

/** What a 2xx answer of an operation carries. */
export type Answer<O extends Operation> = z.output<O['answer']>;

/** A file in a multipart body: from disk, or from memory. */
export interface FilePart {
  readonly name: string;
  readonly contentType?: string;
  readonly content: { readonly path: string } | Uint8Array;
}

/** The schema of a file in a multipart body. Its value is checked by whoever reads the body. */
export const filePart = z
  .custom<FilePart>((value) => typeof value === 'object' && value !== null && 'content' in value)
  .meta({ description: 'The file.', format: 'binary' });
