// The MCP server over stdio itself, with the calls of its tools.

import { systemClock } from '../clock.ts';
import type { Settings } from '../config.ts';
import type { Log } from '../log.ts';
import type { ServerDescription } from '../mcp/server-description.ts';
import type { EarlyAnswers } from '../mcp/stdio/early-answers.ts';
import type { Lifecycle } from '../mcp/stdio/lifecycle.ts';
import type { LineInput } from '../mcp/stdio/line-input.ts';
import { protocolOutput } from '../mcp/stdio/protocol-output.ts';
import { serveStdioMcp } from '../mcp/stdio/serve-stdio.ts';
import { openStdioTransport } from '../mcp/stdio/stdio-transport.ts';
import { holdThreadsApart } from '../thread-process/thread-process.ts';
import { collectWhenIdle, keepYoungGenerations } from './service-memory.ts';
import { prepareToolCalls } from './tool-calls.ts';

export interface StdioServerOptions {
  readonly settings: Settings;
  readonly version: string;
  readonly description: ServerDescription;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  readonly input: LineInput;
  readonly answered: EarlyAnswers['answered'];
}

/** Takes over the lines of `input`. Opens nothing before the first call that needs it. */
export function serveToolCalls(options: StdioServerOptions): void {
  const { settings, version, description, log, lifecycle, input, answered } = options;
  const calls = prepareToolCalls(settings, version, log);
  lifecycle.onEnd('idempotency', calls.closeIdempotency);
  lifecycle.onEnd('services', calls.closeServices);
  const transport = openStdioTransport(input, protocolOutput, log, answered);
  const server = serveStdioMcp({ ...calls.options, description, clock: systemClock }, transport);
  lifecycle.onEnd('mcp', () => server.close());
  keepYoungGenerations();
  collectWhenIdle();
  holdThreadsApart();
}
