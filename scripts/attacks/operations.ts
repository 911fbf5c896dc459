// Every operation of docs/spec with the worst that its schema leaves room for: in each list,
// each map, each text and each parameter.

import fc from 'fast-check';
import * as z from 'zod';
import { deviceOperations } from '../../src/contract/device-operations.ts';
import { embeddedOperations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { Schema } from '../../test/platform/fuzz/document.ts';
import { rightValue } from '../../test/platform/fuzz/values.ts';
import { type Attack, single, type Target, type TargetName } from './attack.ts';
import { repeated } from './dense-bodies.ts';
import { form, json, type Request } from './raw-request.ts';

export function operationAttacks(): readonly Attack[] {
  return [
    ...Object.values<Operation>(embeddedOperations).flatMap((one) => attacksOn('platform', one)),
    ...Object.values<Operation>(deviceOperations).flatMap((one) => attacksOn('event-store', one)),
  ];
}

function attacksOn(target: TargetName, operation: Operation): readonly Attack[] {
  const { bodyType, errors } = operation;
  const contractStatuses = errors.filter((status) => [501, 502].includes(status));
  const attack = (name: string, make: (target: Target) => Request): Attack =>
    single(target, `${operation.id}: ${name}`, make, { contractStatuses });
  const inBodies =
    bodyType === 'json' ? jsonBodies(operation) : bodyType === 'multipart' ? forms(operation) : [];
  return [
    ...parameterAttacks(target, operation),
    ...inBodies.map(({ name, make }) =>
      attack(name, (given) => ({ ...make(pathOf(operation, given)), method: operation.method })),
    ),
  ];
}

/** Path and query as long as headers may be, one after the other. */
function parameterAttacks(target: TargetName, operation: Operation): readonly Attack[] {
  const { id, method, query, pathParameters } = operation;
  const long = 'a*'.repeat(6_000);
  const paths = Object.keys(pathParameters.shape).map(
    (name) => (given: Target) => pathOf(operation, given, { [name]: long }),
  );
  const names = [...Object.keys(query.shape), 'unknown'];
  const queries = names.flatMap((name) => [
    (given: Target) =>
      `${pathOf(operation, given)}?${`${name}=1&`.repeat(15_000 / (name.length + 3))}`,
    (given: Target) => `${pathOf(operation, given)}?${name}=${'%20a:'.repeat(2_500)}`,
  ]);
  // Deletions get no query parameters: later attacks still need the things.
  const all = method === 'DELETE' ? paths : [...paths, ...queries];
  if (all.length === 0) return [];
  return [
    {
      name: `${id}: parameters of 12 KB, ${all.length} times`,
      target,
      contractStatuses: operation.errors.filter((status) => [501, 502].includes(status)),
      prepare: async (given) => async () => {
        for (const path of all) await given.send({ method, path: path(given) });
      },
    },
  ];
}

function pathOf(
  { path }: Operation,
  target: Target,
  changed: Readonly<Record<string, string>> = {},
): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => changed[name] ?? idOf(target, name));
}

function idOf(target: Target, name: string): string {
  try {
    return encodeURIComponent(target.id(name));
  } catch {
    return 'unknown';
  }
}

interface Body {
  readonly name: string;
  make(path: string): Request;
}

/** A place in a body: members by their names, and the first element of a list. */
type Place = readonly string[];

