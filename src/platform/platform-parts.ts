// What a platform consists of beside its service over HTTP, and what any process needs that takes
// its background tasks.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Environment } from '../config.ts';
import { type CurrentWork, runFor } from '../current-caller.ts';
import { createRenderers } from '../dataset-versions/render-threads.ts';
import type { Log } from '../log.ts';
import { createModels } from '../model-inference/detection-models.ts';
import { createEmbedder } from '../model-inference/embedder.ts';
import type { Proxies } from '../network/proxies.ts';
import {
  noObjectImports,
  type ObjectImports,
  type ObjectStorageSettings,
} from '../object-storage-settings.ts';
import type { Secret } from '../secret.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import { openBlobs } from '../storage/open-blobs.ts';
import { type Claim, createTaskQueue, type TaskQueue } from '../storage/task-queue.ts';
import { startTaskWorker, type TaskWorker } from '../storage/task-worker.ts';
import { type LaneName, laneNames } from '../task-lanes.ts';
import type { TrainerCommand } from '../trainers/trainer-protocol.ts';
import { createCollect } from './active-learning/collect-images.ts';
import type { BackgroundTask, TaskDependencies } from './background-tasks/background-task.ts';
import { lanes } from './background-tasks/index.ts';
import { openTemporaryFiles } from './background-tasks/temporary-files.ts';
import { createStore } from './database/create-store.ts';
import { startDescriptors } from './images/descriptors.ts';
import { type Embeddings, startEmbeddings } from './images/embeddings.ts';
import type { Rows } from './open-platform-database.ts';
import type { SigningKey } from './signed-links/signing-key.ts';
import { openUploads } from './signed-links/upload-links.ts';
import type { Store } from './store/store.ts';
import { fetchVideo } from './video/fetch-video.ts';

export interface PartsOptions {
  /** Data folder; made when it is not there. Several processes may share it. */
  readonly data: string;
  /** A PostgreSQL database for its rows; else they are in a file of the data folder. */
  readonly databaseUrl?: Secret | undefined;
  /** Where files are kept; undefined: in the data folder. */
  readonly objects?: ObjectStorageSettings | undefined;
  readonly log: Log;
  readonly clock: Clock;
  /** Lets image URLs reach a host that is not public, for example a camera server. */
  readonly isAllowedHost?: (host: string) => boolean;
  /** Through which image and video URLs are reached; undefined: directly. */
  readonly proxies?: Proxies | undefined;
  /** An ONNX detection model, absolute path. */
  readonly model?: string;
  /** A folder with an embedding model, absolute path. */
  readonly embedder?: string;
  /** The program that trains. */
  readonly trainer?: TrainerCommand;
  /** Vision events are kept for so many days; undefined: for good. */
  readonly visionEventDays?: number | undefined;
  /** What imports may read of an object store; nothing unless given. */
  readonly objectImports?: ObjectImports;
  /** For programs that it starts: all of them unless given. */
  readonly environment?: Environment;
}

export interface Parts {
  readonly queue: TaskQueue;
  readonly key: SigningKey;
  readonly dependencies: Omit<TaskDependencies, 'environment' | 'fetchVideo'> & {
    readonly embeddings: Embeddings | undefined;
  };
  /** Lets the workers look for tasks now. */
  wake(): void;
  /** Takes background tasks, of all lanes unless given. */
  startWorkers(names?: readonly LaneName[]): void;
  /** Ends the workers: their tasks are given back. */
  stopWork(): Promise<void>;
  /** All of it, and the rows. */
  close(): Promise<void>;
}

/** Throws as those who open them. */
export async function openParts(rows: Rows, options: PartsOptions): Promise<Parts> {
  const { clock, log, trainer } = options;
  const storage = await openStorage(rows, options);
  const { queue, store, blobs, temporaryFiles, key } = storage;
  const renderers = createRenderers();
  let workers: readonly TaskWorker[] = [];
  const wake = () => {
    for (const worker of workers) worker.wake();
  };
  const uploads = await uploadsIn(storage, options, wake);
  const models = openModels(store, blobs, options);
  const descriptors = startDescriptors({ queue, search: store.search, clock, wake });
  const embedder = options.embedder === undefined ? undefined : createEmbedder(options.embedder);
  const embeddings = embedder && startEmbeddings({ embedder, queue, store, clock, log, wake });
  const dependencies = {
    store,
    blobs,
    embedder,
    embeddings,
    renderers,
    uploads,
    models,
    temporaryFiles,
    descriptors,
    clock,
    log,
    collect: createCollect({ store, blobs, clock, log }),
    trainer,
    visionEventDays: options.visionEventDays,
    objectImports: options.objectImports ?? noObjectImports,
  };
  return {
    queue,
    key,
    dependencies,
    wake,
    startWorkers: (names = laneNames) => {
      workers = workersOf(names, queue, { ...dependencies, ...taskSettings(options) }, options);
    },
    stopWork: async () => {
      descriptors.stop();
      embeddings?.stop();
      await Promise.all(workers.map((worker) => worker.stop()));
    },
    close: async () => {
      await Promise.all([renderers.close(), models.close(), embedder?.close()]);
      await store.close();
    },
  };
}

function openModels(store: Store, blobs: BlobStore, { model }: PartsOptions) {
  return createModels({
    model,
    blobs,
    findWeights: (workspaceId, modelId) => store.trainings.weights(workspaceId, modelId),
  });
}

function taskSettings(options: PartsOptions): Pick<TaskDependencies, 'environment' | 'fetchVideo'> {
  return {
    environment: options.environment ?? {},
    fetchVideo: (url, path, signal, wrote) => fetchVideo(url, path, signal, { ...options, wrote }),
  };
}

/** Opens what is in the data folder beside the rows: tasks, files, and the signing key. */
async function openStorage(
  { database, index, reads, openKey }: Rows,
  { data, objects, clock }: PartsOptions,
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
  { data, databaseUrl, objects, clock }: PartsOptions,
  onReceived: () => void,
) {
  const sharedBlobs = databaseUrl && objects && blobs;
  return openUploads({ data, store: store.uploads, key, clock, sharedBlobs, onReceived });
}

function workersOf(
  names: readonly LaneName[],
  queue: TaskQueue,
  dependencies: TaskDependencies,
  { clock, log }: PartsOptions,
): readonly TaskWorker[] {
  return names.flatMap((name) => {
    const jobs: Readonly<Record<string, BackgroundTask>> = lanes[name];
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

/** What needs a program, a model or a setting is left to a process that has it. */
function canRun(kind: string, dependencies: TaskDependencies): boolean {
  const { trainer, embedder, objectImports } = dependencies;
  if (kind === 'objects') return objectImports.allowed.length > 0;
  if (kind === 'embed') return embedder !== undefined;
  return kind !== 'training' || trainer !== undefined;
}

/** All tasks of a workspace are one caller beside the requests that it makes. */
function ownerOf({ id, kind, payload }: Claim): CurrentWork {
  const workspaceId = String(Object(payload).workspaceId ?? '');
  const owner = { name: `tasks of ${workspaceId}`, group: workspaceId };
  return { ...owner, action: `task:${kind}`, taskId: id };
}
