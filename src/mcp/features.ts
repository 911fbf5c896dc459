// What a server offers beside tools: resources, prompts, completions, tasks. All of it is made of
// the tools, with the credential that their calls have, and nothing is read before it is asked for.

import type { Server } from '@modelcontextprotocol/server';
import type { Clock } from '../clock.ts';
import type { CallOptions, CallTool } from './calls.ts';
import { addCompletions } from './completions/add-completions.ts';
import { addPrompts } from './prompts/add-prompts.ts';
import { reachOf } from './reach.ts';
import { readingScope } from './reading-scope.ts';
import { addResources } from './resources/add-resources.ts';
import type { FollowLinks } from './resources/read-resource.ts';
import { addTasks } from './tasks/add-tasks.ts';
import { type PlatformTasks, platformTasks, waitTool } from './tasks/platform-tasks.ts';

export interface Features {
  /** Undefined: the settings leave out what tasks are asked for with. */
  readonly tasks: PlatformTasks | undefined;
  /** Adds the requests of all of them to a server, which declares them. */
  addTo(server: Server): void;
}

export interface FeatureOptions extends CallOptions {
  readonly clock: Clock;
  /** For previews of images; left out: what calls of tools have. */
  readonly followLinks?: FollowLinks;
}

/** Of one credential: made once for all servers that have it. */
export function serverFeatures(options: FeatureOptions, callTool: CallTool): Features {
  const { list, settings, makeContext } = options;
  const reach = reachOf(list, settings);
  const tasks = reach.offers(waitTool) ? platformTasks({ ...options, reach }) : undefined;
  const memory = new Map();
  const ownClient: FollowLinks = async (signal) => (await makeContext(readingScope(signal))).client;
  const { followLinks = ownClient } = options;
  const reader = async () => {
    const { resourceReader } = await import('./resources/read-resource.ts');
    return resourceReader({ callTool, followLinks, reach });
  };
  return {
    tasks,
    addTo: (server) => {
      addResources(server, reach, reader);
      addPrompts(server, reach);
      addCompletions(server, { makeContext, reach, memory });
      if (tasks !== undefined) addTasks(server, tasks);
    },
  };
}
