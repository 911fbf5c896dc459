// The JSON Schema of a tool's input, reduced to what every MCP host can read.

import * as z from 'zod';
import { isJsonObject, type JsonObject } from '../json-object.ts';

/** Keywords that every MCP host can read; in this order they cost a model the fewest tokens. */
const publishedKeywords = ['description', 'enum', 'type'];

/** Bounds are published for parameters only: at deeper levels they are not worth their tokens. */
const publishedBounds = ['minimum', 'maximum'];

/** Obvious minimums of counts and pages, not worth their tokens either. */
const plainMinimums = [0, 1];

/**
 * JSON Schema of a tool's input for MCP hosts: an object at the root, without references, unions,
 * type lists and tuples. A union of objects becomes one object with all members, none required;
 * another union becomes the type that all options share. `check` enforces the real rules.
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
  // A nullable member is published with its other type.
  if (Array.isArray(schema.type)) result.type = schema.type.find((type) => type !== 'null');
  if (schema.const !== undefined) result.enum = [schema.const];
  if (schema.describedOnly === true) {
    const { type } = publishedItems(schema);
    return { ...result, ...(schema.type === 'array' && { items: { type } }) };
  }
  const members = isJsonObject(schema.properties) ? Object.entries(schema.properties) : [];
  if (members.length > 0) {
    result.properties = Object.fromEntries(members.map(([key, value]) => [key, published(value)]));
    // `required` says nothing new about an object with a single member.
    if (Array.isArray(schema.required) && members.length > 1) result.required = schema.required;
  }
  if (schema.type === 'array') result.items = publishedItems(schema);
  return result;
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
