// Introspection of zod schemas: members, alternatives, and a text for what they expect.

import * as z from 'zod';

export type Schema = z.core.$ZodType;

export type Path = readonly PropertyKey[];

/** The schema without its optional and nullable wrappers. */
export function unwrapped(schema: Schema): Schema {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return unwrapped(schema.unwrap());
  }
  return schema;
}

/** The alternatives of a schema: itself, or the options of a union. */
export function alternatives(schema: Schema): readonly Schema[] {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodUnion ? inner.options.flatMap(alternatives) : [inner];
}

/** The schema of one member or element; undefined where the schema has none. */
export function memberSchema(schema: Schema, key: PropertyKey): Schema | undefined {
  for (const option of alternatives(schema)) {
    const found = ownMember(option, key);
    if (found) return found;
  }
  return undefined;
}

export function schemaAt(schema: Schema, path: Path): Schema | undefined {
  let found: Schema | undefined = schema;
  for (const key of path) found = found && memberSchema(found, key);
  return found;
}

/** The member names of an object schema, or of all options of a union. */
export function knownNames(schema: Schema | undefined): readonly string[] {
  if (!schema) return [];
  const names = alternatives(schema).flatMap((option) =>
    option instanceof z.ZodObject ? Object.keys(option.shape) : [],
  );
  return [...new Set(names)];
}

/** The expected value as text: `an integer`, `one of train, valid, test`. */
export function expectation(schema: Schema | undefined): string {
  if (!schema) return 'another value';
  const names = [...new Set(alternatives(schema).map(expectationOfOne))];
  if (acceptsNull(schema)) names.push('null');
  return names.join(' or ');
}

/** The description of a schema or of the schema it wraps. */
export function descriptionOf(schema: Schema | undefined): string | undefined {
  if (!schema) return undefined;
  const own = z.globalRegistry.get(schema)?.description;
  if (own !== undefined) return own;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return descriptionOf(schema.unwrap());
  }
  return undefined;
}

/** `array` or `object` where the schema accepts no text: stringified JSON is unambiguous there. */
export function structureOf(schema: Schema): 'array' | 'object' | undefined {
  const kinds = new Set(alternatives(schema).map((option) => option._zod.def.type));
  const isEvery = (...names: string[]) => [...kinds].every((kind) => names.includes(kind));
  if (isEvery('array', 'tuple')) return 'array';
  if (isEvery('object', 'record')) return 'object';
  return undefined;
}

function ownMember(schema: Schema, key: PropertyKey): Schema | undefined {
  if (schema instanceof z.ZodObject) {
    return Object.hasOwn(schema.shape, key) ? schema.shape[String(key)] : undefined;
  }
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodTuple) return schema.def.items[Number(key)];
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return undefined;
}

function acceptsNull(schema: Schema): boolean {
  if (schema instanceof z.ZodNullable) return true;
  return schema instanceof z.ZodOptional && acceptsNull(schema.unwrap());
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
  custom: 'a file',
};

function expectationOfOne(schema: Schema): string {
  if (schema instanceof z.ZodEnum) return oneOf(schema.options);
  if (schema instanceof z.ZodLiteral) return oneOf([...schema.values]);
  if (schema instanceof z.ZodNumber) return isInteger(schema) ? 'an integer' : 'a number';
  return typeNames[schema._zod.def.type] ?? 'another value';
}

function isInteger(schema: z.ZodNumber): boolean {
  return schema instanceof z.ZodNumberFormat || schema.isInt;
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map(String);
  return names.length === 1 ? JSON.stringify(names[0]) : `one of ${names.join(', ')}`;
}
