// The MCP server over stdio, for all protocol revisions.

import type { Transport } from '@modelcontextprotocol/server';
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Clock } from '../../clock.ts';
import { createServer } from '../create-server.ts';
import { createRequestStates } from '../elicitation/request-state.ts';
import { createCapabilities } from '../server-capabilities.ts';
import type { ServerDescription } from '../server-description.ts';
import { type CallOptions, createCallTool } from '../tool-call/pipeline.ts';

export interface StdioMcpOptions extends CallOptions {
  readonly description: ServerDescription;
  readonly clock: Clock;
}

/** Serves until the transport closes. Nothing but JSON is touched before the first tools/call. */
export function serveStdioMcp(options: StdioMcpOptions, transport: Transport): StdioServerHandle {
  const { description, clock, log } = options;
  const callTool = createCallTool(options);
  const capabilities = createCapabilities(options, callTool);
  const requestState = createRequestStates()('');
  const serverOptions = { clock, description, capabilities, requestState };
  return serveStdio(() => createServer(serverOptions, callTool), {
    transport,
    onerror: (error) => log.warn('A message could not be handled.', { error: error.name }),
  });
}
