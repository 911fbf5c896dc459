// Random requests from the schemas of the contract: right ones, and ones with something odd.

import fc from 'fast-check';
import * as z from 'zod';
import { deviceOperations } from '../../../src/contract/device-operations.ts';
import { base64, photo } from '../conformance/samples.ts';

export type Members = Readonly<Record<string, unknown>>;

/** As far as the contract's schemas need it. */
interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: unknown;
  readonly prefixItems?: readonly Schema[] | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly pattern?: string | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    properties: z.record(z.string(), schema).optional(),
    required: z.array(z.string()).optional(),
    prefixItems: z.array(schema).optional(),
    anyOf: z.array(schema).optional(),
    enum: z.array(z.unknown()).optional(),
    pattern: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  }),
);

const key = fc.stringMatching(/^[a-z][A-Za-z0-9_ -]{0,20}$/);

/** Any text but half a surrogate pair. */
const text = fc.string({ unit: 'binary', maxLength: 30 }).map(withoutNul);

const isoTime = fc
  .date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })
  .chain((date) => {
    const iso = date.toISOString();
    const local = iso.slice(0, -1);
    return fc.constantFrom(iso, `${local}+00:00`, `${local}-11:30`, local, `${local}999Z`);
  });

/** Names whose values the schemas leave open, or which must fit together. */
const special: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  base64Image: fc.constantFrom(base64(photo.jpeg), base64(photo.png), null),
  inputBase64Image: fc.constantFrom(base64(photo.jpeg), base64(photo.png), null),
  event_schema: fc.constant('custom'),
  event_data: fc.record({ value: text, externalId: text }, { requiredKeys: [] }),
  custom_metadata: fc.option(
    fc.dictionary(key, fc.oneof(text, finite({}), fc.integer(), fc.boolean()), { maxKeys: 5 }),
  ),
  metadata: fc.option(fc.dictionary(key, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })),
  displayImagePosition: fc.constant(null),
};

/** Events that the contract allows. */
export const validEvent: fc.Arbitrary<Members> = membersOf(
  schema.parse(z.toJSONSchema(deviceOperations.events_create.body, { unrepresentable: 'any' })),
);

const oddTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udfffb',
  '\ufeff',
  '\u202e',
  '💩'.repeat(300),
  'a'.repeat(70_000),
  "'; DROP TABLE events; --",
  '{{7*7}}',
  '../../etc/passwd',
  'null',
  '\r\nset-cookie: a=b',
] as const;

const oddNumbers = [0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 53, 2 ** 63, -(2 ** 63), 1e21] as const;

const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.constantFrom(...oddNumbers),
  fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: { b: {} } }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(10, 60, 70, 500).map(nested),
);

type Step = string | number;

/** A valid event with one thing changed, anywhere in it. */
export const oddEvent: fc.Arbitrary<unknown> = validEvent.chain((event) =>
  fc
    .record({
      path: fc.constantFrom(...pathsOf(event)),
      change: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'rename', 'wrap', 'add'),
      value: oddValue,
    })
    .map(({ path, change, value }) => changed(event, path, change, value)),
);

const queryText = fc.oneof(
  fc.constantFrom(...oddTexts.filter((one) => one.isWellFormed() && one.length < 2_000)),
  fc.constantFrom('asc', 'desc', 'true', 'false', '1', '0', '100', '1001', '-1', '1e3', ','),
  fc.constantFrom('a:b', 'a:gt:5', 'a:eq:', ':', 'a:lt:x', 'a:ne:true', 'a', '::', 'a:gte:1e999'),
  isoTime,
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const queryName = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(...Object.keys(deviceOperations.events_list.query.shape)),
  },
  { weight: 1, arbitrary: fc.constantFrom('LIMIT', 'limit[]', 'api_key', '__proto__', '') },
);

/** Pairs of a query of GET /v2/events, some of them given twice. */
export const oddQuery: fc.Arbitrary<[string, string][]> = fc.array(
  fc.tuple(
    queryName,
    queryText.map((one) => one.toWellFormed()),
  ),
  { maxLength: 4 },
);

/** What stands where an id stands, escaped. */
export const oddId: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('%00', '%', '%zz', '%c0%ae%c0%ae', '..%2f..%2f', 'a%2fb', '%ff', '%20', '.'),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).map(encodeURIComponent),
  fc.constant('a'.repeat(5_000)),
);

/** Bytes with a few of them removed, doubled or made others. */
export function damaged(bytes: Uint8Array): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const change = fc.record({
    at: fc.nat(bytes.length - 1),
    length: fc.nat(40),
    put: fc.uint8Array({ maxLength: 12 }),
  });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const pieces = changes.reduce<Uint8Array>(
      (all, { at, length, put }) =>
        Buffer.concat([all.subarray(0, at), put, all.subarray(at + length)]),
      bytes,
    );
    return new Uint8Array(pieces);
  });
}

function membersOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<Members> {
  const members = Object.entries(properties).map(([name, one]): [string, fc.Arbitrary<unknown>] => [
    name,
    special[name] ?? valuesOf(one),
  ]);
  const arbitraries: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(members);
  return fc.record(arbitraries, { requiredKeys: [...required] });
}

function valuesOf(given: Schema): fc.Arbitrary<unknown> {
  if (given.anyOf) return fc.oneof(...given.anyOf.map(valuesOf));
  if (given.enum) return fc.constantFrom(...given.enum);
  const { type } = given;
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => valuesOf({ ...given, type: one })));
  if (type === 'string') return given.pattern === undefined ? text : isoTime;
  if (type === 'integer') return fc.integer({ min: given.minimum ?? -1_000, max: 1_000 });
  if (type === 'number') return finite(given);
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'object') return membersOf(given);
  if (given.prefixItems) return fc.tuple(...given.prefixItems.map(valuesOf));
  return fc.array(valuesOf(schema.parse(given.items)), { maxLength: 3 });
}

/** JSON has no negative zero, so it would not come back as it was sent. */
function finite({ minimum, maximum }: Schema): fc.Arbitrary<number> {
  const range = {
    ...(minimum !== undefined && { min: minimum }),
    ...(maximum !== undefined && { max: maximum }),
  };
  return fc.double({ noNaN: true, noDefaultInfinity: true, ...range }).map((one) => one + 0);
}

function pathsOf(value: unknown, path: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const steps: readonly [Step, unknown][] = Array.isArray(value)
    ? value.map((one, index): [Step, unknown] => [index, one])
    : Object.entries(value);
  const below = steps.flatMap(([step, one]) => pathsOf(one, [...path, step]));
  return path.length === 0 ? below : [path, ...below];
}

function changed(value: unknown, path: readonly Step[], change: string, put: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change === 'wrap' ? [value] : put;
  if (Array.isArray(value)) {
    const isHere = rest.length === 0 && change === 'remove';
    if (isHere) return value.filter((_, index) => index !== step);
    return value.map((one, index) => (index === step ? changed(one, rest, change, put) : one));
  }
  const members = Object.entries(Object(value)).flatMap(([name, one]): [string, unknown][] => {
    if (name !== step) return [[name, one]];
    if (rest.length > 0) return [[name, changed(one, rest, change, put)]];
    if (change === 'remove') return [];
    if (change === 'rename') return [[name.toUpperCase(), one]];
    if (change === 'add')
      return [
        [name, one],
        [`${name}_x`, put],
      ];
    return [[name, changed(one, rest, change, put)]];
  });
  return Object.fromEntries(members);
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function withoutNul(value: string): string {
  return value.replaceAll('\u0000', '');
}
