// The device Event Store: its parts put together and served (second document).

import { join } from 'node:path';
import type { TrustedProxies } from '../boundary/client-address.ts';
import type { Clock } from '../clock.ts';
import type { UncheckedParts } from '../contract/check.ts';
import { deviceOperations } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import type { EventStoreSettings } from '../event-store-config.ts';
import { serve } from '../http-server/serve.ts';
import type { Service } from '../http-server/service.ts';
import { isJsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { openFileFolder } from '../storage/file-folder.ts';
import { createKeyCheck, deviceCredentials } from './api-key.ts';
import { needsSolution } from './create-event.ts';
import { eventStoreErrorBody } from './errors.ts';
import { eventStoreHandlers } from './handlers.ts';
import { loadEventSchemas } from './intake/event-schemas.ts';
import { withPreparedQuery } from './intake/query.ts';
import { respellEvent } from './intake/spelling.ts';
import { createRequestCounts } from './metrics.ts';
import type { Parts } from './parts.ts';
import { eventStoreRoutes } from './routes.ts';
import { openEventStore } from './store/sqlite-store.ts';
import { createOpenUploads } from './upkeep/open-uploads.ts';
import { withPolicy, writePolicy } from './upkeep/policy.ts';
import { startUpkeep } from './upkeep/upkeep.ts';
import { startUploads } from './upload/uploads.ts';

export interface EventStoreOptions {
  /** Data folder; made when it is not there. Several processes may share it. */
  readonly data: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly settings: EventStoreSettings;
  /** Proxies whose word on the address of a client is taken. */
  readonly trustedProxies?: TrustedProxies;
  /** Makes the limits of these settings those of the data folder, for all its processes. */
  readonly setsPolicy?: boolean;
  readonly log: Log;
  readonly clock: Clock;
  /** Makes an answer that the contract does not allow an error: for tests. */
  readonly checkAnswers?: boolean;
}

/**
 * Starts the service and resolves once it answers. Throws `conflict` when the port is taken, and
 * as openEventStore does; nothing goes on running then.
 */
export async function startEventStore(options: EventStoreOptions): Promise<Service> {
  const { data, settings, clock, log } = options;
  const closing: (() => Promise<void>)[] = [];
  // Each of them, whatever becomes of the others.
  const close = async () => {
    let failure: unknown;
    for (const end of closing.splice(0).reverse()) {
      await end().catch((thrown: unknown) => {
        failure ??= thrown;
      });
    }
    if (failure !== undefined) throw failure;
  };
  try {
    const schemas = await loadEventSchemas(settings.schemasFolder);
    const requestRules = {
      eventSchemas: Object.fromEntries(schemas.all),
      needsSolution: needsSolution(settings),
    };
    const store = await openEventStore({ data, clock, requestRules });
    closing.push(() => store.close());
    const hasFiles = (await store.usage()).fileDiskBytes > 0;
    const files = await openFileFolder(join(data, 'files'), { expected: hasFiles });
    if (options.setsPolicy === true) await writePolicy(data, settings);
    const openUploads = createOpenUploads();
    const upkeep = await startUpkeep({ store, files, settings, openUploads, clock, log, data });
    closing.push(() => upkeep.stop());
    const uploader = startUploads({ store, files, settings, clock, log, data });
    closing.push(() => uploader.stop());
    const service = await serveParts(
      {
        store,
        files,
        schemas,
        uploader,
        openUploads,
        clock,
        log,
        settings: withPolicy(settings, upkeep.policy),
        capacity: upkeep.capacity,
        problems: () => upkeep.health(),
      },
      options,
    );
    closing.push(() => service.close());
    return { url: service.url, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function serveParts(parts: Parts, options: EventStoreOptions): Promise<Service> {
  const { settings, clock, log } = parts;
  const requests = createRequestCounts();
  return serve({
    operations: deviceOperations,
    handlers: eventStoreHandlers(parts),
    routes: eventStoreRoutes(parts, requests),
    onAnswer: requests.add,
    credentials: deviceCredentials,
    authenticate: createKeyCheck(settings.apiKey),
    authorize: async () => {},
    prepare,
    errorBody: eventStoreErrorBody,
    host: options.host,
    port: options.port,
    allowedHosts: settings.allowedHosts,
    trustedProxies: options.trustedProxies ?? [],
    requestMsMax: limits.uploadMsMax,
    jsonBytesMax: settings.recordBytesMax,
    checkAnswers: options.checkAnswers ?? false,
    log,
    clock,
  });
}

/** Producers write in several spellings; the contract knows one. */
function prepare(operation: Operation, parts: UncheckedParts): UncheckedParts {
  const { body } = parts;
  if (operation.id !== deviceOperations.events_create.id) return withPreparedQuery(parts);
  return isJsonObject(body) ? { ...parts, body: respellEvent(body) } : parts;
}
