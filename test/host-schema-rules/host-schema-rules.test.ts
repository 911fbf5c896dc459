// Every tool list against what the hosts' models accept, and every rule against what it is to find.

import { describe, expect, test } from 'vitest';
import { buildToolList } from '../../scripts/generate/build-tool-list.ts';
import { type ToolListSettings, toolsOverHttp } from '../../src/mcp/tool-list.ts';
import { toolsListEntries } from '../../src/mcp/tools-list-entries.ts';
import { tools } from '../../tools/index.ts';
import { claude, cursor, cursorToolsMax, gemini, openAiStrict } from './host-schema-rules.ts';
import type { OfferedTool } from './schema-nodes.ts';
import { hasFreeMap } from './strict-mode.ts';

const dialects = [gemini, openAiStrict, cursor, claude];
const list = buildToolList(tools);
const toolsets = [...new Set(list.map(({ toolset }) => toolset))];

const everything: ToolListSettings = {
  workspace: undefined,
  project: undefined,
  toolsets: undefined,
  readOnly: false,
  toolProfile: 'full',
};
const compact: ToolListSettings = { ...everything, toolProfile: 'compact' };

const lists: Readonly<Record<string, readonly OfferedTool[]>> = {
  full: toolsListEntries(list, everything),
  compact: toolsListEntries(list, compact),
  'full, read-only': toolsListEntries(list, { ...everything, readOnly: true }),
  'compact, read-only': toolsListEntries(list, { ...compact, readOnly: true }),
  'one project': toolsListEntries(list, { ...everything, workspace: 'acme', project: 'cells' }),
  'full over HTTP': toolsListEntries(toolsOverHttp(list), everything),
  'compact over HTTP': toolsListEntries(toolsOverHttp(list), compact),
  ...Object.fromEntries(
    toolsets.map((toolset) => [
      `the toolset ${toolset}`,
      toolsListEntries(list, { ...everything, toolsets: [toolset] }),
    ]),
  ),
};

describe.each(Object.entries(lists))('%s', (name, offered) => {
  test.each(dialects)('is what $name accepts', ({ rules }) => {
    const broken = rules.flatMap(({ says, broken }) =>
      broken(offered).map((it) => `${says}: ${it}`),
    );
    expect(broken).toEqual([]);
  });

  test.skipIf(name.includes('full') || name === 'one project')('is sent whole by Cursor', () => {
    expect(offered.length).toBeLessThanOrEqual(cursorToolsMax.tools);
    expect(offered.length).toBeGreaterThan(0);
  });
});

test('four of five tools can be taken in strict mode, which has no free maps', () => {
  const full = lists.full ?? [];
  const taken = full.filter((tool) => !hasFreeMap(tool));
  expect(taken.length / full.length).toBeGreaterThan(0.8);
});

const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const many = (count: number) => Array.from({ length: count }, (_, index) => `value-${index}`);
const fields = (count: number) => Object.fromEntries(many(count).map((name) => [name, text]));
const deep = (levels: number): object => (levels === 1 ? text : object({ a: deep(levels - 1) }));
const long = 'a'.repeat(65);

/** A list that breaks each rule, in the order of the rules. */
const wrong: Readonly<Record<string, readonly (readonly OfferedTool[])[]>> = {
  Gemini: [
    [{ name: '1_tool', inputSchema: object({}) }],
    [{ name: 'a'.repeat(60), inputSchema: object({}) }],
    [{ name: 'a', inputSchema: object({ 'a-b': text }) }],
    [{ name: 'a', inputSchema: object({}, { additionalProperties: false }) }],
    [{ name: 'a', inputSchema: object({ a: { type: ['string', 'null'] } }) }],
    [{ name: 'a', inputSchema: object({ a: { type: 'array' } }) }],
    [{ name: 'a', inputSchema: object({ a: { type: 'integer', enum: [1] } }) }],
    [{ name: 'a', inputSchema: object({ a: object({}, { required: ['b'] }) }) }],
    [{ name: 'a', inputSchema: object({ a: { ...text, properties: {} } }) }],
  ],
  'OpenAI strict mode': [
    [{ name: 'a.b', inputSchema: object({}) }],
    many(129).map((name) => ({ name, inputSchema: object({}) })),
    [{ name: 'a', inputSchema: { type: 'array', items: text } }],
    [{ name: 'a', inputSchema: object({ a: { oneOf: [text] } }) }],
    [{ name: 'a', inputSchema: object({ a: { anyOf: [object({})] } }) }],
    [{ name: 'a', inputSchema: deep(6) }],
    [{ name: 'a', inputSchema: object(fields(5_001)) }],
    [{ name: 'a', inputSchema: object({ a: { ...text, enum: many(1_001) } }) }],
    [{ name: 'a', inputSchema: object({ ['a'.repeat(120_001)]: text }) }],
    [{ name: 'a', inputSchema: object({ a: { enum: many(251).map((it) => it.repeat(9)) } }) }],
  ],
  Cursor: [[{ name: 'a'.repeat(55), inputSchema: object({}) }]],
  Claude: [
    [{ name: long, inputSchema: object({}) }],
    [{ name: 'a', inputSchema: object({ a: object({ 'b[]': text }) }) }],
    [{ name: 'a', inputSchema: { type: 'object', anyOf: [object({})] } }],
  ],
};

describe.each(dialects)('the rules of $name', ({ name, rules }) => {
  test.each(rules.map((rule, index) => ({ ...rule, given: wrong[name]?.[index] ?? [] })))(
    '$says',
    ({ broken, given, source }) => {
      expect(source).toMatch(/^https:\/\/\S+$/);
      expect(broken(given)).toHaveLength(1);
    },
  );
});
