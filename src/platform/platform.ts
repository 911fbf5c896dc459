// The embedded platform: builds what it consists of, and serves it.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Environment } from '../config.ts';
import type { VerifyAccessToken } from '../contract/access-token.ts';
import { diskImages as diskImageOperations } from '../contract/disk-images.ts';
import { embeddedOperations } from '../contract/index.ts';
import { notServed } from '../contract/not-served.ts';
import type { Operation } from '../contract/operation.ts';
import { isReservedWorkspace } from '../contract/workspace.ts';
import { type CurrentWork, runFor } from '../current-caller.ts';
import { createRenderers } from '../dataset-versions/render-threads.ts';
import { invalidArgument } from '../errors.ts';
import { fetchPublic } from '../http-client/public-fetch.ts';
import { platformCredentials } from '../http-server/credentials.ts';
import type { Route } from '../http-server/handlers.ts';
import { platformErrorBody } from '../http-server/responses.ts';
import { type CallableService, serve } from '../http-server/serve.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { createModels } from '../model-inference/detection-models.ts';
import type { TrustedProxies } from '../network/client-address.ts';
import type { Proxies } from '../network/proxies.ts';
import type { ObjectsPlace } from '../objects-place.ts';
import type { Secret } from '../secret.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { blobFolder, openBlobs } from '../storage/open-blobs.ts';
import { type Claim, createTaskQueue, type TaskQueue } from '../storage/task-queue.ts';
import { startTaskWorker, type TaskWorker } from '../storage/task-worker.ts';
import type { TrainerCommand } from '../trainers/trainer-protocol.ts';
import { createAuthenticator } from './access-control/authentication.ts';
import {
  authorizeWorkspace,
  checkMemberScopes,
  checkScope,
  type Principal,
} from './access-control/authorization.ts';
import { createCallCounter, limitFailedCredentials } from './access-control/rate-limits.ts';
import { createCollect } from './active-learning/collect-images.ts';
import { createAnnotationFileReader } from './annotation-threads/annotation-file-reader.ts';
import { addSearchIndexBackfill } from './background-tasks/backfill-search-index.ts';
import type { TaskDependencies } from './background-tasks/background-task.ts';
import { lanes } from './background-tasks/index.ts';
import { addHourlyCleanup } from './background-tasks/remove-orphan-blobs.ts';
import { openTemporaryFiles } from './background-tasks/temporary-files.ts';
import { createStore } from './database/create-store.ts';
import { openDiskImages } from './disk-images/disk-image-thread.ts';
import { diskImageHandlers } from './disk-images/upload-disk-images.ts';
import { platformHandlers } from './handlers.ts';
import { startDescriptors } from './images/descriptors.ts';
import { platformRoutes } from './routes.ts';
import { openRows, type Rows } from './rows.ts';
import { createDownloadLinks } from './signed-links/download-links.ts';
import { openUploads } from './signed-links/upload-links.ts';
import type { Store } from './store/store.ts';
import type { Workspace } from './store/workspaces.ts';
import { createTasks } from './tasks.ts';
import { fetchVideo } from './video/fetch-video.ts';

export interface PlatformOptions {
  /** Data folder; made when it is not there. Several processes may share it. */
  readonly data: string;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The most that `augmentation.image.versions` may ask for: the cap of a plan. */
  readonly versionMultiplierMax?: number;
  /** A PostgreSQL database for its rows; else they are in a file of the data folder. */
  readonly databaseUrl?: Secret | undefined;
  /** Slug of the workspace that is there from the start. */
  readonly workspace: string;
  /** Keys to accept, for all of that workspace, as long as the service runs. */
  readonly keys: readonly Secret[];
  /** Knows the access tokens that are accepted beside them. */
  readonly verifyAccessToken?: VerifyAccessToken;
  /** Our audience; tokens without an audience are accepted too. */
  readonly issuer?: () => string;
  /** Answered beside the operations, for example those of a sign-in service. */
  readonly routes?: readonly Route[];
  /** Told of the service's URL; the platform is not ready before it resolves. */
  readonly onListening?: (url: string) => Promise<void>;
  /** The address by which others reach the platform through a proxy: its host is ours too. */
  readonly publicUrl?: string;
  /** Proxies whose word on the address of a client is taken. */
  readonly trustedProxies?: TrustedProxies;
  readonly log: Log;
  readonly clock: Clock;
  /** Lets image URLs reach a host that is not public, for example a camera server. */
  readonly isAllowedHost?: (host: string) => boolean;
  /** Through which image and video URLs are reached; undefined: directly. */
  readonly proxies?: Proxies | undefined;
  /** Where files are kept; undefined: in the data folder. */
  readonly objects?: ObjectsPlace | undefined;
  /** An ONNX detection model, absolute path. */
  readonly model?: string;
  /** The program that trains. */
  readonly trainer?: TrainerCommand;
  /** Calls per minute and credential; 0: as many as come. */
  readonly rateLimit?: number;
  /** For programs that it starts: all of them unless given. */
  readonly environment?: Environment;
  /** The least time between two looks at a video job; that of `limits` unless given. */
  readonly videoStatusIntervalMs?: number;
  /** Makes an answer that the contract does not allow an error: for tests. */
  readonly checkAnswers?: boolean;
}

