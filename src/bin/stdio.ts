// MCP over stdio: what hosts launch. Opens nothing before the first call that needs it, and loads
// most of its code while the host reads the list of tools.

import list from '../../tools/list.json' with { type: 'json' };
import { readSettings, withWorkspace } from '../config.ts';
import { recognised } from '../http-client/recognise-platform.ts';
import { createLog } from '../log.ts';
import { describeServer } from '../mcp/server-description.ts';
import { EarlyAnswers } from '../mcp/stdio/early-answers.ts';
import { startLifecycle } from '../mcp/stdio/lifecycle.ts';
import { LineInput } from '../mcp/stdio/line-input.ts';
import { protocolOutput } from '../mcp/stdio/protocol-output.ts';
import { checkToolsets } from '../mcp/tool-list.ts';

export async function runStdio(version: string): Promise<void> {
  const given = withWorkspace(readSettings());
  // Checked before stdin is read: a listener would keep a useless process alive.
  checkToolsets(list, given.toolsets);
  const settings = await recognised(given);
  const log = createLog(settings.logLevel);
  const description = describeServer({ version, list, settings, readsFiles: true });
  const input = new LineInput(process.stdin, log);
  const lifecycle = startLifecycle(input, protocolOutput, log);
  const early = new EarlyAnswers(input, protocolOutput, description);
  if (!(await early.needsServer)) return;
  const { answered } = early;
  const { serveToolCalls } = await import('./stdio-server.ts').catch((thrown) => {
    // An upgrade has replaced the files: the host starts us again, where we do not linger.
    process.stdin.destroy();
    throw thrown;
  });
  serveToolCalls({ settings, version, description, log, lifecycle, input, answered });
}
