// Starts the device Event Store as an HTTP service.

import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { UncheckedRequest } from '../contract/check.ts';
import { deviceOperations } from '../contract/device-operations.ts';
import type { Operation } from '../contract/operation.ts';
import type { EventStoreSettings } from '../event-store-config.ts';
import { createRequestCounts } from '../http-server/prometheus-text.ts';
import { type Service, serve } from '../http-server/serve.ts';
import { isJsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import type { TrustedProxies } from '../network/client-address.ts';
import { openFileFolder } from '../storage/file-store.ts';
import { createKeyCheck, deviceCredentials } from './api-key.ts';
import { startLeaderUploader } from './cloud-upload/leader-uploader.ts';
import { needsSolution } from './create-event.ts';
import type { EventStoreDependencies } from './dependencies.ts';
import { eventStoreErrorBody } from './error-response.ts';
import { eventStoreHandlers } from './handlers.ts';
import { startLeaderIndexer } from './index/leader-indexer.ts';
import { readRoom, sizedSettings } from './retention/disk-share.ts';
import { startRetention } from './retention/retention.ts';
import { withPolicy, writePolicy } from './retention/retention-policy.ts';
import { createUploadsInProgress } from './retention/uploads-in-progress.ts';
import { eventStoreRoutes } from './routes.ts';
import { openEventStore } from './store/sqlite-store.ts';
import { loadEventSchemas } from './validation/event-schemas.ts';
import { normalizeMemberNames } from './validation/member-names.ts';
import { withPreparedQuery } from './validation/query-parameters.ts';

export interface EventStoreOptions {
  /** Data folder; created where missing. Several processes may share it. */
  readonly data: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly settings: EventStoreSettings;
  /** Proxies that are trusted to name the client address. */
  readonly trustedProxies?: TrustedProxies;
  /** Writes the limits of these settings to the data folder, for all its processes. */
  readonly setsPolicy?: boolean;
  readonly log: Log;
  readonly clock: Clock;
  /** Turns answers that violate the contract into errors: for tests. */
  readonly checkAnswers?: boolean;
}

/**
 * Starts the service and resolves once it answers. Throws `conflict` when the port is taken, and
 * as openEventStore does; everything is stopped then.
 */
export async function startEventStore(options: EventStoreOptions): Promise<Service> {
  const { data, clock, log } = options;
  const closing: (() => Promise<void>)[] = [];
  let isClosing = false;
  // Closes all of them even if some fail.
  const close = async () => {
    isClosing = true;
    let failure: unknown;
    for (const end of closing.splice(0).reverse()) {
      await end().catch((thrown: unknown) => {
        failure ??= thrown;
      });
    }
    if (failure !== undefined) throw failure;
  };
  try {
    const schemas = await loadEventSchemas(options.settings.schemasFolder);
    const requestRules = {
      eventSchemas: Object.fromEntries(schemas.all),
      needsSolution: needsSolution(options.settings),
    };
    const store = await openEventStore({ data, clock, requestRules });
    closing.push(() => store.close());
    const hasFiles = (await store.usage()).fileDiskBytes > 0;
    const files = await openFileFolder(join(data, 'files'), { expected: hasFiles });
    const settings = sizedSettings(options.settings, await readRoom(store, files));
    if (options.setsPolicy === true) await writePolicy(data, settings);
    const uploadsInProgress = createUploadsInProgress();
    const retention = await startRetention({
      store,
      files,
      settings,
      uploadsInProgress,
      clock,
      log,
      data,
    });
    closing.push(() => retention.stop());
    const uploader = await startLeaderUploader({ store, files, settings, clock, log, data });
    closing.push(() => uploader.stop());
    const indexer = startLeaderIndexer({ store, data, log });
    closing.push(() => indexer.stop());
    const service = await serveEventStore(
      {
        store,
        files,
        schemas,
        uploader,
        uploadsInProgress,
        clock,
        log,
        settings: withPolicy(settings, retention.policy),
        admission: retention.admission,
        problems: () => [...retention.health(), ...indexer.health()],
        refusals: () => [...retention.refusals(), ...(isClosing ? ['The service ends.'] : [])],
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

function serveEventStore(
  request: EventStoreDependencies,
  options: EventStoreOptions,
): Promise<Service> {
  const { settings, clock, log } = request;
  const requests = createRequestCounts();
  return serve({
    operations: deviceOperations,
    handlers: eventStoreHandlers(request),
    routes: eventStoreRoutes(request, requests),
    onAnswer: requests.add,
    credentials: deviceCredentials,
    authenticate: createKeyCheck(settings.apiKey),
    authorize: async (caller) => caller,
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

/** Normalizes the spellings of producers to that of the contract. */
function prepare(operation: Operation, request: UncheckedRequest): UncheckedRequest {
  const { body } = request;
  if (operation.id !== deviceOperations.events_create.id) return withPreparedQuery(request);
  return isJsonObject(body) ? { ...request, body: normalizeMemberNames(body) } : request;
}
