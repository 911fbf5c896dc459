// The Event Store inside the process that serves MCP. Loaded where no other Event Store answers.

import { randomBytes } from 'node:crypto';
import { systemClock } from '../clock.ts';
import type { Settings } from '../config.ts';
import { startEventStore } from '../event-store/event-store.ts';
import { readEventStoreSettings } from '../event-store-config.ts';
import type { Log } from '../log.ts';
import { Secret } from '../secret.ts';
import type { Embedded } from './embedded-platform.ts';
import { prepareDataFolder } from './prepare-data-folder.ts';

/**
 * Listens on a free port of 127.0.0.1, with a random key of this process. It shares the data
 * folder, and the policy in it, with `fovea event-store` and the Event Stores of other processes.
 */
export async function startEmbeddedEventStore(settings: Settings, log: Log): Promise<Embedded> {
  const apiKey = new Secret(randomBytes(32).toString('base64url'));
  const service = await startEventStore({
    data: prepareDataFolder(undefined, settings.home, 'event-store'),
    host: '127.0.0.1',
    port: 0,
    settings: { ...readEventStoreSettings(), apiKey, allowedHosts: [] },
    log: log.part('event-store'),
    clock: systemClock,
  });
  return { service, upstream: { url: service.url, credential: apiKey } };
}
