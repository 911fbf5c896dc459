// Random values from JSON Schemas: right ones, and ones with something odd.

import fc from 'fast-check';
import type { Schema } from './document.ts';

/** Names for which there are ids in the service: such a value is taken from them. */
export type Known = (name: string) => readonly string[];

/** A value that the schema allows; `name` is the member that it is for. */
export function rightValue(
  schema: Schema,
  name: string,
  known: Known,
  depth = 0,
): fc.Arbitrary<unknown> {
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) {
    return fc.oneof(...options.map((option) => rightValue(option, name, known, depth)));
  }
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any']);
  return fc.oneof(...types.map((type) => valueOfType(type, schema, name, known, depth)));
}

function valueOfType(
  type: string,
  schema: Schema,
  name: string,
  known: Known,
  depth: number,
): fc.Arbitrary<unknown> {
  if (type === 'string') return textOf(schema, name, known);
  if (type === 'integer') return fc.integer(boundsOf(schema));
  if (type === 'number') return numberOf(schema);
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'array') return listOf(schema, name, known, depth);
  if (type === 'object') return objectOf(schema, known, depth);
  return fc.jsonValue({ maxDepth: 2 });
}

function textOf(schema: Schema, name: string, known: Known): fc.Arbitrary<unknown> {
  const ids = known(name);
  const made = freeText(schema);
  return ids.length > 0 ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...ids) }, made) : made;
}

function freeText({ pattern, format, minLength = 0, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return isoTime;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  const most = Math.max(minLength, Math.min(maxLength ?? 30, 30));
  return fc.oneof(
    fc.constantFrom(
      ...plainTexts.filter((text) => text.length >= minLength && text.length <= most),
    ),
    fc.string({ minLength, maxLength: most }),
    fc.string({ unit: 'grapheme', minLength, maxLength: most }),
  );
}

const plainTexts = ['RBC', 'night', 'cells', 'coco', 'yolov8', 'tag:night', 'class:RBC>=1', '*'];

const isoTime = fc
  .date({ min: new Date('1971-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

function boundsOf({ minimum, maximum, exclusiveMinimum }: Schema) {
  const min = Math.ceil(minimum ?? (exclusiveMinimum === undefined ? -5 : exclusiveMinimum + 1));
  return { min, max: Math.max(min, Math.floor(maximum ?? min + 60)) };
}

function numberOf({ minimum, maximum, exclusiveMinimum }: Schema): fc.Arbitrary<number> {
  const min = minimum ?? exclusiveMinimum ?? -100;
  const max = Math.max(min, maximum ?? min + 200);
  const minExcluded = exclusiveMinimum !== undefined;
  return fc.double({ min, max, minExcluded, noNaN: true, noDefaultInfinity: true });
}

function listOf(schema: Schema, name: string, known: Known, depth: number): fc.Arbitrary<unknown> {
  const { items, prefixItems, minItems = 0, maxItems } = schema;
  if (prefixItems !== undefined) {
    return fc.tuple(...prefixItems.map((item) => rightValue(item, name, known, depth + 1)));
  }
  const item = typeof items === 'object' ? items : {};
  const most = Math.max(minItems, Math.min(maxItems ?? 3, 3));
  return fc.array(rightValue(item, name, known, depth + 1), {
    minLength: minItems,
    maxLength: most,
  });
}

function objectOf(schema: Schema, known: Known, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  // All of them at once would contradict each other nearly always.
  const offered = depth < 4 ? optional : [];
  const chosen = fc.subarray(offered, { maxLength: Math.min(offered.length, 4) });
  const own = chosen.chain((names) =>
    fc.record(
      Object.fromEntries(
        [...required, ...names].map((name) => [
          name,
          rightValue(properties[name] ?? {}, name, known, depth + 1),
        ]),
      ),
    ),
  );
  if (typeof additionalProperties !== 'object') return own;
  const value = rightValue(additionalProperties, '', known, depth + 1);
  const keys = freeText(schema.propertyNames ?? { minLength: 1 });
  const isOpen = Object.keys(additionalProperties).length === 0;
  // Members that nobody knows do no harm, and say little.
  const more = fc.dictionary(keys, value, {
    maxKeys: isOpen && Object.keys(properties).length > 0 ? 1 : 3,
  });
  return fc.tuple(own, more).map(([one, other]) => ({ ...other, ...one }));
}

/** What no schema foresees, or what stands at the edge of one. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...['', ' ', '\u0000', 'a\u0000b', '\ud800', '\ufeff', '\u202e', '💩'.repeat(200)],
    ...[
      'a'.repeat(5_000),
      '../../etc/passwd',
      "'; DROP TABLE images; --",
      '%00',
      '[object Object]',
    ],
    ...['http://127.0.0.1:1/', 'file:///etc/passwd', 'NaN', '1e309', 'true', '__proto__'],
    ...[null, true, 0, -1, 1.5, 2 ** 53, -(2 ** 63), 1e308, Number.MIN_VALUE],
    ...[[], {}, [[]], [null], { length: 1 }, { toString: 1 }, { constructor: { prototype: {} } }],
    JSON.parse('{"__proto__": {"polluted": true}}'),
  ),
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** The value with one of its members replaced, removed, or added; at any depth. */
export function withOneOdd(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return oddList(value);
  if (typeof value !== 'object' || value === null) return oddValue;
  const entries = Object.entries(value);
  const names = ['__proto__', 'constructor', 'toString', 'unheard_of', 'workspace', 'api_key'];
  const added = fc
    .tuple(fc.constantFrom(...names), oddValue)
    .map(([name, odd]) => Object.fromEntries([...entries, [name, odd]]));
  if (entries.length === 0) return added;
  const at = fc.nat({ max: entries.length - 1 });
  const replaced = at.chain((index) => {
    const [name, member] = entries[index] ?? ['', undefined];
    const deeper = typeof member === 'object' && member !== null;
    return (deeper ? fc.oneof(withOneOdd(member), oddValue) : oddValue).map((odd) =>
      Object.fromEntries(entries.with(index, [name, odd])),
    );
  });
  const removed = at.map((index) => Object.fromEntries(entries.toSpliced(index, 1)));
  return fc.oneof({ weight: 5, arbitrary: replaced }, removed, added);
}

function oddList(list: readonly unknown[]): fc.Arbitrary<unknown> {
  const longer = oddValue.map((odd): unknown => [...list, odd]);
  const many = fc.constant<unknown>(Array.from({ length: 2_000 }, () => list[0] ?? 'a'));
  if (list.length === 0) return fc.oneof(longer, many);
  const replaced = fc
    .nat({ max: list.length - 1 })
    .chain((index) => withOneOdd(list[index]).map((odd): unknown => list.with(index, odd)));
  return fc.oneof({ weight: 4, arbitrary: replaced }, longer, many);
}
