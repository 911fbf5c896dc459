// The tool lists that hosts get under different settings, what they cost, and their snapshots.

import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { readSettings, type ToolProfile } from '../../src/config.ts';
import { instructionsFor } from '../../src/mcp/instructions.ts';
import type { ListedTool, ToolListSettings } from '../../src/mcp/tool-list.ts';
import { toolsOverHttp } from '../../src/mcp/tool-list.ts';
import { type ToolsListEntry, toolsListEntries } from '../../src/mcp/tools-list-entries.ts';
import { modelTokens } from './model-tokens.ts';

export interface ToolList {
  /** Also the name of its file, without the ending. */
  readonly name: string;
  readonly tools: readonly ToolsListEntry[];
  readonly instructions: string;
  /** Its only toolset: its tools are those of `full`, so it needs no snapshot. */
  readonly toolset?: string;
}

/** In a fixed order: profiles, then each toolset alone. */
export function toolLists(list: readonly ListedTool[]): readonly [full: ToolList, ...ToolList[]] {
  const toolsets = [...new Set(list.map(({ toolset }) => toolset))];
  return [
    local('full', list, { toolProfile: 'full' }),
    local('default', list, { toolProfile: 'default' }),
    local('compact', list, { toolProfile: 'compact' }),
    local('full-read-only', list, { toolProfile: 'full', readOnly: true }),
    local('default-read-only', list, { toolProfile: 'default', readOnly: true }),
    local('compact-read-only', list, { toolProfile: 'compact', readOnly: true }),
    local('project-fixed', list, { toolProfile: 'full', project: 'cells' }),
    overHttp('http-full', list, 'full'),
    overHttp('http-default', list, 'default'),
    overHttp('http-compact', list, 'compact'),
    ...toolsets.map((toolset) => {
      const toolList = local(`toolset-${toolset}`, list, {
        toolProfile: 'full',
        toolsets: [toolset],
      });
      return { ...toolList, toolset };
    }),
  ];
}

function local(name: string, list: readonly ListedTool[], changes: Partial<ToolListSettings>) {
  return made(name, list, changes, true);
}

/** Over HTTP a credential names the workspace, so no call has to. */
function overHttp(name: string, list: readonly ListedTool[], toolProfile: ToolProfile) {
  return made(name, toolsOverHttp(list), { toolProfile, workspace: 'any' }, false);
}

function made(
  name: string,
  list: readonly ListedTool[],
  changes: Partial<ToolListSettings>,
  readsFiles: boolean,
): ToolList {
  const tools = toolsListEntries(list, { ...readSettings({}), ...changes });
  const names = tools.map((tool) => tool.name);
  return { name, tools, instructions: instructionsFor(names, readsFiles) };
}

/**
 * The text of a snapshot. A tool that is the same in the full list stands there alone, and by its
 * name here. Short values take one line, so that a change is one line too.
 */
export function snapshot({ name, tools, instructions }: ToolList, full: ToolList): string {
  const known = new Set(full.tools.map((tool) => JSON.stringify(tool)));
  const entries = tools.map((tool) =>
    name !== full.name && known.has(JSON.stringify(tool)) ? tool.name : tool,
  );
  return `${lines({ instructions: instructions.split('\n'), tools: entries }, '')}\n`;
}

const shortMax = 100;

function lines(value: unknown, indent: string): string {
  const short = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || short.length <= shortMax) return short;
  const inner = `${indent} `;
  const members = Array.isArray(value)
    ? value.map((element) => lines(element, inner))
    : Object.entries(value).map(
        ([name, member]) => `${JSON.stringify(name)}: ${lines(member, inner)}`,
      );
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${indent}${close}`;
}

/** What each list costs a model, in cl100k tokens: for `doctor`, which has no tokenizer. */
export function budget(all: readonly ToolList[]): string {
  const rows = all.map(({ name, tools, instructions }) => {
    const tokens = modelTokens(tools);
    return [name, { tools: tools.length, tokens, instructions: encode(instructions).length }];
  });
  return `${lines(Object.fromEntries(rows), '')}\n`;
}
