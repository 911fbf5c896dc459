// What a server offers beside tools: resources, prompts, completions, tasks. All of them call the
// tools, with the same credential, and read nothing before a request needs it.

import type { Server } from '@modelcontextprotocol/server';
import type { Clock } from '../clock.ts';
import { addCompletions } from './completions/add-completions.ts';
import { addPrompts } from './prompts/add-prompts.ts';
import { addResources } from './resources/add-resources.ts';
import { addTasks } from './tasks/add-tasks.ts';
import { type PlatformTasks, platformTasks } from './tasks/platform-tasks.ts';
import { waitTool } from './tasks/tasks-extension.ts';
import type { CallOptions, CallTool } from './tool-call/pipeline.ts';
import { availableTools } from './tool-profiles.ts';

export interface ServerCapabilities {
  /** Undefined: the settings leave out the tool that reads tasks. */
  readonly tasks: PlatformTasks | undefined;
  /** Adds the requests of all of them to a server, which declares them. */
  addTo(server: Server): void;
}

export interface CapabilityOptions extends CallOptions {
  readonly clock: Clock;
}

/** For one credential: made once for all its servers. */
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
