// MCP over stdio: what hosts launch. Opens nothing before the first call that needs it.

import list from '../../tools/list.json' with { type: 'json' };
import { systemClock } from '../clock.ts';
import { readSettings } from '../config.ts';
import { createLog } from '../log.ts';
import { startLifecycle } from '../mcp/stdio/lifecycle.ts';
import { protocolOutput } from '../mcp/stdio/protocol-output.ts';
import { serveStdioMcp } from '../mcp/stdio/serve-stdio.ts';
import { openStdioTransport } from '../mcp/stdio/stdio-transport.ts';
import { checkToolsets } from '../mcp/tool-list.ts';
import { prepareToolCalls } from './tool-calls.ts';
import { withWorkspace } from './upstream-services.ts';

export async function runStdio(version: string): Promise<void> {
  const settings = withWorkspace(readSettings());
  // Checked before stdin is read: a listener would keep a useless process alive.
  checkToolsets(list, settings.toolsets);
  const log = createLog(settings.logLevel);
  const wire = openStdioTransport(process.stdin, protocolOutput, log);
  const lifecycle = startLifecycle(wire.input, protocolOutput, log);
  const calls = prepareToolCalls(settings, version, log);
  lifecycle.onEnd('idempotency', calls.closeIdempotency);
  lifecycle.onEnd('services', calls.closeServices);
  const server = serveStdioMcp({ ...calls.options, version, clock: systemClock }, wire.transport);
  lifecycle.onEnd('mcp', () => server.close());
}
