// The nodes of a parameter schema, each with the way to it, for rules that hold at every one.

import * as z from 'zod';

export interface OfferedTool {
  readonly name: string;
  readonly inputSchema: unknown;
}

export interface SchemaNode {
  readonly tool: string;
  /** As in `versions_generate.preprocessing.resize`. */
  readonly path: string;
  /** 1 is the object of the arguments. */
  readonly level: number;
  readonly keywords: Readonly<Record<string, unknown>>;
  readonly properties: Readonly<Record<string, unknown>>;
}

const record = z.record(z.string(), z.unknown());

/** The schema itself first, then what is below it. */
export function nodesOf({ name, inputSchema }: OfferedTool): readonly SchemaNode[] {
  return walk(inputSchema, { tool: name, path: name, level: 1 });
}

function walk(
  schema: unknown,
  at: Pick<SchemaNode, 'tool' | 'path' | 'level'>,
): readonly SchemaNode[] {
  const keywords = record.parse(schema);
  const properties = record.catch({}).parse(keywords.properties);
  const below = (child: unknown, step: string, levels = 1) =>
    walk(child, { tool: at.tool, path: `${at.path}${step}`, level: at.level + levels });
  return [
    { ...at, keywords, properties },
    ...Object.entries(properties).flatMap(([key, child]) => below(child, `.${key}`)),
    ...(keywords.items === undefined ? [] : below(keywords.items, '[]')),
    ...unionOf(keywords).flatMap((child) => below(child, '|', 0)),
  ];
}

function unionOf(keywords: Readonly<Record<string, unknown>>): readonly unknown[] {
  return ['anyOf', 'oneOf', 'allOf'].flatMap((name) =>
    z.array(z.unknown()).catch([]).parse(keywords[name]),
  );
}
