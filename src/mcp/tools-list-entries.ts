// The entries of tools/list as hosts get them.

import type { JSONObject } from '@modelcontextprotocol/server';
import type { ListedTool, ToolListSettings } from './tool-list.ts';
import { listedTools } from './tool-profiles.ts';

/** An entry of tools/list as hosts get it. */
export type ToolsListEntry = ReturnType<typeof toWire>;

/** The part of a list that the settings offer, as hosts get it. */
export function toolsListEntries(
  list: readonly ListedTool[],
  settings: ToolListSettings,
): readonly ToolsListEntry[] {
  return listedTools(list, settings).map(toWire);
}

/** Members stay in the order of the list, which costs a model the fewest tokens. */
function toWire({ title, inputSchema, annotations, name, description, meta }: ListedTool) {
  const { required = [], properties } = inputSchema;
  const schema = {
    properties: asJson(properties),
    ...(required.length > 0 && { required: [...required] }),
    type: 'object' as const,
  };
  return {
    name,
    description,
    inputSchema: schema,
    annotations: { ...annotations },
    title,
    ...(meta && { _meta: asJson(meta) }),
  };
}

/** Narrows the type; the value came from a JSON file. */
function asJson(value: object): JSONObject {
  return isJson(value) ? value : {};
}

function isJson(value: object): value is JSONObject {
  return !Array.isArray(value);
}
