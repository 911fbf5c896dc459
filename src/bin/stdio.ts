// MCP over stdio: what hosts launch. Opens nothing before the first call that needs it.

import { join } from 'node:path';
import list from '../../tools/list.json' with { type: 'json' };
import { systemClock } from '../clock.ts';
import { readSettings } from '../config.ts';
import { lazyStart } from '../lazy-start.ts';
import { createLog } from '../log.ts';
import { principalOf } from '../mcp/idempotency/call-identity.ts';
import { createLazyIdempotency } from '../mcp/idempotency/lazy-idempotency.ts';
import { startLifecycle } from '../mcp/stdio/lifecycle.ts';
import { protocolOutput } from '../mcp/stdio/protocol-output.ts';
import { serveStdioMcp } from '../mcp/stdio/serve-stdio.ts';
import { openStdioTransport } from '../mcp/stdio/stdio-transport.ts';
import { checkToolsets } from '../mcp/tool-list.ts';
import { connectUpstreamServices, withWorkspace } from './upstream-services.ts';

export async function runStdio(version: string): Promise<void> {
  const settings = withWorkspace(readSettings());
  // Checked before stdin is read: a listener would keep a useless process alive.
  checkToolsets(list, settings.toolsets);
  const log = createLog(settings.logLevel);
  const wire = openStdioTransport(process.stdin, protocolOutput, log);
  const lifecycle = startLifecycle(wire.input, protocolOutput, log);
  const idempotency = createLazyIdempotency(settings, log, loadReconcilers);
  lifecycle.onEnd('idempotency', () => idempotency.close());
  const services = connectUpstreamServices(settings, log);
  lifecycle.onEnd('services', () => services.close());
  const workingFolder = process.cwd();
  const files = lazyStart(async () => {
    const { openFileRoots } = await import('../file-access/file-roots.ts');
    return openFileRoots(settings.fileRoots, workingFolder);
  });
  const server = serveStdioMcp(
    {
      list,
      loadTools: async () => (await import('../../tools/index.ts')).tools,
      makeContext: async (scope) => ({
        ...scope,
        client: await services.client(),
        eventStorePlace: services.eventStorePlace,
        signIn: services.signIn,
        machine: async () =>
          (await import('./machine-diagnostics.ts')).createMachineDiagnostics(
            settings,
            version,
            log,
          ),
        files: await files.get(),
        settings,
        clock: systemClock,
      }),
      saveResult: async (tool, json) => {
        const { saveResultsIn: keepAnswersIn } = await import('../mcp/results/saved-results.ts');
        return keepAnswersIn(join(settings.home, 'answers'), systemClock)(tool, json);
      },
      settings,
      principal: principalOf(settings),
      account: services.account,
      idempotency: idempotency.get,
      version,
      clock: systemClock,
      log,
    },
    wire.transport,
  );
  lifecycle.onEnd('mcp', () => server.close());
}

async function loadReconcilers() {
  return (await import('../../tools/reconciliation.ts')).reconcilers;
}