/**
 * Starts the platform and resolves once it answers. Throws `invalid_input` for a workspace whose
 * slug is the path of something else, `conflict` when the port is taken, and as openDatabase and
 * `onListening` do; nothing goes on running then.
 */
export async function startPlatform(options: PlatformOptions): Promise<CallableService> {
  if (isReservedWorkspace(options.workspace)) {
    throw invalidArgument(
      'workspace',
      `"${options.workspace}" is the path of something else`,
      'Set FOVEA_WORKSPACE to another slug.',
    );
  }
  const rows = await openRows(options, options.clock);
  try {
    return await startOn(rows, options);
  } catch (thrown) {
    await rows.database.close();
    throw thrown;
  }
}

async function startOn(rows: Rows, options: PlatformOptions): Promise<CallableService> {
  const { data, clock, log, publicUrl } = options;
  const storage = await openStorage(rows, options);
  const { queue, store, blobs, temporaryFiles, key } = storage;
  const workspace = await store.workspaces.ensure(options.workspace, clock.now());
  const renderers = createRenderers();
  const annotationReader = createAnnotationFileReader();
  let workers: TaskWorker[] = [];
  const wake = () => wakeAll(workers);
  const uploads = await uploadsIn(storage, options, wake);
  const models = openModels(store, blobs, options);
  const descriptors = startDescriptors({ queue, search: store.search, clock, wake });
  const common = {
    store,
    blobs,
    renderers,
    uploads,
    models,
    temporaryFiles,
    descriptors,
    clock,
    collect: createCollect({ store, blobs, clock, log }),
    trainer: options.trainer,
  };
  const diskImages = options.objects ? undefined : openDiskImages(blobFolder(data));
  const dependencies = {
    ...common,
    annotationReader,
    diskImages,
    links: createDownloadLinks(clock, key),
    log,
    videoStatusIntervalMs: options.videoStatusIntervalMs ?? limits.videoStatusIntervalMs,
    versionMultiplierMax: options.versionMultiplierMax ?? limits.versionMultiplierMax,
    tasks: createTasks(queue, wake),
    fetchImage: (url: string, signal: AbortSignal) => fetchImage(url, signal, options),
  };
  const service = await serve({
    operations: embeddedOperations,
    notServed,
    handlers: platformHandlers(dependencies),
    local: { operations: diskImageOperations, handlers: diskImageHandlers(dependencies) },
    routes: [...platformRoutes(dependencies), uploads.route, ...(options.routes ?? [])],
    ...createAccessControl(store, workspace, options),
    credentials: platformCredentials,
    errorBody: platformErrorBody,
    host: options.host,
    port: options.port,
    requestMsMax: limits.uploadMsMax,
    trustedProxies: options.trustedProxies ?? [],
    ...(publicUrl !== undefined && { publicUrl, allowedHosts: [new URL(publicUrl).host] }),
    checkAnswers: options.checkAnswers ?? false,
    log,
    clock,
  });
  await announce(service, options);
  const sweeps = await startHourlyCleanup(queue, store, options);
  workers = startWorkers(queue, { ...common, ...taskSettings(options) }, options);
  return {
    url: service.url,
    handle: service.handle,
    close: async () => {
      clearInterval(sweeps);
      descriptors.stop();
      await Promise.all([service.close(), ...workers.map((worker) => worker.stop())]);
      diskImages?.close();
      await Promise.all([renderers.close(), annotationReader.close(), models.close()]);
      await store.close();
    },
  };
}

/** Whoever is told may refuse: then nothing goes on running. */
async function announce(
  service: CallableService,
  { onListening }: Pick<PlatformOptions, 'onListening'>,
): Promise<void> {
  try {
    await onListening?.(service.url);
  } catch (thrown) {
    await service.close();
    throw thrown;
  }
}

function openModels(store: Store, blobs: BlobStore, { model }: PlatformOptions) {
  return createModels({
    model,
    blobs,
    findWeights: (workspaceId, modelId) => store.trainings.weights(workspaceId, modelId),
  });
}

