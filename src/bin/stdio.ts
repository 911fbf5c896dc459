// MCP over stdio: what hosts launch. Opens nothing before the first call that needs it.

import { join } from 'node:path';
import list from '../../tools/list.json' with { type: 'json' };
import { systemClock } from '../clock.ts';
import { readSettings } from '../config.ts';
import { createLog } from '../log.ts';
import { principalOf } from '../mcp/journal/identity.ts';
import { lazyJournal } from '../mcp/journal/lazy-journal.ts';
import { startLifecycle } from '../mcp/lifecycle.ts';
import { serveMcp } from '../mcp/server.ts';
import { protocolOutput } from '../mcp/stdout-guard.ts';
import { checkToolsets } from '../mcp/surface.ts';
import { openWire } from '../mcp/wire.ts';
import { once } from '../once.ts';
import { connectUpstreamServices, withWorkspace } from './upstream-services.ts';

export async function runStdio(version: string): Promise<void> {
  const settings = withWorkspace(readSettings());
  // Before stdin is listened to: that keeps a process alive which will answer nobody.
  checkToolsets(list, settings.toolsets);
  const log = createLog(settings.logLevel);
  const wire = openWire(process.stdin, protocolOutput, log);
  const lifecycle = startLifecycle(wire.input, protocolOutput, log);
  const journal = lazyJournal(settings, log, readBacks);
  lifecycle.onEnd('journal', () => journal.close());
  const services = connectUpstreamServices(settings, log);
  lifecycle.onEnd('services', () => services.close());
  const workingFolder = process.cwd();
  const files = once(async () => {
    const { openFileRoots } = await import('../boundary/file-roots.ts');
    return openFileRoots(settings.fileRoots, workingFolder);
  });
  const server = serveMcp(
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
      keepAnswer: async (tool, json) => {
        const { keepAnswersIn } = await import('../mcp/kept-answers.ts');
        return keepAnswersIn(join(settings.home, 'answers'), systemClock)(tool, json);
      },
      settings,
      principal: principalOf(settings),
      account: services.account,
      journal: journal.get,
      version,
      clock: systemClock,
      log,
    },
    wire.transport,
  );
  lifecycle.onEnd('mcp', () => server.close());
}

async function readBacks() {
  return (await import('../../tools/reconciliation.ts')).reconcilers;
}
