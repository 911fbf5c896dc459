// The definition of one API operation. The tool, the client, the handlers of our own services, the
// documentation and the tests derive from such constants.

import * as z from 'zod';
import type { JsonBounds } from '../json-scanner.ts';
import { limits } from '../limits.ts';
import type { Scope } from './scopes.ts';

/**
 * The service that answers: the management API, the device Event Store, the embedded platform (also
 * where another service is the management API), or the service that runs deployed models.
 */
export type Host = 'base' | 'device' | 'local' | 'serverless';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** A method and a path with the parameters of the operation; one of the query may stand in it. */
export interface Address {
  readonly method: Method;
  readonly path: string;
}

/** What a call does; the annotations of its tool derive from it. */
export type Effect = 'reads' | 'adds' | 'changes' | 'removes';

/** How a call is authenticated (API 25.1 to 25.4; Event Store 13.1). */
export type Credential = 'bearer' | 'api_key_query' | 'device_key';

/** The toolsets: the same word on every floor. */
export type Toolset =
  | 'workspace'
  | 'projects'
  | 'versions'
  | 'trainings'
  | 'evaluations'
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
  readonly toolset: Toolset;
  readonly host: Host;
  readonly method: Method;
  /** For example `/{workspace}/{project}`. */
  readonly path: string;
  /** Where clients of the hosted platform ask for it too: served, and not documented. */
  readonly alsoAt: readonly Address[];
  /** One sentence for the API reference. */
  readonly summary: string;
  readonly pathParameters: Path;
  readonly query: Query;
  /**
   * Query parameters that clients of the hosted platform send and that change nothing here, each
   * with the values of which that is true. Others are refused as unknown.
   */
  readonly idleQuery: Readonly<Record<string, RegExp>>;
  readonly body: Body;
  /** Members of the body that clients of the hosted platform send in the query. */
  readonly bodyInQuery: readonly string[];
  /** `none` where the API documents no payload. */
  readonly bodyType: 'none' | 'json' | 'multipart';
  /**
   * The member that takes a body of another content type: plain text for a JSON operation, base64
   * for a multipart one. Undefined: such a body is refused.
   */
  readonly rawMember: string | undefined;
  /** Limits of a JSON body, checked before it is parsed; also of stringified JSON in any input. */
  readonly bodyLimits: BodyLimits;
  /** The body of a 2xx answer; unknown members are allowed. A 204 has no body. */
  readonly answer: Answer;
  /** The success status of our own services. */
  readonly success: 200 | 201 | 202 | 204;
  /** Other success statuses, with the same body. */
  readonly alsoAnswers: readonly (200 | 201 | 202)[];
  /** What a client that takes no other success status gets instead: see `isStrictClient`. */
  readonly strictClientSuccess: 200 | 201 | undefined;
  /** Error statuses of this operation beyond 400, 401, 403, 404 and 429. */
  readonly errors: readonly number[];
  /** Statuses whose body is `{ error: string }`; in all others `error` is an object. */
  readonly textErrors: readonly number[];
  readonly credential: Credential;
  /**
   * The required OAuth scope (API 26.1 to 26.15). The Event Store uses a key, so for its
   * operations the scope only applies to the tool.
   */
  readonly scope: Scope;
  /** The scopes that members need beside that one, where they come along. */
  readonly memberScopes: Readonly<Record<string, Scope>>;
  readonly effect: Effect;
  /** For `removes`: whether removed items go to the trash. */
  readonly recoverable: boolean;
  /** Whether a second identical call leaves the same state. */
  readonly idempotent: boolean;
  /** Whether the work continues after the answer, as a task or similar. */
  readonly longRunning: boolean;
  /** Minimum time between two calls with the same arguments. */
  readonly intervalMs: number;
}

const defaultBodyLimits = bodyLimits();

const noMembers = z.strictObject({});
type NoMembers = typeof noMembers;

type Required = 'id' | 'toolset' | 'method' | 'path' | 'summary' | 'answer' | 'scope' | 'effect';

/** What an operation must define; the rest has the defaults below. */
type Definition<O extends Operation> = Pick<O, Required> & Partial<Omit<O, Required>>;

/**
 * Defines an operation. Defaults: no parameters, no body, the management API, a Bearer credential,
 * success 200; operations that add are not idempotent, all others are.
 */
export function operation<
  Path extends z.ZodObject = NoMembers,
  Query extends z.ZodObject = NoMembers,
  Body extends z.ZodObject = NoMembers,
  Answer extends z.ZodType = z.ZodType,
>(
  definition: Definition<Operation<Path, Query, Body, Answer>>,
): Operation<Path, Query, Body, Answer>;
export function operation(definition: Definition<Operation>): Operation {
  return Object.freeze({
    host: 'base',
    pathParameters: noMembers,
    query: noMembers,
    body: noMembers,
    bodyType: definition.body ? 'json' : 'none',
    rawMember: undefined,
    bodyLimits: defaultBodyLimits,
    success: 200,
    alsoAnswers: [],
    alsoAt: [],
    idleQuery: {},
    bodyInQuery: [],
    strictClientSuccess: undefined,
    errors: [],
    textErrors: [],
    memberScopes: {},
    credential: definition.host === 'device' ? 'device_key' : 'bearer',
    recoverable: false,
    idempotent: definition.effect !== 'adds',
    longRunning: false,
    intervalMs: 0,
    ...definition,
  });
}

/** What a call brings along, with the scope that it needs for that beside its operation's. */
export function scopesOfMembers(
  { memberScopes }: Operation,
  input: object,
): readonly (readonly [member: string, scope: Scope])[] {
  return Object.entries(memberScopes).filter(([name]) => Object.hasOwn(input, name));
}

/** `unknown` for an empty schema, whose type would forbid all members of an intersection. */
type MembersOf<S extends z.ZodObject> = keyof S['shape'] extends never ? unknown : z.input<S>;

/**
 * The flat arguments of an operation: path, query and body members never share a name. Schemas have
 * no defaults and no transforms, so handlers receive the same type.
 */
export type Input<O extends Operation> = Parameters<O> & MembersOf<O['body']>;

/** The parameters of path and query. */
export type Parameters<O extends Operation> = MembersOf<O['pathParameters']> &
  MembersOf<O['query']>;

/** The body of a 2xx answer. */
export type Answer<O extends Operation> = z.output<O['answer']>;

/** A file in a multipart body: from disk, or from memory. */
export interface FilePart {
  readonly name: string;
  readonly contentType?: string;
  readonly content: { readonly path: string } | Uint8Array;
}

/** The schema of a file in a multipart body; the body's reader checks its content. */
export const filePart = z
  .custom<FilePart>((value) => typeof value === 'object' && value !== null && 'content' in value)
  .meta({ description: 'The file.', format: 'binary' });

/** Limits of a JSON body, and of stringified JSON in any input. */
export interface BodyLimits extends JsonBounds {
  /** The whole body. */
  readonly bytesMax: number;
  /** Without long strings, which hold images and files and are not parsed with the rest. */
  readonly parsedBytesMax: number;
}

/** The default limits with some of them replaced. */
export function bodyLimits(more: Partial<BodyLimits> = {}): BodyLimits {
  return Object.freeze({
    bytesMax: limits.bodyBytesMax,
    parsedBytesMax: limits.bodyParsedBytesMax,
    elementsMax: limits.bodyElementsMax,
    membersMax: limits.bodyMembersMax,
    depthMax: limits.bodyDepthMax,
    ...more,
  });
}
