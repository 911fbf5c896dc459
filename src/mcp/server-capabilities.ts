// What a server offers beside tools: resources, prompts, completions, tasks. All of it is made of
// the tools, with the credential that their calls have, and nothing is read before it is asked for.

import type { Server } from '@modelcontextprotocol/server';
import type { Clock } from '../clock.ts';
import { availableTools } from './available-tools.ts';
import { addCompletions } from './completions/add-completions.ts';
import { addPrompts } from './prompts/add-prompts.ts';
import { addResources } from './resources/add-resources.ts';
import { addTasks } from './tasks/add-tasks.ts';
import { type PlatformTasks, platformTasks, waitTool } from './tasks/platform-tasks.ts';
import type { CallOptions, CallTool } from './tool-call/stages.ts';

export interface ServerCapabilities {
  /** Undefined: the settings leave out what tasks are asked for with. */
  readonly tasks: PlatformTasks | undefined;
  /** Adds the requests of all of them to a server, which declares them. */
  addTo(server: Server): void;
}

export interface CapabilityOptions extends CallOptions {
  readonly clock: Clock;
}

/** Of one credential: made once for all servers that have it. */
export function createCapabilities(
  options: CapabilityOptions,
  callTool: CallTool,
): ServerCapabilities {
  const { list, settings, makeContext } = options;
  const available = availableTools(list, settings);
  const tasks = available.offers(waitTool) ? platformTasks({ ...options, available }) : undefined;
  const memory = new Map();
  const reader = async () => {
    const { resourceReader } = await import('./resources/read-resource.ts');
    return resourceReader({ callTool, available });
  };
  return {
    tasks,
    addTo: (server) => {
      addResources(server, available, reader);
      addPrompts(server, available);
      addCompletions(server, { makeContext, available, memory });
      if (tasks !== undefined) addTasks(server, tasks);
    },
  };
}
