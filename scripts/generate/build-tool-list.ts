// The full list of tools as JSON, made at build time: the running server reads the file.

import { toolJsonSchema } from '../../src/contract/tool-json-schema.ts';
import { operationSynonyms } from '../../src/mcp/operation-search/synonyms.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import type { ArgumentsSchema, ListedTool, ToolHints } from '../../src/mcp/tool-list.ts';

/**
 * The entry of each tool, in the given order; its members stand in the order that costs the fewest
 * tokens.
 */
export function buildToolList(tools: readonly Tool[]): readonly ListedTool[] {
  return tools.map((tool) => ({
    name: tool.name,
    toolset: tool.toolset,
    effect: tool.effect,
    ...(tool.scope !== undefined && { scope: tool.scope }),
    usesFiles: tool.usesFiles,
    ...(tool.fileArguments && { fileArguments: tool.fileArguments }),
    ...(tool.embeddedOnly && { embeddedOnly: true }),
    ...(tool.appOnly && { appOnly: true }),
    description: tool.description,
    inputSchema: argumentsSchema(tool),
    annotations: hintsOf(tool),
    title: tool.title,
    ...metaOf(tool),
  }));
}

/** Names that hosts read: those of Claude Code, and of MCP Apps. */
function metaOf({ name, meta = {}, app, appOnly }: Tool): Pick<ListedTool, 'meta'> {
  const { requiresUserInteraction, maxResultSizeChars } = meta;
  // A host's own search of tools finds them by the phrases by which ours does.
  const searchHint = operationSynonyms[name];
  const page = app && `ui://fovea/${app}`;
  const members = {
    ...(requiresUserInteraction && { 'anthropic/requiresUserInteraction': true }),
    ...(searchHint !== undefined && { 'anthropic/searchHint': searchHint }),
    ...(maxResultSizeChars !== undefined && { 'anthropic/maxResultSizeChars': maxResultSizeChars }),
    ...(page && { ui: { resourceUri: page } }),
    ...(appOnly && { ui: { visibility: ['app'] } }),
  };
  return Object.keys(members).length > 0 ? { meta: members } : {};
}

/**
 * The hints as MCP defines them: destructive is all that does more than add, so also a change and a
 * removal to the trash; idempotent is a call whose repetition has no further effect.
 */
function hintsOf(tool: Pick<Tool, 'effect' | 'idempotent' | 'openWorld'>): ToolHints {
  return {
    readOnlyHint: tool.effect === 'reads',
    destructiveHint: tool.effect === 'changes' || tool.effect === 'removes',
    idempotentHint: tool.effect === 'reads' || tool.idempotent,
    openWorldHint: tool.openWorld,
  };
}

/** Some hosts refuse a tool without `properties`, even where it takes no argument. */
function argumentsSchema(tool: Tool): ArgumentsSchema {
  return { properties: {}, ...toolJsonSchema(tool.input), type: 'object' };
}
