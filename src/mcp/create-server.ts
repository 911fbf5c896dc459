// An MCP server without a transport. It uses the low-level server of the package, so that
// tools/list is answered from JSON made at build time.

import { type CallToolResult, Server, type ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '../clock.ts';
import { showsApps } from './app/host-support.ts';
import type { RequestState } from './elicitation/request-state.ts';
import type { ServerCapabilities } from './server-capabilities.ts';
import type { ServerDescription } from './server-description.ts';
import { takesTasks, taskResult } from './tasks/add-tasks.ts';
import { answerToolCall } from './tool-call/handle-request.ts';
import type { Called, CallTool } from './tool-call/pipeline.ts';

export interface ServerOptions {
  readonly clock: Clock;
  readonly description: ServerDescription;
  readonly capabilities: ServerCapabilities;
  /** Seals what the person at the host is asked to confirm. */
  readonly requestState: RequestState;
}

/** A list that never changes while the process runs may be kept for an hour. */
const cacheHint = { ttlMs: 3_600_000, cacheScope: 'private' } as const;

/**
 * A server without a transport. Over stdio it is made once or twice per connection, since a host
 * may ask for the newest revision and fall back; over HTTP once per request.
 */
export function createServer(
  { clock, description, capabilities, requestState }: ServerOptions,
  callTool: CallTool,
): Server {
  const { introduction, tools, toolsWithApps } = description;
  const server = new Server(introduction.serverInfo, {
    capabilities: introduction.capabilities,
    instructions: introduction.instructions,
    requestState: { verify: requestState.verify },
    cacheHints: {
      'tools/list': cacheHint,
      'prompts/list': cacheHint,
      'resources/list': cacheHint,
      'resources/templates/list': cacheHint,
      'server/discover': cacheHint,
    },
  });
  server.setRequestHandler('tools/list', (_request, context) => ({
    tools: [...(showsApps(server, context) ? toolsWithApps : tools)],
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const options = { clock, callTool, requestState };
    const answered = await answerToolCall(server, options, params, context);
    if ('inputRequired' in answered) return answered.inputRequired;
    return taskOf(answered.called, capabilities, context) ?? answered.called.result;
  });
  capabilities.addTo(server);
  return server;
}

/** For clients that support tasks: a task in place of a result whose work goes on. */
function taskOf(
  { work, result }: Called,
  { tasks }: ServerCapabilities,
  context: ServerContext,
): CallToolResult | undefined {
  if (tasks === undefined || work === undefined) return undefined;
  return takesTasks(context) ? taskResult(tasks.create(work, result)) : undefined;
}
