// `fovea event-store`: serves the device Event Store.

import { systemClock } from '../clock.ts';
import type { ServiceCommand } from '../commands.ts';
import { readSettings } from '../config.ts';
import { startEventStore } from '../event-store/event-store.ts';
import { readEventStoreSettings } from '../event-store-config.ts';
import { createLog } from '../log.ts';
import { isLoopbackHost } from '../network/loopback.ts';
import { prepareDataFolder } from './prepare-data-folder.ts';
import { runService } from './run-service.ts';
import { boundThreads, collectWhenIdle } from './service-memory.ts';

/** Serves until SIGTERM or SIGINT. Prints the URL on stdout once it answers. */
export async function runEventStore(command: ServiceCommand): Promise<void> {
  const { home, logLevel, trustedProxies } = readSettings();
  const settings = readEventStoreSettings();
  const log = createLog(logLevel).part('event-store');
  boundThreads();
  const service = await startEventStore({
    data: prepareDataFolder(command.data, home, 'event-store'),
    host: command.host,
    port: command.port,
    settings,
    setsPolicy: true,
    trustedProxies,
    log,
    clock: systemClock,
  });
  if (settings.apiKey === undefined && !isLoopbackHost(command.host)) {
    log.warn('API_KEY is not set: whoever reaches this address may read and write all events.');
  }
  collectWhenIdle();
  runService(service);
}
