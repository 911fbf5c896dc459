// Starts the task that embeds new images by the model of FOVEA_EMBEDDER.

import type { Clock } from '../../clock.ts';
import { asFoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Log } from '../../log.ts';
import type { Embedder } from '../../model-inference/embedder.ts';
import type { TaskQueue } from '../../storage/task-queue.ts';
import { newId } from '../ids-and-slugs.ts';
import type { EmbeddingModel } from '../store/embeddings.ts';
import type { Store } from '../store/store.ts';

export interface Embeddings {
  readonly embedder: Embedder;
  /** What was known at the last look; undefined before the first one. */
  readonly state: EmbeddingState | undefined;
  /** Starts the task where it does not wait or run already: somebody waits for it. */
  hurry(): Promise<void>;
}

export type EmbeddingState =
  /** Why images are not embedded. */
  | { readonly problem: string }
  | {
      readonly name: string;
      /** Undefined: no image was embedded by it. */
      readonly model: EmbeddingModel | undefined;
    };

export interface EmbeddingsOptions {
  readonly embedder: Embedder;
  readonly queue: TaskQueue;
  readonly store: Pick<Store, 'embeddings' | 'search'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Lets the workers look for tasks. */
  wake(): void;
}

export interface RunningEmbeddings extends Embeddings {
  stop(): void;
}

/** Looks once a second whether there are new images, and no more are coming. */
export function startEmbeddings(options: EmbeddingsOptions): RunningEmbeddings {
  const { embedder, queue, store, clock, log, wake } = options;
  const stopping = new AbortController();
  let lastTaskId = '';
  let state: EmbeddingState | undefined;
  const start = async () => {
    const last = await queue.get(lastTaskId);
    const hasFailed = last?.status === 'failed';
    if (hasFailed && clock.now() - last.updated < limits.describeRetryMs) return;
    const id = newId();
    if (!(await queue.addUnlessOpen({ id, kind: 'embed', payload: {} }))) return;
    lastTaskId = id;
    wake();
  };
  const hasOpen = async () => {
    const { name, fingerprint } = await embedder.identity(stopping.signal);
    const model = await store.embeddings.find(fingerprint);
    state = { name, model };
    return model === undefined || store.embeddings.hasOpen(model);
  };
  let newest = 0;
  /** All images up to this one were embedded at the last look. */
  let settled = 0;
  let isLooking = false;
  const look = async () => {
    const before = newest;
    newest = await store.search.newest();
    // While images come, their uploads have the processor.
    if (newest !== before || newest === settled) return;
    if (await hasOpen()) await start();
    else settled = newest;
  };
  const lookOnce = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      await look();
    } catch (thrown) {
      const { message } = asFoveaError(thrown);
      // Once, and not each second.
      const isKnown = state !== undefined && 'problem' in state && state.problem === message;
      if (!isKnown && !stopping.signal.aborted) log.warn(`Images are not embedded: ${message}`);
      state = { problem: message };
    } finally {
      isLooking = false;
    }
  };
  const timer = setInterval(lookOnce, limits.taskQueuePollMs).unref();
  return {
    embedder,
    get state() {
      return state;
    },
    hurry: start,
    stop: () => {
      clearInterval(timer);
      stopping.abort();
    },
  };
}
