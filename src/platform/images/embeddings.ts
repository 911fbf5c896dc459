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
import { watchNewImages } from './new-images.ts';

export interface Embeddings {
  readonly embedder: Embedder;
  /** What was known at the last look; undefined before the first one. */
  readonly state: EmbeddingState | undefined;
  /**
   * Starts the task where it does not wait or run already: somebody waits for it. Gives the reason
   * where it has failed just now, and is not started again at once.
   */
  hurry(): Promise<string | undefined>;
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
    if (hasFailed && clock.now() - last.updated < limits.describeRetryMs) {
      return last.error ?? 'the task failed';
    }
    const id = newId();
    if (!(await queue.addUnlessOpen({ id, kind: 'embed', payload: {} }))) return undefined;
    lastTaskId = id;
    wake();
    return undefined;
  };
  const newImages = watchNewImages(store.search, clock);
  /** The model, and the image up to which all were embedded at the last look. */
  let settled = '';
  let isLooking = false;
  const look = async () => {
    const { newest, isTime } = await newImages();
    if (!isTime || newest === 0) return;
    const { name, fingerprint } = await embedder.identity(stopping.signal);
    const place = `${fingerprint} ${newest}`;
    if (place === settled) return;
    const model = await store.embeddings.find(fingerprint);
    const isOpen = model === undefined || (await store.embeddings.hasOpen(model));
    const problem = isOpen ? await start() : undefined;
    if (!isOpen) settled = place;
    state = problem === undefined ? { name, model } : { problem };
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
