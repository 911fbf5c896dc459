// The tool `operations_find`: finds the operations that match a query, and shows their arguments.

import * as z from 'zod';
import { type Tool, type ToolResult, tool } from '../tool.ts';
import { type ListedTool, offeredOperations, type ToolListSettings } from '../tool-list.ts';
import { operationsFind, presentCall } from '../tool-profiles.ts';
import { type Index, indexed, type Match, missingOperation, ranked } from './ranking.ts';

/** More schemas would cost more than a second look. */
const schemasMax = 3;

const matchesMax = 8;

/** The tool over all operations of a list that the settings of the caller let through. */
export function operationsFindTool(list: readonly ListedTool[]): Tool {
  const { name, title, description } = operationsFind;
  const operationsOf = remembering(list);
  return tool({
    name,
    title,
    description,
    toolset: 'operations',
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

/** The searchable operations of a caller, indexed once per settings. */
function remembering(list: readonly ListedTool[]) {
  const known = new WeakMap<ToolListSettings, Index>();
  return (settings: ToolListSettings): Index => {
    const before = known.get(settings);
    if (before !== undefined) return before;
    const made = indexed(offeredOperations(list, settings));
    known.set(settings, made);
    return made;
  };
}

function find(query: string, index: Index, settings: ToolListSettings): ToolResult {
  const exact = index.byName.get(query.toLowerCase());
  if (exact !== undefined) return inFull(exact, settings);
  const operations = index.entries.map(({ tool }) => tool);
  const ofToolset = operations.filter(({ toolset }) => toolset === query.toLowerCase());
  if (ofToolset.length > 0) return wholeToolset(ofToolset, settings);
  const missing = missingOperation(query);
  if (missing !== undefined) return { summary: missing, data: { operations: [] } };
  const { matches: all, unknown } = ranked(query, index);
  const matches = all.slice(0, matchesMax);
  const best = matches.filter(({ fits }) => fits).slice(0, schemasMax);
  const doubt = wordsUnknown(unknown, query);
  if (best.length === 0) return nothingFits(matches, operations, settings, doubt);
  const others = matches.filter((match) => !best.includes(match)).map(({ tool }) => tool.name);
  return {
    summary: `${best.length === 1 ? '1 operation' : `${best.length} operations`}, the best match first, with their arguments.${doubt}`,
    data: {
      operations: best.map(({ tool }) => ({
        ...inShort(tool, settings),
        arguments: tool.inputSchema,
      })),
      ...(others.length > 0 && { others }),
    },
  };
}

/** A word that no operation has may be a name, or what the wish is about. */
function wordsUnknown(unknown: readonly string[], query: string): string {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  const written = words.filter((word) =>
    unknown.some((stem) => word.toLowerCase().startsWith(stem)),
  );
  if (written.length === 0) return '';
  const named = written.map((word) => `"${word}"`).join(', ');
  return ` None speaks of ${named}: leave out what is a name of yours; if it is the point, none does it.`;
}

function wholeToolset(ofToolset: readonly ListedTool[], settings: ToolListSettings): ToolResult {
  const [first] = ofToolset;
  return {
    summary: `${ofToolset.length} operations of this toolset; a name gives its arguments.`,
    data: { operations: ofToolset.map((tool) => inShort(tool, settings)) },
    ...(first && {
      next: [
        {
          tool: operationsFind.name,
          arguments: { query: first.name },
          why: 'Gives its arguments.',
        },
      ],
    }),
  };
}

function inFull(tool: ListedTool, settings: ToolListSettings): ToolResult {
  const { tool: call } = presentCall(tool, {}, settings);
  const how = call === tool.name ? 'Call it directly' : `Call ${call} with it`;
  return {
    summary: `${tool.name}: ${tool.description} ${how}.`,
    data: { operation: tool.name, call, effect: tool.effect, arguments: tool.inputSchema },
  };
}

function inShort(tool: ListedTool, settings: ToolListSettings) {
  const { required = [] } = tool.inputSchema;
  return {
    operation: tool.name,
    does: `${tool.title}. ${tool.description}`,
    call: presentCall(tool, {}, settings).tool,
    ...(required.length > 0 && { required }),
  };
}

/** A near miss is not offered as if it did the job. */
function nothingFits(
  matches: readonly Match[],
  operations: readonly ListedTool[],
  settings: ToolListSettings,
  doubt: string,
): ToolResult {
  const toolsets = [...new Set(operations.map(({ toolset }) => toolset))];
  const nearest = matches.slice(0, schemasMax).map(({ tool }) => inShort(tool, settings));
  return {
    summary: `No operation fits this.${doubt} A toolset gives all of its operations.`,
    data: { operations: [], ...(nearest.length > 0 && { nearest }), toolsets },
  };
}
