// The MCP server over stdio, for all protocol revisions.

import type { Transport } from '@modelcontextprotocol/server';
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Clock } from '../../clock.ts';
import { createServer, wireTools } from '../create-server.ts';
import { createRequestStates } from '../elicitation/request-state.ts';
import { createCapabilities } from '../server-capabilities.ts';
import { type CallOptions, createCallTool } from '../tool-call/stages.ts';

export interface StdioMcpOptions extends CallOptions {
  readonly version: string;
  readonly clock: Clock;
}

/** Serves until the transport closes. Nothing but JSON is touched before the first tools/call. */
export function serveStdioMcp(options: StdioMcpOptions, transport: Transport): StdioServerHandle {
  const { version, clock, list, settings, log } = options;
  const tools = wireTools(list, settings);
  const callTool = createCallTool(options);
  const capabilities = createCapabilities(options, callTool);
  const requestState = createRequestStates()('');
  const parts = { version, clock, tools, readsFiles: true, capabilities, requestState };
  return serveStdio(() => createServer(parts, callTool), {
    transport,
    onerror: (error) => log.warn('A message was not understood.', { error: error.name }),
  });
}
