// Checks input against a schema: reports all problems at once, each with its path and a correction.

import * as z from 'zod';
import { type FoveaError, invalidInput, type Problem } from '../errors.ts';
import { isJsonObject, isPlainObject, type JsonObject } from '../json-object.ts';
import type { JsonBounds } from '../json-scanner.ts';
import { limits } from '../limits.ts';
import { isLarge, problemsOfLargeValue } from './large-value-check.ts';
import { bodyLimits, type Input, type Operation } from './operation.ts';
import {
  alternatives,
  knownNames,
  memberSchema,
  type Schema,
  unwrapped,
} from './schema-introspection.ts';
import { StringifiedJsonReader } from './stringified-json.ts';
import { unstorableTexts } from './unstorable-text.ts';
import {
  describeValue,
  type Explained,
  explain,
  unknownMember,
  withRenameFix,
} from './validation-problems.ts';

/** An operation's input by its place on the wire. */
export interface RequestInput {
  readonly path: JsonObject;
  readonly query: JsonObject;
  readonly body: JsonObject;
}

/** The same as a server read it, not yet checked. */
export interface UncheckedRequest {
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * The value as the schema outputs it. Where the schema expects an array or an object, a JSON text
 * of one is parsed, within the bounds; nothing else is converted. Throws `invalid_input` with all
 * problems, or with the first of very many.
 */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  bounds: JsonBounds = defaultBodyLimits,
): z.output<S> {
  const outcome = tryCheck(schema, value, bounds);
  if (outcome.success) return outcome.data;
  const { problems, more } = outcome;
  const paired = isJsonObject(value)
    ? withRenameFix(problems, value, knownNames(schema))
    : problems;
  throw refusal({ problems: paired, more });
}

/**
 * Checks the flat arguments of an operation. Unknown members are refused even where the body is
 * open; `beside` are names that the caller handles itself. Throws `invalid_input`.
 */
export function checkInput<O extends Operation>(
  operation: O,
  args: unknown,
  beside?: readonly string[],
): Input<O>;
export function checkInput(
  operation: Operation,
  args: unknown,
  beside: readonly string[] = [],
): unknown {
  const input = args ?? {};
  if (!isJsonObject(input)) throw invalidInput([notAnObject(input)]);
  const known = Object.keys(flatSchema(operation).shape);
  const unknown = Object.keys(input).filter((name) => !known.includes(name));
  const kept = Object.entries(input).filter(([name]) => known.includes(name));
  const unknownProblems = explainUnknown(unknown, (name) =>
    unknownMember([name], [...known, ...beside]),
  );
  const request = splitInput(operation, Object.fromEntries(kept));
  const { input: taken, problemsFound } = checkedRequest(operation, request);
  const { problems, more } = joined(problemsFound, unknownProblems);
  if (problems.length > 0) throw refusal({ problems: withRenameFix(problems, input, known), more });
  return taken;
}

/**
 * For servers: path and query are strict, the body is as the contract says. Returns the flat input.
 * Throws `invalid_input` with all problems.
 */
export function checkRequest<O extends Operation>(
  operation: O,
  request: UncheckedRequest,
): Input<O>;
export function checkRequest(operation: Operation, request: UncheckedRequest): unknown {
  const { pathParameters, query } = operation;
  const body = request.body ?? {};
  if (!isJsonObject(body)) throw invalidInput([notAnObject(body)]);
  // An open body lets unknown members pass, but none may overwrite a checked parameter.
  const misplaced = Object.keys(body).filter(
    (name) => Object.hasOwn(pathParameters.shape, name) || Object.hasOwn(query.shape, name),
  );
  const unknownProblems = explainUnknown(misplaced, (path) => {
    const place = Object.hasOwn(pathParameters.shape, path) ? 'path' : 'query';
    return { path, message: `belongs in the ${place}, not in the body` };
  });
  const { input, problemsFound } = checkedRequest(operation, { ...request, body });
  const all = joined(problemsFound, unknownProblems);
  if (all.problems.length > 0) throw refusal(all);
  return input;
}

/** All parameters and body members of an operation in one strict object. */
export function flatSchema(operation: Operation): z.ZodObject {
  return z.strictObject({
    ...operation.pathParameters.shape,
    ...operation.query.shape,
    ...operation.body.shape,
  });
}

/** For the client: distributes a flat input over path, query and body. Omits undefined members. */
export function splitInput(operation: Operation, input: object): RequestInput {
  const path: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if (Object.hasOwn(operation.pathParameters.shape, name)) path[name] = value;
    else if (Object.hasOwn(operation.query.shape, name)) query[name] = value;
    else body[name] = value;
  }
  return { path, query, body };
}

/**
 * Converts query strings and path segments to the types of the schema. Text that does not convert,
 * and repeated single values, stay unchanged, so that `check` can explain them.
 */
export function coerceText(
  schema: z.ZodObject,
  text: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  const entries = Object.entries(text).map(([name, values]): [string, unknown] => {
    const member = memberSchema(schema, name);
    const inner = member && unwrapped(member);
    if (inner instanceof z.ZodArray) {
      return [name, values.map((value) => fromText(inner.element, value))];
    }
    const [only = ''] = values;
    return [name, values.length > 1 ? values : member ? fromText(member, only) : only];
  });
  return Object.fromEntries(entries);
}

