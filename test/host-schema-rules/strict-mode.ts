// What hosts make of a schema for the strict mode of OpenAI: objects are closed, all that they have
// is required, and what was optional may be null.

import { nodesOf, type OfferedTool } from './schema-nodes.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * The tool in strict mode; undefined where a host leaves it to the usual one: strict mode has no
 * maps with free keys (https://github.com/openai/openai-agents-python/pull/4310).
 */
export function toStrict(tool: OfferedTool): OfferedTool | undefined {
  return hasFreeMap(tool)
    ? undefined
    : { ...tool, inputSchema: strict({ ...Object(tool.inputSchema) }) };
}

/** Whether a parameter is an object of which nothing is said. */
export function hasFreeMap(tool: OfferedTool): boolean {
  return nodesOf(tool).some(
    ({ keywords, level }) => keywords.type === 'object' && !keywords.properties && level > 1,
  );
}

function strict(schema: Schema): Schema {
  const { properties, items, ...rest } = schema;
  const required: readonly unknown[] = Array.isArray(rest.required) ? rest.required : [];
  const closed = Object.entries({ ...Object(properties) }).map(([name, value]) => {
    const child = strict({ ...Object(value) });
    return [name, required.includes(name) ? child : nullable(child)];
  });
  return {
    ...rest,
    ...(items !== undefined && { items: strict({ ...Object(items) }) }),
    ...(rest.type === 'object' && {
      properties: Object.fromEntries(closed),
      required: closed.map(([name]) => name),
      additionalProperties: false,
    }),
  };
}

function nullable(schema: Schema): Schema {
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [schema.type, 'null'], ...values };
}
