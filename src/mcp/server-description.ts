// What hosts ask of a server first: what it says of itself, and its tools. No package is loaded for
// it, since most starts are over with that.

import { instructionsFor } from './instructions.ts';
import { tasksExtension, waitTool } from './tasks/tasks-extension.ts';
import type { ListedTool, ToolListSettings } from './tool-list.ts';
import { availableTools } from './tool-profiles.ts';
import { toolsListEntries } from './tools-list-entries.ts';

export interface DescriptionOptions {
  readonly version: string;
  readonly list: readonly ListedTool[];
  readonly settings: ToolListSettings;
  /** Whether tools read files of this machine. */
  readonly readsFiles: boolean;
}

export type ServerDescription = ReturnType<typeof describeServer>;

/** Made once per process, not once per server. */
export function describeServer({ version, list, settings, readsFiles }: DescriptionOptions) {
  const tools = toolsListEntries(list, settings);
  const toolsWithApps = toolsListEntries(list, { ...settings, showsApps: true });
  const servesTasks = availableTools(list, settings).offers(waitTool);
  return {
    /** The members of the answer to `initialize` that are the same for all its revisions. */
    introduction: {
      capabilities: {
        tools: {},
        resources: {},
        prompts: {},
        completions: {},
        ...(servesTasks && { extensions: { [tasksExtension]: {} } }),
      },
      serverInfo: { name: 'fovea', title: 'Fovea', version },
      instructions: instructionsFor(
        tools.map(({ name }) => name),
        readsFiles,
      ),
    },
    tools,
    /** For hosts that show pages beside answers. */
    toolsWithApps,
  };
}
