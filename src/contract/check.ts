// Input against a schema: every problem at once, each with its path and what would be right.
// And the schema of a tool, as hosts see it.

import * as z from 'zod';
import { type FoveaError, invalidInput, type Problem } from '../errors.ts';
import { isJsonObject, isPlainObject, type JsonObject } from '../json-object.ts';
import type { JsonBounds } from '../json-text.ts';
import { limits } from '../limits.ts';
import { bodyBounds } from './body-bounds.ts';
import { TextReader } from './json-in-text.ts';
import type { Input, Operation } from './operation.ts';
import { isLarge, problemsInPieces } from './pieces.ts';
import { type Explained, explain, found, pairedUp, unknownMember } from './problems.ts';
import { alternatives, bare, knownNames, memberSchema, type Schema } from './schema.ts';

/** An input as it goes over the wire. */
export interface Parts {
  readonly path: JsonObject;
  readonly query: JsonObject;
  readonly body: JsonObject;
}

/** What a server read from a request, not yet checked. */
export interface UncheckedParts {
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/**
 * The value, as the schema has it. Where the schema expects an array or an object, JSON text of one
 * is read as such, within the bounds; nothing else is converted. Throws `invalid_input` with all
 * problems at once, or of very many the first.
 */
export function check<S extends z.ZodType>(
  schema: S,
  value: unknown,
  bounds: JsonBounds = usualBounds,
): z.output<S> {
  const outcome = tryCheck(schema, value, bounds);
  if (outcome.success) return outcome.data;
  const { problems, more } = outcome;
  const paired = isJsonObject(value) ? pairedUp(problems, value, knownNames(schema)) : problems;
  throw refusal({ problems: paired, more });
}

/**
 * The flat arguments of an operation. Unknown members are refused even where the body is open;
 * `beside` are names that the caller takes itself. Throws `invalid_input` with all problems.
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
  const strays = strayProblems(unknown, (name) => unknownMember([name], [...known, ...beside]));
  const parts = splitInput(operation, Object.fromEntries(kept));
  const { input: taken, found } = checkedParts(operation, parts);
  const { problems, more } = joined(found, strays);
  if (problems.length > 0) throw refusal({ problems: pairedUp(problems, input, known), more });
  return taken;
}

/**
 * For servers: path and query are strict, the body is as the contract says. The input comes back
 * flat. Throws `invalid_input` with all problems at once.
 */
export function checkParts<O extends Operation>(operation: O, parts: UncheckedParts): Input<O>;
export function checkParts(operation: Operation, parts: UncheckedParts): unknown {
  const { pathParameters, query } = operation;
  const body = parts.body ?? {};
  if (!isJsonObject(body)) throw invalidInput([notAnObject(body)]);
  // An open body lets unknown members pass: none may stand for a parameter that was checked.
  const stray = Object.keys(body).filter(
    (name) => Object.hasOwn(pathParameters.shape, name) || Object.hasOwn(query.shape, name),
  );
  const strays = strayProblems(stray, (path) => {
    const place = Object.hasOwn(pathParameters.shape, path) ? 'path' : 'query';
    return { path, message: `belongs in the ${place}, not in the body` };
  });
  const { input, found } = checkedParts(operation, { ...parts, body });
  const all = joined(found, strays);
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

/** For the client: where each member of a flat input goes. Undefined members are left out. */
export function splitInput(operation: Operation, input: object): Parts {
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
 * Query strings and path segments as the schema types them. What does not read as its type stays
 * as it came, also a single value that was given several times, so that `check` can explain it.
 */
export function coerceText(
  schema: z.ZodObject,
  text: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  const entries = Object.entries(text).map(([name, values]): [string, unknown] => {
    const member = memberSchema(schema, name);
    const inner = member && bare(member);
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
  return member !== undefined && bare(member) instanceof z.ZodArray;
}

/**
 * What the published schemas of tools keep of JSON Schema: what every MCP host can read. In this
 * order they cost a model the fewest tokens.
 */
const publishedKeywords = ['description', 'enum', 'type'];

/** Bounds are published of parameters alone: below them they cost more tokens than they help. */
const publishedBounds = ['minimum', 'maximum'];

/** Nobody counts or pages from less, so these bounds are not worth their tokens either. */
const plainMinimums = [0, 1];

/**
 * JSON Schema of a tool's input for MCP hosts: an object at the root, without references, unions,
 * type lists and tuples. Of a union of objects all members are published, none as required; of
 * another union, the kind that all options share. The real rules stay with `check`.
 */
export function toolJsonSchema(schema: z.ZodObject): Record<string, unknown> {
  const full = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const parameters = isJsonObject(full.properties) ? Object.entries(full.properties) : [];
  const properties = parameters.map(([name, value]) => [
    name,
    { ...published(value), ...realBounds(value) },
  ]);
  const { required } = full;
  const isRequired = required !== undefined && { required };
  return { properties: Object.fromEntries(properties), ...isRequired, type: 'object' };
}

function realBounds(schema: unknown): Record<string, unknown> {
  const bounds = isJsonObject(schema) ? Object.entries(schema) : [];
  return Object.fromEntries(
    bounds.filter(
      ([name, bound]) =>
        publishedBounds.includes(name) &&
        Math.abs(Number(bound)) !== Number.MAX_SAFE_INTEGER &&
        !(name === 'minimum' && plainMinimums.includes(Number(bound))),
    ),
  );
}

function published(schema: unknown): Record<string, unknown> {
  if (!isJsonObject(schema)) return {};
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return publishedUnion(schema, options);
  const result = Object.fromEntries(
    publishedKeywords.filter((name) => name in schema).map((name) => [name, schema[name]]),
  );
  // A nullable member is published as what it is when it is given.
  if (Array.isArray(schema.type)) result.type = schema.type.find((type) => type !== 'null');
  if (schema.const !== undefined) result.enum = [schema.const];
  if (schema.describedOnly === true) {
    const { type } = publishedItems(schema);
    return { ...result, ...(schema.type === 'array' && { items: { type } }) };
  }
  const members = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (members.length > 0) {
    result.properties = Object.fromEntries(members.map(([key, value]) => [key, published(value)]));
    // An object that is about one thing needs no word that this thing must be there.
    if (Array.isArray(schema.required) && members.length > 1) result.required = schema.required;
  }
  if (schema.type === 'array') result.items = publishedItems(schema);
  return result;
}

/** A tuple has its first element's schema for all. */
function publishedItems(schema: JsonObject): Record<string, unknown> {
  const tuple = schema.prefixItems;
  return published(Array.isArray(tuple) ? tuple[0] : schema.items);
}

function publishedUnion(schema: JsonObject, options: readonly unknown[]): Record<string, unknown> {
  const { description } = schema;
  const shapes = options.map(published).filter(({ type }) => type !== 'null');
  const [first = {}] = shapes;
  const merged = shapes.length === 1 ? { ...first } : mergedShapes(shapes);
  const described = description !== undefined && { description };
  return { ...described, ...merged, ...described };
}

function mergedShapes(shapes: readonly JsonObject[]): Record<string, unknown> {
  const types = new Set(shapes.map(({ type }) => type));
  const [type] = types;
  if (types.size > 1 || type === undefined) return {};
  const enums = shapes.flatMap((shape) => (Array.isArray(shape.enum) ? shape.enum : []));
  const isClosed = shapes.every((shape) => Array.isArray(shape.enum));
  if (type !== 'object') return { type, ...(isClosed && { enum: [...new Set(enums)] }) };
  const properties: Record<string, JsonObject> = {};
  for (const shape of shapes) {
    if (!isJsonObject(shape.properties)) continue;
    for (const [name, value] of Object.entries(shape.properties)) {
      if (!isJsonObject(value)) continue;
      const before = properties[name];
      const merged = before ? mergedShapes([before, value]) : value;
      properties[name] = { ...before, ...merged };
    }
  }
  return { type, properties };
}

interface CheckedParts {
  readonly input: JsonObject;
  readonly found: Explained;
}

/** The parts of an input checked one by one, so that rules over a whole part apply too. */
function checkedParts(operation: Operation, parts: UncheckedParts): CheckedParts {
  const { pathParameters, query, body, bodyBounds } = operation;
  const places = [
    { schema: body, value: parts.body },
    { schema: query, value: parts.query },
    { schema: pathParameters, value: parts.path },
  ];
  let found = nothingFound;
  let input: JsonObject = {};
  for (const { schema, value } of places) {
    const outcome = tryCheck(schema, value ?? {}, bodyBounds);
    if (outcome.success) input = { ...input, ...outcome.data };
    else found = joined(outcome, found);
  }
  return { input, found };
}

const nothingFound: Explained = { problems: [], more: 0 };

function joined(first: Explained, second: Explained): Explained {
  const isCounted = first.more !== undefined && second.more !== undefined;
  return {
    problems: [...first.problems, ...second.problems],
    more: isCounted ? first.more + second.more : undefined,
  };
}

/** Of many names only those that are shown are explained. */
function strayProblems(names: readonly string[], explained: (name: string) => Problem): Explained {
  const shown = names.slice(0, limits.problemsShownMax);
  return { problems: shown.map(explained), more: names.length - shown.length };
}

const usualBounds = bodyBounds();

type Outcome<T> =
  | { readonly success: true; readonly data: T }
  | (Explained & { readonly success: false });

/** JSON text is looked for only where the value as it came does not fit. */
function tryCheck<S extends z.ZodType>(
  schema: S,
  value: unknown,
  bounds: JsonBounds,
): Outcome<z.output<S>> {
  const early = isLarge(value) ? problemsInPieces(schema, value, new TextReader(bounds)) : [];
  if (early.length > 0) return { success: false, ...ofPieces(early) };
  const first = schema.safeParse(value);
  if (first.success) return first;
  const reader = new TextReader(bounds);
  const read = reader.read(schema, value, []);
  const { problems } = reader;
  if (problems.length > 0) return { success: false, problems, more: 0 };
  if (read === value) return { success: false, ...explain(schema, first.error, value, []) };
  // What its texts hold is looked at as if it had come so.
  const late = isLarge(read) ? problemsInPieces(schema, read, new TextReader(bounds)) : [];
  if (late.length > 0) return { success: false, ...ofPieces(late) };
  const second = schema.safeParse(read);
  return second.success ? second : { success: false, ...explain(schema, second.error, read, []) };
}

/** As many as are shown: then nobody looked further. */
function ofPieces(problems: readonly Problem[]): Explained {
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
  return { path: '', message: `expected an object, got ${found(value)}` };
}

/**
 * Hosts in a strict mode send null for whatever a model leaves out. Such a member is left out, at
 * any depth, where it may be left out and the schema takes no null.
 */
export function withoutNulls(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((element, index) => inMember(schema, index, element));
  }
  if (!isPlainObject(value)) return value;
  const kept = Object.entries(value).filter(([name, member]) => {
    const own = member === null ? memberSchema(schema, name) : undefined;
    return own === undefined || !isMissing(own);
  });
  return Object.fromEntries(kept.map(([name, member]) => [name, inMember(schema, name, member)]));
}

/** Of many nulls one is looked at: an input may have nothing else. */
const missing = new WeakMap<Schema, boolean>();

function isMissing(schema: Schema): boolean {
  const known = missing.get(schema);
  if (known !== undefined) return known;
  const is = z.safeParse(schema, undefined).success && !z.safeParse(schema, null).success;
  missing.set(schema, is);
  return is;
}

function inMember(schema: Schema, key: string | number, value: unknown): unknown {
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
