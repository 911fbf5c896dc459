// The tools that a server can call, under the name that its tool profile gives them: for features
// that name tools beside tools/list, such as resources and prompts.

import type { NextCall } from './tool.ts';
import type { ListedTool, ToolListSettings } from './tool-list.ts';
import { presentNext } from './tool-profiles.ts';

type Call = Pick<NextCall, 'tool' | 'arguments'>;

export interface AvailableTools {
  /** Whether a tool can be called at all, under whichever name. */
  offers(tool: string): boolean;
  /** A call of a tool as this surface makes it; undefined: it cannot be made. */
  callFor(call: Call): Call | undefined;
}

export function availableTools(
  list: readonly ListedTool[],
  settings: ToolListSettings,
): AvailableTools {
  const listed = new Map(list.map((tool) => [tool.name, tool]));
  const callFor = (call: Call) => presentNext({ ...call, why: '' }, listed, settings);
  return { callFor, offers: (tool) => callFor({ tool, arguments: {} }) !== undefined };
}
