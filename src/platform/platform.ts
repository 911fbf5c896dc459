// The embedded platform: builds what it consists of, and serves it.

import type { VerifyAccessToken } from '../contract/access-token.ts';
import { diskImages as diskImageOperations } from '../contract/disk-images.ts';
import { embeddedOperations } from '../contract/index.ts';
import { notServed } from '../contract/not-served.ts';
import type { Operation } from '../contract/operation.ts';
import type { NoteSignIn } from '../contract/sign-in-event.ts';
import { visionEvents } from '../contract/vision-events.ts';
import { isReservedWorkspace } from '../contract/workspace.ts';
import type { CurrentWork } from '../current-caller.ts';
import { invalidArgument } from '../errors.ts';
import { fetchPublic } from '../http-client/public-fetch.ts';
import { platformCredentials } from '../http-server/credentials.ts';
import type { Route } from '../http-server/handlers.ts';
import { createRequestCounts } from '../http-server/prometheus-text.ts';
import { platformErrorBody } from '../http-server/responses.ts';
import { type CallableService, serve } from '../http-server/serve.ts';
import { limits } from '../limits.ts';
import type { TrustedProxies } from '../network/client-address.ts';
import type { Secret } from '../secret.ts';
import type { Caller } from '../semaphore.ts';
import { blobFolder } from '../storage/open-blobs.ts';
import type { TaskQueue } from '../storage/task-queue.ts';
import { createAuthenticator } from './access-control/authentication.ts';
import {
  authorizeWorkspace,
  checkMemberScopes,
  checkScope,
  type Principal,
} from './access-control/authorization.ts';
import type { People } from './access-control/credential-names.ts';
import { createCallCounter, limitFailedCredentials } from './access-control/rate-limits.ts';
import { createAnnotationFileReader } from './annotation-threads/annotation-file-reader.ts';
import { addSearchIndexBackfill } from './background-tasks/backfill-search-index.ts';
import { addHourlyCleanup } from './background-tasks/remove-orphan-blobs.ts';
import { openDiskImages } from './disk-images/disk-image-thread.ts';
import { diskImageHandlers } from './disk-images/upload-disk-images.ts';
import { platformHandlers } from './handlers.ts';
import { metricsRoute } from './metrics-route.ts';
import { openRows, type Rows } from './open-platform-database.ts';
import { openParts, type PartsOptions } from './platform-parts.ts';
import { platformRoutes } from './routes.ts';
import { signInLog } from './sign-in-log.ts';
import { createDownloadLinks } from './signed-links/download-links.ts';
import type { Store } from './store/store.ts';
import type { Workspace } from './store/workspaces.ts';
import { createTasks } from './tasks.ts';

