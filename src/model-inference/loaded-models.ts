// The models in memory: a few, each running on one image at a time.

import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { ClassNames } from './model-class-names.ts';
import { type ModelThread, type OpenModel, startModelThread } from './model-thread.ts';

/** Where the bytes of a model come from. */
export interface ModelFile {
  /** Equal for equal bytes and equal classes. */
  readonly key: string;
  /** Names of its classes, where it does not have them itself. */
  readonly classes: ClassNames | undefined;
  read(): Promise<Uint8Array<ArrayBuffer>>;
}

export interface LoadedModels {
  /**
   * Lends a model to `use`, which has it for itself; loads it before, where it is not in memory.
   * Waits while all places are taken. Throws as `open` of a ModelThread, and the reason of the
   * signal.
   */
  with<Result>(
    file: ModelFile,
    signal: AbortSignal,
    use: (model: OpenModel) => Promise<Result>,
  ): Promise<Result>;
  close(): void;
}

/** A thread, and the model in it. Starting one costs more than loading a small model. */
interface Place {
  readonly thread: ModelThread;
  /** Undefined: none that could be opened. */
  key: string | undefined;
  model: OpenModel | undefined;
  bytes: number;
  isLent: boolean;
}

export function createLoadedModels(countMax: number = limits.modelsLoadedMax): LoadedModels {
  /** The one used last stands last. */
  const places: Place[] = [];
  const waiting: (() => void)[] = [];
  let isClosed = false;

  const leave = (place: Place) => {
    const at = places.indexOf(place);
    if (at >= 0) places.splice(at, 1);
    place.thread.close();
  };

  /** Undefined: all are lent, or another caller has this model. */
  const take = (key: string): Place | undefined => {
    if (isClosed) throw new FoveaError('cancelled', 'The service stops.');
    for (const place of places.filter(hasEnded)) leave(place);
    const known = places.find((place) => place.key === key);
    if (known?.isLent) return undefined;
    const place = known ?? freePlace();
    if (place === undefined) return undefined;
    const at = places.indexOf(place);
    if (at >= 0) places.splice(at, 1);
    places.push(place);
    place.isLent = true;
    if (place.key !== key) place.model = undefined;
    // Who wants the same model waits until it is open here, and opens it in no other place.
    place.key = key;
    return place;
  };

  const freePlace = (): Place | undefined => {
    const unused = places.find(({ isLent, key }) => !isLent && key === undefined);
    if (unused) return unused;
    if (places.length < countMax) return newPlace();
    const oldest = places.find(({ isLent }) => !isLent);
    if (oldest === undefined || oldest.bytes <= limits.modelPlaceKeptBytesMax) return oldest;
    // The memory of a runtime does not shrink.
    leave(oldest);
    return newPlace();
  };

  const giveBack = (place: Place) => {
    place.isLent = false;
    if (isClosed || !place.thread.isUsable) leave(place);
    // Each looks for itself whether what became free is of use to it.
    for (const wake of waiting.splice(0)) wake();
  };

  return {
    with: async (file, signal, use) => {
      let place = take(file.key);
      while (place === undefined) {
        await turn(waiting, signal);
        place = take(file.key);
      }
      const release = place.thread.hold();
      try {
        return await use(await openIn(place, file));
      } finally {
        release();
        giveBack(place);
      }
    },
    close: () => {
      isClosed = true;
      for (const place of [...places]) leave(place);
      for (const wake of waiting.splice(0)) wake();
    },
  };
}

/** By being idle: one that is lent is looked at when it comes back. */
function hasEnded({ isLent, thread }: Place): boolean {
  return !isLent && !thread.isUsable;
}

function newPlace(): Place {
  const thread = startModelThread();
  return { thread, key: undefined, model: undefined, bytes: 0, isLent: false };
}

/** The model of a lent place, opened where another one was in it. */
async function openIn(place: Place, { classes, read }: ModelFile): Promise<OpenModel> {
  if (place.model !== undefined) return place.model;
  try {
    const bytes = await read();
    place.bytes = Math.max(place.bytes, bytes.length);
    place.model = await place.thread.open(bytes, classes);
    return place.model;
  } catch (thrown) {
    place.key = undefined;
    throw thrown;
  }
}

async function turn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => {
    const at = waiting.indexOf(resolve);
    if (at >= 0) waiting.splice(at, 1);
    reject(signal.reason);
  };
  signal.throwIfAborted();
  waiting.push(resolve);
  signal.addEventListener('abort', onAbort, { once: true });
  await promise.finally(() => signal.removeEventListener('abort', onAbort));
}