function taskSettings(
  options: PlatformOptions,
): Pick<TaskDependencies, 'environment' | 'fetchVideo'> {
  return {
    environment: options.environment ?? {},
    fetchVideo: (url, path, signal, wrote) => fetchVideo(url, path, signal, { ...options, wrote }),
  };
}

/** Opens what is in the data folder beside the rows: tasks, files, and the signing key. */
async function openStorage(
  { database, index, reads, openKey }: Rows,
  { data, objects, clock }: PlatformOptions,
) {
  const queue = createTaskQueue(database, { clock, owner: randomBytes(8).toString('hex') });
  const key = await openKey();
  return {
    queue,
    store: createStore(database, index, queue, reads),
    blobs: await openBlobs({ data, objects, owner: key.sign('objects', []), clock }),
    temporaryFiles: await openTemporaryFiles(join(data, 'scratch'), clock),
    key,
  };
}

/** Processes on one database may have data folders of their own: then blobs are what they share. */
function uploadsIn(
  { store, blobs, key }: Awaited<ReturnType<typeof openStorage>>,
  { data, databaseUrl, objects, clock }: PlatformOptions,
  onReceived: () => void,
) {
  const sharedBlobs = databaseUrl && objects && blobs;
  return openUploads({ data, store: store.uploads, key, clock, sharedBlobs, onReceived });
}

/** Authentication, authorization and rate limits of every request. */
function createAccessControl(store: Store, workspace: Workspace, options: PlatformOptions) {
  const { keys, verifyAccessToken, issuer, rateLimit = 0, clock } = options;
  const authenticate = createAuthenticator({
    keys,
    workspace,
    store,
    verifyAccessToken,
    issuer,
    clock,
  });
  const accessControl = {
    authenticate,
    callerOf,
    checkScope,
    authorize: async (principal: Principal, operation: Operation, input: object) => {
      checkMemberScopes(principal, operation, input);
      return authorizeWorkspace(store, principal, operation, input);
    },
  };
  if (rateLimit === 0) return accessControl;
  return {
    ...accessControl,
    authenticate: limitFailedCredentials(authenticate, clock),
    countCall: createCallCounter(rateLimit, clock),
  };
}

/** Publishable keys are public: there the address tells callers apart. */
function callerOf({ name, workspace, isPublishable }: Principal, address: string): CurrentWork {
  const own = `${workspace.id} ${name}`;
  return { name: isPublishable ? `${own} ${address}` : own, group: workspace.id, who: name };
}

async function startHourlyCleanup(
  queue: TaskQueue,
  store: Store,
  { clock, log }: PlatformOptions,
): Promise<NodeJS.Timeout> {
  const add = async () => {
    try {
      await addHourlyCleanup(queue, clock);
      await addSearchIndexBackfill(queue, store, clock);
    } catch {
      log.warn('Unused files are not removed, or older images not indexed, this hour.');
    }
  };
  await add();
  return setInterval(add, limits.blobGraceMs).unref();
}

function wakeAll(workers: readonly TaskWorker[]): void {
  for (const worker of workers) worker.wake();
}

function startWorkers(
  queue: TaskQueue,
  dependencies: TaskDependencies,
  { clock, log }: PlatformOptions,
): TaskWorker[] {
  return lanes.flatMap((jobs) => {
    const kinds = Object.keys(jobs).filter((kind) => canRun(kind, dependencies));
    if (kinds.length === 0) return [];
    return startTaskWorker({
      queue,
      clock,
      log,
      kinds,
      run: (claim, signal) => {
        const job = jobs[claim.kind];
        if (job === undefined) throw new Error(`no job does ${claim.kind}`);
        return runFor(ownerOf(claim), () => job(dependencies, claim, signal));
      },
    });
  });
}

/** A training is left to a process of this data folder that has a trainer. */
function canRun(kind: string, { trainer }: TaskDependencies): boolean {
  return kind !== 'training' || trainer !== undefined;
}

/** All tasks of a workspace are one caller beside the requests that it makes. */
function ownerOf({ id, kind, payload }: Claim): CurrentWork {
  const workspaceId = String(Object(payload).workspaceId ?? '');
  const owner = { name: `tasks of ${workspaceId}`, group: workspaceId };
  return { ...owner, action: `task:${kind}`, taskId: id };
}

async function fetchImage(
  url: string,
  signal: AbortSignal,
  { isAllowedHost, proxies }: PlatformOptions,
): Promise<Uint8Array> {
  const { bytes } = await fetchPublic(url, {
    signal,
    bytesMax: limits.imageBytesMax,
    timeoutMs: limits.imageFetchMsMax,
    proxies,
    ...(isAllowedHost && { isAllowedHost }),
  });
  return bytes;
}
