// `operations_find`: which operation does what somebody wants, and what it takes.

import * as z from 'zod';
import { findEntry, presentCall } from './compact.ts';
import { type Index, indexed, ranked } from './ranking.ts';
import { adapt, type ListedTool, type SurfaceSettings } from './surface.ts';
import { type Tool, type ToolResult, tool } from './tool.ts';

const matchesMax = 8;

/** The tool over all operations of a list that the settings of the caller let through. */
export function findingTool(list: readonly ListedTool[]): Tool {
  const { name, title, description } = findEntry;
  const operationsOf = remembering(list);
  return tool({
    name,
    title,
    description,
    family: 'operations',
    effect: 'reads',
    recoverable: false,
    idempotent: true,
    openWorld: false,
    scope: undefined,
    usesFiles: false,
    input: z.strictObject({ query: z.string() }),
    run: async ({ query }, { settings }) => find(query.trim(), operationsOf(settings), settings),
  });
}

/** Those of a caller, with their words; made once for the settings of a process. */
function remembering(list: readonly ListedTool[]) {
  const known = new WeakMap<SurfaceSettings, Index>();
  return (settings: SurfaceSettings): Index => {
    const before = known.get(settings);
    if (before !== undefined) return before;
    const made = indexed(adapt(list, settings));
    known.set(settings, made);
    return made;
  };
}

function find(query: string, index: Index, settings: SurfaceSettings): ToolResult {
  const exact = index.byName.get(query.toLowerCase());
  if (exact !== undefined) return inFull(exact, settings);
  const operations = index.entries.map(({ tool }) => tool);
  const family = operations.filter(({ family }) => family === query.toLowerCase());
  const found = family.length > 0 ? family : ranked(query, index);
  if (found.length === 0) return nothingFound(operations);
  const shown = family.length > 0 ? found : found.slice(0, matchesMax);
  const [first] = shown;
  const howMany =
    shown.length === 1 ? '1 operation.' : `${shown.length} operations, the best match first.`;
  return {
    summary: howMany,
    data: { operations: shown.map((tool) => inShort(tool, settings)) },
    ...(first && {
      next: [
        { tool: findEntry.name, arguments: { query: first.name }, why: 'Gives its arguments.' },
      ],
    }),
  };
}

function inFull(tool: ListedTool, settings: SurfaceSettings): ToolResult {
  const { tool: call } = presentCall(tool, {}, settings);
  const how = call === tool.name ? 'Call it directly' : `Call ${call} with it`;
  return {
    summary: `${tool.name}: ${tool.description} ${how}.`,
    data: { operation: tool.name, call, effect: tool.effect, arguments: tool.inputSchema },
  };
}

function inShort(tool: ListedTool, settings: SurfaceSettings) {
  const { required = [] } = tool.inputSchema;
  return {
    operation: tool.name,
    does: `${tool.title}. ${tool.description}`,
    call: presentCall(tool, {}, settings).tool,
    ...(required.length > 0 && { required }),
  };
}

function nothingFound(operations: readonly ListedTool[]): ToolResult {
  const families = [...new Set(operations.map(({ family }) => family))];
  return {
    summary: 'No operation has these words. A family gives all of its operations.',
    data: { operations: [], families },
  };
}
