// The schemas that hosts see.

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { flatSchema } from '../../src/contract/check.ts';
import { operations } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { toolJsonSchema } from '../../src/contract/tool-json-schema.ts';

const all: readonly Operation[] = Object.values(operations);

describe('the schema of each operation', () => {
  test.each(all)('$id is an object with properties', (operation) => {
    const schema = toolJsonSchema(flatSchema(operation));
    expect(schema.type).toBe('object');
    expect(schema.properties).toBeTypeOf('object');
  });

  test.each(all)('$id has only keywords that every host reads', (operation) => {
    const keywords = keywordsIn(toolJsonSchema(flatSchema(operation)));
    const known = ['type', 'description', 'enum', 'properties', 'required'];
    expect([...keywords].filter((keyword) => ![...known, 'items'].includes(keyword))).toEqual([]);
  });

  test.each(all)('$id has single types and real bounds', (operation) => {
    const text = JSON.stringify(toolJsonSchema(flatSchema(operation)));
    expect(text).not.toContain('9007199254740991');
    expect(text).not.toMatch(/"type":\[/);
  });

  test.each(all)('$id describes each parameter', (operation) => {
    const properties = z
      .record(z.string(), z.looseObject({ description: z.string().min(1) }))
      .safeParse(toolJsonSchema(flatSchema(operation)).properties);
    expect(properties.error?.issues.map(({ path }) => path)).toBeUndefined();
  });

  test('each setting of a version is there', () => {
    const group = z.looseObject({ properties: z.record(z.string(), z.unknown()) });
    const schema = toolJsonSchema(flatSchema(operations.versions_generate));
    const groups = z
      .looseObject({ preprocessing: group, augmentation: group })
      .parse(schema.properties);
    expect(Object.keys(groups.preprocessing.properties)).toHaveLength(10);
    expect(Object.keys(groups.augmentation.properties)).toHaveLength(24);
  });
});

describe('what is published', () => {
  test('of plain members: types, ranges, choices, what is required', () => {
    const schema = z.strictObject({
      count: z.int().min(1).describe('How many.'),
      least: z.int().min(2).optional().describe('How many.'),
      share: z.number().min(0).max(1).nullable().optional().describe('Share.'),
      angle: z.number().min(0).lt(90).optional().describe('Degrees.'),
      ids: z.array(z.string()).max(500).optional().describe('Ids.'),
      split: z.enum(['train', 'valid']).describe('Split.'),
      names: z.array(z.string().min(1)).min(1).optional().describe('Names.'),
    });
    expect(toolJsonSchema(schema)).toEqual({
      type: 'object',
      properties: {
        count: { type: 'integer', description: 'How many.' },
        least: { type: 'integer', description: 'How many. At least 2.' },
        share: { type: 'number', description: 'Share. 0 to 1.' },
        angle: { type: 'number', description: 'Degrees. From 0, below 90.' },
        ids: { type: 'array', items: { type: 'string' }, description: 'Ids. At most 500.' },
        split: { type: 'string', enum: ['train', 'valid'], description: 'Split.' },
        names: { type: 'array', items: { type: 'string' }, description: 'Names.' },
      },
      required: ['count', 'split'],
    });
  });

  test('of a schema without members: an empty set of properties', () => {
    expect(toolJsonSchema(z.strictObject({}))).toEqual({ type: 'object', properties: {} });
  });

  test('of unions and nullable members: the flat form', () => {
    const schema = z.strictObject({
      tile: z
        .union([
          z.strictObject({ rows: z.int().min(1) }),
          z.strictObject({ mode: z.literal('a'), size: z.number() }),
          z.strictObject({ mode: z.literal('b'), size: z.number() }),
        ])
        .describe('Tile.'),
      either: z.union([z.string(), z.int()]).describe('Either.'),
      note: z.string().nullable().describe('Note.'),
      point: z.tuple([z.number(), z.number()]).describe('x, y.'),
    });
    expect(toolJsonSchema(schema).properties).toEqual({
      tile: {
        type: 'object',
        properties: {
          rows: { type: 'integer' },
          mode: { type: 'string', enum: ['a', 'b'] },
          size: { type: 'number' },
        },
        description: 'Tile.',
      },
      either: { description: 'Either.' },
      note: { type: 'string', description: 'Note.' },
      point: { type: 'array', items: { type: 'number' }, description: 'x, y.' },
    });
  });

  test('of maps: no members; of lists: the members of their elements', () => {
    const schema = z.strictObject({
      map: z.record(z.string(), z.string()).describe('Map.'),
      list: z
        .array(z.strictObject({ a: z.int() }))
        .optional()
        .describe('List.'),
    });
    expect(toolJsonSchema(schema)).toEqual({
      type: 'object',
      properties: {
        map: { type: 'object', description: 'Map.' },
        list: {
          type: 'array',
          items: { type: 'object', properties: { a: { type: 'integer' } } },
          description: 'List.',
        },
      },
      required: ['map'],
    });
  });
});

/** The keywords of a JSON Schema and of all schemas in it; names of properties are none. */
function keywordsIn(schema: unknown): Set<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [keyword, member] of Object.entries(value)) {
      found.add(keyword);
      if (keyword === 'properties') for (const inner of Object.values(member)) visit(inner);
      if (keyword === 'items') visit(member);
    }
  };
  visit(schema);
  return found;
}