export interface PlatformOptions extends PartsOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** The most that `augmentation.image.versions` may ask for: the cap of a plan. */
  readonly versionMultiplierMax?: number;
  /** Slug of the workspace that is there from the start. */
  readonly workspace: string;
  /** Keys to accept, for all of that workspace, as long as the service runs. */
  readonly keys: readonly Secret[];
  /** As one of them, for the person at the web page: the activity log tells the two apart. */
  readonly pageKey?: Secret;
  /** Knows the access tokens that are accepted beside them. */
  readonly verifyAccessToken?: VerifyAccessToken;
  /** Our audience; tokens without an audience are accepted too. */
  readonly issuer?: () => string;
  /** Those who have an account in a workspace. */
  readonly people?: People;
  /** Of the sign-in service beside: takes what notes who signs in and out. */
  readonly tellSignIns?: (note: NoteSignIn) => void;
  /** Of the sign-in service beside: throws where its database cannot be used now. */
  readonly checkSignIn?: () => Promise<void>;
  /** The sign-in service whose client the web page is, at the address of the page itself. */
  readonly pageSignsInAt?: () => string;
  /** Answered beside the operations, for example those of a sign-in service. */
  readonly routes?: readonly Route[];
  /** Told of the service's URL; the platform is not ready before it resolves. */
  readonly onListening?: (url: string) => Promise<void>;
  /** The address by which others reach the platform through a proxy: its host is ours too. */
  readonly publicUrl?: string;
  /** Proxies whose word on the address of a client is taken. */
  readonly trustedProxies?: TrustedProxies;
  /** Whether it takes background tasks itself; else other processes do. True unless given. */
  readonly takesTasks?: boolean | undefined;
  /** Who brings it may read `/metrics`; undefined: there is none. */
  readonly metricsToken?: Secret | undefined;
  /** Calls per minute and credential; 0: as many as come. */
  readonly rateLimit?: number;
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
  const parts = await openParts(rows, options);
  const { queue, key, wake } = parts;
  const { store, uploads } = parts.dependencies;
  const workspace = await store.workspaces.ensure(options.workspace, clock.now());
  options.tellSignIns?.(signInLog(store, clock));
  const annotationReader = createAnnotationFileReader();
  const diskImages = options.objects ? undefined : openDiskImages(blobFolder(data));
  const dependencies = {
    ...parts.dependencies,
    annotationReader,
    diskImages,
    links: createDownloadLinks(clock, key),
    hasAccounts: options.verifyAccessToken !== undefined,
    people: options.people,
    signInAt: options.pageSignsInAt,
    checkRows: () => rows.database.checkTables(),
    checkSignIn: options.checkSignIn,
    log,
    videoStatusIntervalMs: options.videoStatusIntervalMs ?? limits.videoStatusIntervalMs,
    versionMultiplierMax: options.versionMultiplierMax ?? limits.versionMultiplierMax,
    tasks: createTasks(queue, wake),
    fetchImage: (url: string, signal: AbortSignal) => fetchImage(url, signal, options),
  };
  const requests = createRequestCounts();
  const { metricsToken: token } = options;
  const metrics = token === undefined ? [] : [metricsRoute({ token, queue, requests, clock })];
  const service = await serve({
    operations: embeddedOperations,
    notServed,
    handlers: platformHandlers(dependencies),
    local: { operations: diskImageOperations, handlers: diskImageHandlers(dependencies) },
    routes: [...platformRoutes(dependencies), ...metrics, uploads.route, ...(options.routes ?? [])],
    onAnswer: requests.add,
    ...createAccessControl(store, workspace, options, rows.calls),
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
  if (options.takesTasks ?? true) parts.startWorkers();
  return {
    url: service.url,
    handle: service.handle,
    close: async () => {
      clearInterval(sweeps);
      await Promise.all([service.close(), parts.stopWork()]);
      rows.calls?.close();
      diskImages?.close();
      await annotationReader.close();
      await parts.close();
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

/** Authentication, authorization and rate limits of every request. */
function createAccessControl(
  store: Store,
  workspace: Workspace,
  options: PlatformOptions,
  calls: Rows['calls'],
) {
  const { keys, pageKey, verifyAccessToken, issuer, rateLimit = 0, clock } = options;
  const authenticate = createAuthenticator({
    keys,
    pageKey,
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
    admit: ({ name }: Caller, { id }: Operation, bytes = limits.largeBodyBytesMin) =>
      writesEvents.has(id) ? store.visionEvents.admit(name, bytes) : undefined,
    authorize: async (principal: Principal, operation: Operation, input: object) => {
      checkMemberScopes(principal, operation, input);
      return authorizeWorkspace(store, principal, operation, input);
    },
  };
  if (rateLimit === 0) return accessControl;
  return {
    ...accessControl,
    authenticate: limitFailedCredentials(authenticate, clock, calls),
    countCall: createCallCounter(rateLimit, clock, calls),
  };
}

const writesEvents: ReadonlySet<string> = new Set([
  visionEvents.vision_events_create.id,
  visionEvents.vision_events_create_batch.id,
]);

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