/** Whether a member of a schema takes several values. */
export function isList(schema: z.ZodObject, name: string): boolean {
  const member = memberSchema(schema, name);
  return member !== undefined && unwrapped(member) instanceof z.ZodArray;
}

interface CheckedRequest {
  readonly input: JsonObject;
  readonly problemsFound: Explained;
}

/** Checks body, query and path separately, so that rules over each as a whole apply too. */
function checkedRequest(operation: Operation, request: UncheckedRequest): CheckedRequest {
  const { pathParameters, query, body, bodyLimits } = operation;
  const places = [
    { schema: body, value: request.body },
    { schema: query, value: request.query },
    { schema: pathParameters, value: request.path },
  ];
  let problemsFound = noProblems;
  let input: JsonObject = {};
  for (const { schema, value } of places) {
    const outcome = tryCheck(schema, value ?? {}, bodyLimits);
    if (outcome.success) input = { ...input, ...outcome.data };
    else problemsFound = joined(outcome, problemsFound);
  }
  // Devices lose no event by a text: their store mends it.
  const unstorable = operation.host === 'device' ? [] : unstorableTexts(input);
  if (unstorable.length > 0) problemsFound = joined(problemsFound, explainedEarly(unstorable));
  return { input, problemsFound };
}

const noProblems: Explained = { problems: [], more: 0 };

function joined(first: Explained, second: Explained): Explained {
  const isCounted = first.more !== undefined && second.more !== undefined;
  return {
    problems: [...first.problems, ...second.problems],
    more: isCounted ? first.more + second.more : undefined,
  };
}

/** Explains only as many names as are shown. */
function explainUnknown(names: readonly string[], explained: (name: string) => Problem): Explained {
  const shown = names.slice(0, limits.problemsShownMax);
  return { problems: shown.map(explained), more: names.length - shown.length };
}

const defaultBodyLimits = bodyLimits();

type Outcome<T> =
  | { readonly success: true; readonly data: T }
  | (Explained & { readonly success: false });

/** Stringified JSON is parsed only where the value itself does not fit the schema. */
function tryCheck<S extends z.ZodType>(
  schema: S,
  value: unknown,
  bounds: JsonBounds,
): Outcome<z.output<S>> {
  const early = isLarge(value)
    ? problemsOfLargeValue(schema, value, new StringifiedJsonReader(bounds))
    : [];
  if (early.length > 0) return { success: false, ...explainedEarly(early) };
  const first = schema.safeParse(value);
  if (first.success) return first;
  const reader = new StringifiedJsonReader(bounds);
  const read = reader.read(schema, value, []);
  const { problems } = reader;
  if (problems.length > 0) return { success: false, problems, more: 0 };
  if (read === value) return { success: false, ...explain(schema, first.error, value, []) };
  // The parsed texts are checked as if they had come as values.
  const late = isLarge(read)
    ? problemsOfLargeValue(schema, read, new StringifiedJsonReader(bounds))
    : [];
  if (late.length > 0) return { success: false, ...explainedEarly(late) };
  const second = schema.safeParse(read);
  return second.success ? second : { success: false, ...explain(schema, second.error, read, []) };
}

/** Checking stopped once as many problems as are shown were found. */
function explainedEarly(problems: readonly Problem[]): Explained {
  return { problems, more: problems.length < limits.problemsShownMax ? 0 : undefined };
}

function refusal({ problems, more }: Explained): FoveaError {
  const shown = problems.slice(0, limits.problemsShownMax);
  if (more === undefined) {
    return invalidInput([...shown, { path: '', message: 'the rest was not looked at' }]);
  }
  const left = problems.length - shown.length + more;
  if (left === 0) return invalidInput(problems);
  return invalidInput([...shown, { path: '', message: `and ${left} more problems` }]);
}

function notAnObject(value: unknown): Problem {
  return { path: '', message: `expected an object, got ${describeValue(value)}` };
}

/**
 * Hosts in strict mode send null for members that a model left out. Removes such nulls at any depth
 * where the member is optional and not nullable.
 */
export function withoutNulls(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((element, index) => withoutNullsInMember(schema, index, element));
  }
  if (!isPlainObject(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => {
    const own = member === null ? memberSchema(schema, name) : undefined;
    return own === undefined || !isOptionalNotNullable(own);
  });
  return Object.fromEntries(
    kept.map(([name, member]) => [name, withoutNullsInMember(schema, name, member)]),
  );
}

/** Cached, since an input may consist of nulls only. */
const optionalCache = new WeakMap<Schema, boolean>();

function isOptionalNotNullable(schema: Schema): boolean {
  const known = optionalCache.get(schema);
  if (known !== undefined) return known;
  const is = z.safeParse(schema, undefined).success && !z.safeParse(schema, null).success;
  optionalCache.set(schema, is);
  return is;
}

function withoutNullsInMember(schema: Schema, key: string | number, value: unknown): unknown {
  const member = memberSchema(schema, key);
  return member ? withoutNulls(member, value) : value;
}

const decimalNumber = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

function fromText(schema: Schema, text: string): unknown {
  const kinds = alternatives(schema).map(({ _zod }) => _zod.def.type);
  if (kinds.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (kinds.includes('number') && decimalNumber.test(text)) return Number(text);
  return text;
}