function jsonBodies(operation: Operation): readonly Body[] {
  const schema = Schema.parse(
    z.toJSONSchema(operation.body, { unrepresentable: 'any', io: 'input', reused: 'inline' }),
  );
  const right = fc.sample(
    rightValue(schema, '', () => []),
    { numRuns: 1, seed: 7 },
  )[0];
  const places = placesOf(schema);
  const body = (name: string, made: () => unknown): Body => ({
    name,
    make: (path) => json(path, made()),
  });
  const lists = places.filter(({ kind }) => kind === 'array');
  const structures = places.filter(({ kind }) => kind !== 'string');
  const texts = places.filter(({ kind }) => kind === 'string');
  return [
    body('400,000 unknown members', () => ({ ...Object(right), ...members(400_000) })),
    ...lists.flatMap(({ place, schema: one }) => [
      body(`${place.join('.')} of 900,000 wrong elements`, () =>
        withValue(
          right,
          place,
          repeated(900_000, () => wrongFor(one)),
        ),
      ),
      body(`${place.join('.')} of 100,000 right elements`, () =>
        withValue(right, place, manyRight(one)),
      ),
    ]),
    ...structures
      .filter(({ kind, place, schema: one }) => kind === 'object' && !isFixed(one, place))
      .map(({ place }) =>
        body(`${place.join('.')} of 400,000 members`, () =>
          withValue(right, place, members(400_000)),
        ),
      ),
    ...(structures.length === 0
      ? []
      : [
          body('JSON in strings of 10 MB', () => {
            const text = `[${'0,'.repeat(5_000_000)}0]`;
            return structures.reduce((made, { place }) => withValue(made, place, text), right);
          }),
        ]),
    ...(texts.length === 0
      ? []
      : [
          body('texts of 4 MB', () => {
            const text = '\ufdfa,a:'.repeat(650_000);
            const some = texts.slice(0, 8);
            return some.reduce((made, { place }) => withValue(made, place, text), right);
          }),
        ]),
  ];
}

/** What it does with members that it does not know is tried at the levels above it. */
function isFixed({ additionalProperties, properties }: Schema, place: Place): boolean {
  return place.length > 1 && additionalProperties === false && properties !== undefined;
}

interface Found {
  readonly place: Place;
  readonly kind: 'array' | 'object' | 'string';
  readonly schema: Schema;
}

const depthMax = 5;

/** Each place once for each kind, however many options the schema has for it. */
function placesOf(schema: Schema): readonly Found[] {
  const found = new Map(
    below(schema, []).map((one) => [`${one.kind} ${one.place.join('.')}`, one]),
  );
  return [...found.values()];
}

function below(schema: Schema, place: Place): readonly Found[] {
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return options.flatMap((option) => below(option, place));
  const { items, properties = {} } = schema;
  const types = [schema.type ?? 'object'].flat();
  const own = (kind: Found['kind']) => (place.length === 0 ? [] : [{ place, kind, schema }]);
  const goesOn = place.length < depthMax;
  const inItems = typeof items === 'object' && goesOn ? below(items, [...place, '0']) : [];
  const inMembers = goesOn
    ? Object.entries(properties).flatMap(([name, member]) => below(member, [...place, name]))
    : [];
  return [
    ...(types.includes('array') ? [...own('array'), ...inItems] : []),
    ...(types.includes('object') ? [...own('object'), ...inMembers] : []),
    ...(types.includes('string') && !schema.enum ? own('string') : []),
  ];
}

function wrongFor({ items }: Schema): unknown {
  const type = typeof items === 'object' ? [items.type].flat()[0] : undefined;
  return type === 'number' || type === 'integer' ? 'a' : 0;
}

function manyRight({ items }: Schema): unknown[] {
  const arbitrary = rightValue(typeof items === 'object' ? items : {}, '', () => []);
  const some = fc.sample(arbitrary, { numRuns: 20, seed: 11 });
  return repeated(100_000, (at) => some[at % some.length]);
}

function members(count: number): Record<string, unknown> {
  return Object.fromEntries(repeated(count, (at) => [`member${at}`, 0]));
}

function withValue(value: unknown, [first, ...rest]: Place, put: unknown): unknown {
  if (first === undefined) return put;
  if (first === '0') return [withValue(Array.isArray(value) ? value[0] : {}, rest, put)];
  const own = typeof value === 'object' && value !== null ? value : {};
  return { ...own, [first]: withValue(Object(own)[first], rest, put) };
}

/** Each text member as 1 MB of JSON, and each file with invalid content. */
function forms(operation: Operation): readonly Body[] {
  const names = Object.keys(operation.body.shape);
  const isFile = (name: string) => ['file', 'images', 'annotations'].includes(name);
  const of = (content: string) =>
    names.map((name) =>
      isFile(name)
        ? { name, fileName: 'a.png', type: 'image/png', content: 'no image' }
        : { name, content },
    );
  const zeros = `[${'0,'.repeat(500_000)}0]`;
  const nested = `${'{"a":'.repeat(150_000)}0`;
  return [
    { name: 'fields of 1 MB of zeros', make: (path) => form(path, of(zeros)) },
    { name: 'fields of 1 MB, nested', make: (path) => form(path, of(nested)) },
  ];
}
