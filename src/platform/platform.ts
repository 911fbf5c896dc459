// The embedded platform: its parts put together and served.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { VerifyAccessToken } from '../contract/access-token.ts';
import { embeddedOperations } from '../contract/index.ts';
import { isReservedWorkspace } from '../contract/workspace.ts';
import { invalidArgument } from '../errors.ts';
import { fetchPublic } from '../http-client/public-fetch.ts';
import { platformCredentials } from '../http-server/credentials.ts';
import { platformErrorBody } from '../http-server/error-body.ts';
import type { Route } from '../http-server/handlers.ts';
import { serve } from '../http-server/serve.ts';
import type { Service } from '../http-server/service.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import type { Secret } from '../secret.ts';
import { openBlobFolder } from '../storage/blob-store.ts';
import { type Database, openDatabase } from '../storage/database.ts';
import { createWork, type Work, workErrorCode, workTable } from '../storage/work.ts';
import { startWorker, type Worker } from '../storage/worker.ts';
import { openTokenDoor, permit } from './access.ts';
import { platformHandlers } from './handlers.ts';
import { runExport } from './jobs/export.ts';
import type { Job, JobParts } from './jobs/job.ts';
import { openScratch } from './jobs/scratch.ts';
import { addSweep, runSweep } from './jobs/sweep.ts';
import { runVersion } from './jobs/version.ts';
import { createLinks } from './links.ts';
import { authorize, openDoor } from './principal.ts';
import { blobRoute, healthRoute } from './routes.ts';
import { platformTables, visionEventTables } from './store/schema.ts';
import { createSqliteStore } from './store/sqlite-store.ts';
import type { Store } from './store/store.ts';
import { createTasks } from './tasks.ts';
import { createRenderers } from './versions/renderers.ts';

export interface PlatformOptions {
  /** Data folder; made when it is not there. Several processes may share it. */
  readonly data: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The most that `augmentation.image.versions` may ask for: the cap of a plan. */
  readonly versionMultiplierMax?: number;
  /** Slug of the workspace that is there from the start. */
  readonly workspace: string;
  /** Keys to accept, for all of that workspace, as long as the service runs. */
  readonly keys: readonly Secret[];
  /** Knows the access tokens that are accepted beside them. */
  readonly verifyAccessToken?: VerifyAccessToken;
  /** The audience that is ours; tokens that name none are for us anyway. */
  readonly issuer?: () => string;
  /** Answered beside the operations, for example those of a sign-in service. */
  readonly routes?: readonly Route[];
  /** Told of the service's URL; the platform is not ready before it resolves. */
  readonly onListening?: (url: string) => Promise<void>;
  /** The address by which others reach the platform through a proxy: its host is ours too. */
  readonly publicUrl?: string;
  readonly log: Log;
  readonly clock: Clock;
  /** Lets image URLs reach a host that is not public, for example a camera server. */
  readonly isAllowedHost?: (host: string) => boolean;
  /** Makes an answer that the contract does not allow an error: for tests. */
  readonly checkAnswers?: boolean;
}

/**
 * Starts the platform and resolves once it answers. Throws `invalid_input` for a workspace whose
 * slug is the path of something else, `conflict` when the port is taken, and as openDatabase and
 * `onListening` do; nothing goes on running then.
 */
export async function startPlatform(options: PlatformOptions): Promise<Service> {
  if (isReservedWorkspace(options.workspace)) {
    throw invalidArgument(
      'workspace',
      `"${options.workspace}" is the path of something else`,
      'Set FOVEA_WORKSPACE to another slug.',
    );
  }
  const file = join(options.data, 'platform.db');
  const database = openDatabase(file, [
    workTable,
    platformTables,
    workErrorCode,
    visionEventTables,
  ]);
  try {
    return await startOn(database, options);
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

async function startOn(database: Database, options: PlatformOptions): Promise<Service> {
  const { data, clock, log, publicUrl } = options;
  const work = createWork(database, { clock, owner: randomBytes(8).toString('hex') });
  const store = createSqliteStore(database, work);
  const blobs = await openBlobFolder(join(data, 'blobs'), clock);
  const scratch = await openScratch(join(data, 'scratch'), clock);
  const links = createLinks(clock);
  const workspace = await store.workspaces.ensure(options.workspace, clock.now());
  const renderers = createRenderers();
  let workers: Worker[] = [];
  const service = await serve({
    operations: embeddedOperations,
    handlers: platformHandlers({
      ...{ store, blobs, clock, links, renderers },
      versionMultiplierMax: options.versionMultiplierMax ?? limits.versionMultiplierMax,
      tasks: createTasks(work, () => wakeAll(workers)),
      fetchImage: (url, signal) => fetchImage(url, signal, options),
    }),
    routes: [blobRoute(blobs, links), healthRoute, ...(options.routes ?? [])],
    authenticate: openDoor(options.keys, workspace, tokenDoor(store, options)),
    permit,
    authorize: (principal, _operation, input) => authorize(store, principal, input),
    credentials: platformCredentials,
    errorBody: platformErrorBody,
    host: options.host,
    port: options.port,
    ...(publicUrl !== undefined && { publicUrl, allowedHosts: [new URL(publicUrl).host] }),
    checkAnswers: options.checkAnswers ?? false,
    ...{ log, clock },
  });
  await options.onListening?.(service.url).catch(async (thrown) => {
    await service.close();
    throw thrown;
  });
  const sweeps = startSweeps(work, options);
  workers = startWorkers(work, { store, blobs, scratch, renderers }, options);
  return {
    url: service.url,
    close: async () => {
      clearInterval(sweeps);
      await Promise.all([service.close(), ...workers.map((worker) => worker.stop())]);
      await renderers.close();
      await store.close();
    },
  };
}

function tokenDoor(store: Store, { verifyAccessToken, issuer, clock }: PlatformOptions) {
  return verifyAccessToken && openTokenDoor({ verify: verifyAccessToken, issuer, store, clock });
}

function startSweeps(work: Work, { clock, log }: PlatformOptions): NodeJS.Timeout {
  const add = () => {
    try {
      addSweep(work, clock);
    } catch {
      log.warn('Unused files are not removed this hour.');
    }
  };
  add();
  return setInterval(add, limits.blobGraceMs).unref();
}

function wakeAll(workers: readonly Worker[]): void {
  for (const worker of workers) worker.wake();
}

/** One worker for each kind, so that a long version keeps no export waiting. */
function startWorkers(work: Work, parts: JobParts, { clock, log }: PlatformOptions): Worker[] {
  const start = (kind: string, job: Job) =>
    startWorker({
      ...{ work, clock, log },
      kinds: [kind],
      run: (claim, signal) => job(parts, claim, signal),
    });
  return [start('version', runVersion), start('export', runExport), start('sweep', runSweep)];
}

async function fetchImage(
  url: string,
  signal: AbortSignal,
  { isAllowedHost }: PlatformOptions,
): Promise<Uint8Array> {
  const { bytes } = await fetchPublic(url, {
    signal,
    bytesMax: limits.imageBytesMax,
    timeoutMs: limits.imageFetchMsMax,
    ...(isAllowedHost && { isAllowedHost }),
  });
  return bytes;
}
