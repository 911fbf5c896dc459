// The MCP server over stdio, for all protocol revisions.

import type { Transport } from '@modelcontextprotocol/server';
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Clock } from '../clock.ts';
import { type CallOptions, createCallTool } from './calls.ts';
import { consentDesks } from './consent.ts';
import { createServer, wireTools } from './create-server.ts';
import { serverFeatures } from './features.ts';

export interface McpOptions extends CallOptions {
  readonly version: string;
  readonly clock: Clock;
}

/** Serves until the transport closes. Nothing but JSON is touched before the first tools/call. */
export function serveMcp(options: McpOptions, transport: Transport): StdioServerHandle {
  const { version, clock, list, settings, log } = options;
  const tools = wireTools(list, settings);
  const callTool = createCallTool(options);
  const features = serverFeatures(options, callTool);
  const consent = consentDesks()('');
  const parts = { version, clock, tools, readsFiles: true, features, consent };
  return serveStdio(() => createServer(parts, callTool), {
    transport,
    onerror: (error) => log.warn('A message was not understood.', { error: error.name }),
  });
}
