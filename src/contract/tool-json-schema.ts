// The JSON Schema of a tool's input, reduced to what every MCP host can read.

import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../json-object.ts';

/**
 * JSON Schema of a tool's input for MCP hosts: an object at the root, without references, unions,
 * type lists and tuples. A union of objects becomes one object with all members, none required;
 * another union becomes the type that all options share. The range of a parameter stands in its
 * description; of deeper members, whose bounds are many, an error tells it. `check` enforces the
 * real rules.
 */
export function toolJsonSchema(schema: z.ZodObject): Record<string, unknown> {
  const full = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const { required } = full;
  const parameters = isJsonObject(full.properties) ? Object.entries(full.properties) : [];
  const properties = Object.fromEntries(
    parameters.map(([name, value]) => [name, withRange(value)]),
  );
  return { properties, ...(required !== undefined && { required }), type: 'object' };
}

function published(schema: unknown): Record<string, unknown> {
  if (!isJsonObject(schema)) return {};
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return publishedUnion(schema, options);
  const { description } = schema;
  const values = schema.const === undefined ? schema.enum : [schema.const];
  // A nullable member is published with its other type.
  const type = Array.isArray(schema.type)
    ? schema.type.find((type) => type !== 'null')
    : schema.type;
  const result: Record<string, unknown> = {
    ...(description !== undefined && { description }),
    ...(values !== undefined && { enum: values }),
    ...(type !== undefined && { type }),
  };
  const members = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (members.length > 0) {
    result.properties = Object.fromEntries(members.map(([key, value]) => [key, published(value)]));
    // `required` says nothing new about an object with a single member.
    if (Array.isArray(schema.required) && members.length > 1) result.required = schema.required;
  }
  if (type === 'array') result.items = publishedItems(schema);
  return result;
}

/** Nobody needs to be told that a count starts at 0 or 1. */
const plainMinimums: readonly unknown[] = [undefined, 0, 1, Number.MIN_SAFE_INTEGER];

/** A parameter: behind its description stands the range of the number, or the most elements. */
function withRange(schema: unknown): Record<string, unknown> {
  const shown = published(schema);
  const range = isJsonObject(schema) ? rangeOf(soleOption(schema)) : undefined;
  if (range === undefined) return shown;
  return { ...shown, description: shown.description ? `${shown.description} ${range}` : range };
}

/** The schema, or the only option of a nullable one. */
function soleOption(schema: JsonObject): JsonObject {
  const options = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isJsonObject) : [];
  const [only, another] = options.filter(({ type }) => type !== 'null');
  return only !== undefined && another === undefined ? only : schema;
}

function rangeOf(schema: JsonObject): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, maxItems } = schema;
  const isTuple = schema.prefixItems !== undefined;
  if (typeof maxItems === 'number' && !isTuple) return `At most ${maxItems}.`;
  if (typeof exclusiveMaximum === 'number') return `From ${minimum}, below ${exclusiveMaximum}.`;
  if (typeof maximum === 'number' && maximum !== Number.MAX_SAFE_INTEGER) {
    if (exclusiveMinimum !== undefined) return `Above ${exclusiveMinimum}, to ${maximum}.`;
    return minimum === undefined ? `At most ${maximum}.` : `${minimum} to ${maximum}.`;
  }
  if (typeof exclusiveMinimum === 'number') return `Above ${exclusiveMinimum}.`;
  return plainMinimums.includes(minimum) ? undefined : `At least ${minimum}.`;
}

/** A tuple is published as an array of its first element's type. */
function publishedItems(schema: JsonObject): Record<string, unknown> {
  const tuple = schema.prefixItems;
  return published(Array.isArray(tuple) ? tuple[0] : schema.items);
}

function publishedUnion(schema: JsonObject, options: readonly unknown[]): Record<string, unknown> {
  const { description } = schema;
  const shapes = options.map(published).filter(({ type }) => type !== 'null');
  const [first = {}] = shapes;
  const merged = shapes.length === 1 ? first : mergedShapes(shapes);
  return { ...(description !== undefined && { description }), ...merged };
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
