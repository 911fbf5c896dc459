// What tool calls of this process need: the tools, the services that they reach, and the record of
// earlier calls.

import { join } from 'node:path';
import list from '../../tools/list.json' with { type: 'json' };
import { systemClock } from '../clock.ts';
import type { Settings } from '../config.ts';
import { lazyStart } from '../lazy-start.ts';
import type { Log } from '../log.ts';
import { principalOf } from '../mcp/idempotency/call-identity.ts';
import { createLazyIdempotency } from '../mcp/idempotency/lazy-idempotency.ts';
import type { CallOptions } from '../mcp/tool-call/pipeline.ts';
import { pagePlaceOf } from './page-place.ts';
import { connectUpstreamServices } from './upstream-services.ts';

export interface ToolCalls {
  readonly options: CallOptions;
  closeIdempotency(): Promise<void>;
  /** Closes sockets and stops the services that were started here. */
  closeServices(): Promise<void>;
}

/** Opens nothing before the first call that needs it. */
export function prepareToolCalls(settings: Settings, version: string, log: Log): ToolCalls {
  const idempotency = createLazyIdempotency(settings, log, loadReconcilers);
  const services = connectUpstreamServices(settings, log);
  const workingFolder = process.cwd();
  const files = lazyStart(async () => {
    const { openFileRoots } = await import('../file-access/file-roots.ts');
    return openFileRoots(settings.fileRoots, workingFolder);
  });
  return {
    options: {
      list,
      loadTools: async () => {
        const { tools, pageTools } = await import('../../tools/index.ts');
        return [...tools, ...pageTools];
      },
      makeContext: async (scope) => ({
        ...scope,
        client: await services.client(),
        eventStorePlace: services.eventStorePlace,
        signIn: services.signIn,
        machine: async () =>
          (await import('./create-machine-diagnostics.ts')).createMachineDiagnostics(
            settings,
            version,
            log,
          ),
        pagePlace: () => pagePlaceOf(settings, 'command'),
        files: await files.get(),
        settings,
        clock: systemClock,
      }),
      saveResult: async (tool, json) => {
        const { saveResultsIn } = await import('../mcp/results/saved-results.ts');
        return saveResultsIn(join(settings.home, 'answers'), systemClock)(tool, json);
      },
      settings,
      principal: principalOf(settings),
      account: services.account,
      idempotency: idempotency.get,
      log,
    },
    closeIdempotency: async () => idempotency.close(),
    closeServices: () => services.close(),
  };
}

async function loadReconcilers() {
  return (await import('../../tools/reconciliation.ts')).reconcilers;
}
