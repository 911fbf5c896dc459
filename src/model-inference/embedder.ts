// The embedding model of FOVEA_EMBEDDER: images and texts as vectors of one space. Its two encoders
// have a thread each, which ends when it has nothing to do, and its memory with it.

import { extname } from 'node:path';
import { currentCaller } from '../current-caller.ts';
import { fitImage, readImageHeader } from '../imaging/image-thread-pool.ts';
import type { RawImage } from '../imaging/raw-image.ts';
import { isOnItsSide, uprightPixels } from '../imaging/upright-pixels.ts';
import { limits } from '../limits.ts';
import { Semaphore } from '../semaphore.ts';
import { WorkerThread } from '../worker-thread.ts';
import {
  type EmbedderFolder,
  openEmbedderFolder,
  readJsonFile,
  wrongFolder,
} from './embedder-folder.ts';
import type { FromEncoder, ToEncoder } from './encoder-messages.ts';
import { type ImagePreparation, readImagePreparation, scaledSize } from './image-preparation.ts';
import { askModel, unexpected } from './model-thread.ts';

/** All of it throws `invalid_input` for FOVEA_EMBEDDER where its folder cannot be used. */
export interface Embedder {
  /** What people call the model, and what tells it from all others. */
  identity(signal: AbortSignal): Promise<ModelIdentity>;
  /** Numbers of a vector. Opens both encoders, and sees whether they are a pair. */
  dimensions(signal: AbortSignal): Promise<number>;
  /**
   * Of length 1. Throws as readImageHeader for what is no image that can be read, `upstream_failed`
   * where the encoder fails on it, and `timed_out`.
   */
  embedImage(bytes: Uint8Array, signal: AbortSignal): Promise<Float32Array>;
  /** Of length 1. Throws `upstream_failed` and `timed_out`. */
  embedText(text: string, signal: AbortSignal): Promise<Float32Array>;
  close(): Promise<void>;
}

export interface ModelIdentity {
  readonly name: string;
  /** Of the contents of its files. */
  readonly fingerprint: string;
}

/** `path`: the folder. Nothing is looked at before the first call. */
export function createEmbedder(path: string): Embedder {
  const images = new EncoderPlace();
  const texts = new EncoderPlace();
  let known: { readonly key: string; readonly fingerprint: string } | undefined;
  let read: { readonly key: string; readonly preparation: ImagePreparation } | undefined;

  const preparationOf = async ({ key, preprocessor }: EmbedderFolder) => {
    if (read?.key === key) return read.preparation;
    const preparation = readImagePreparation(await readJsonFile(preprocessor));
    read = { key, preparation };
    return preparation;
  };
  const openImages = async (place: OpenPlace, folder: EmbedderFolder) => {
    const preparation = await preparationOf(folder);
    return place.open(folder.key, { kind: 'openImages', model: folder.vision, preparation });
  };
  const openTexts = (place: OpenPlace, folder: EmbedderFolder) =>
    place.open(folder.key, { kind: 'openTexts', folder });

  return {
    identity: async (signal) => {
      const folder = await openEmbedderFolder(path);
      if (known?.key !== folder.key) {
        const fingerprint = await images.use(signal, (place) => place.fingerprint(folder));
        known = { key: folder.key, fingerprint };
      }
      return { name: folder.name, fingerprint: known.fingerprint };
    },
    dimensions: async (signal) => {
      const folder = await openEmbedderFolder(path);
      await preparationOf(folder);
      const ofText = await texts.use(signal, (place) => openTexts(place, folder));
      const dimensions = await images.use(signal, (place) => openImages(place, folder));
      if (dimensions !== ofText) throw noPair(dimensions, ofText);
      return dimensions;
    },
    embedImage: async (bytes, signal) => {
      const folder = await openEmbedderFolder(path);
      // Others have the encoder meanwhile.
      const image = await prepare(bytes, await preparationOf(folder));
      return images.use(signal, async (place) => {
        await openImages(place, folder);
        return place.embed({ kind: 'embedImage', image });
      });
    },
    embedText: async (text, signal) => {
      const folder = await openEmbedderFolder(path);
      return texts.use(signal, async (place) => {
        await openTexts(place, folder);
        return place.embed({ kind: 'embedText', text });
      });
    },
    close: async () => {
      await Promise.all([images.close(), texts.close()]);
    },
  };
}

/** As a person sees it: encoders learned from upright images. */
async function prepare(bytes: Uint8Array, preparation: ImagePreparation): Promise<RawImage> {
  const { width, height, orientation } = await readImageHeader(bytes);
  const turned = isOnItsSide(orientation);
  const scaled = scaledSize(
    preparation,
    turned ? { width: height, height: width } : { width, height },
  );
  const stored = turned ? { width: scaled.height, height: scaled.width } : scaled;
  return uprightPixels(await fitImage(bytes, stored, preparation.kernel), orientation);
}

interface OpenPlace {
  fingerprint(folder: EmbedderFolder): Promise<string>;
  /** Opens an encoder unless that of this key is open; gives the length of its vectors. */
  open(key: string, message: ToEncoder): Promise<number>;
  embed(message: ToEncoder): Promise<Float32Array>;
}

/** A thread for one encoder. Callers take turns, one question at a time. */
class EncoderPlace {
  readonly #turns = new Semaphore({ permitsMax: 1 });
  #thread: WorkerThread<ToEncoder, FromEncoder> | undefined;
  #opened: { readonly key: string; readonly dimensions: number } | undefined;

  use<Result>(signal: AbortSignal, work: (place: OpenPlace) => Promise<Result>): Promise<Result> {
    const caller = currentCaller();
    const run = async () => {
      const thread = this.#usable();
      const release = thread.hold();
      try {
        return await work(this.#placeIn(thread));
      } finally {
        release();
      }
    };
    return this.#turns.run(run, { signal, ...(caller && { caller }) });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #usable(): WorkerThread<ToEncoder, FromEncoder> {
    if (this.#thread?.isUsable) return this.#thread;
    this.#opened = undefined;
    this.#thread = new WorkerThread({
      entry: new URL(`./encoder-worker${extname(import.meta.url)}`, import.meta.url),
      idleMsMax: limits.modelIdleMsMax,
    });
    return this.#thread;
  }

  #placeIn(thread: WorkerThread<ToEncoder, FromEncoder>): OpenPlace {
    return {
      fingerprint: async (folder) => {
        const asked = { kind: 'fingerprint', folder } as const;
        const answer = await askModel(thread, asked, { msMax: limits.modelOpenMsMax });
        if (answer.kind !== 'fingerprint') throw unexpected();
        return answer.fingerprint;
      },
      open: async (key, message) => {
        if (this.#opened?.key === key) return this.#opened.dimensions;
        this.#opened = undefined;
        const answer = await askModel(thread, message, { msMax: limits.modelOpenMsMax });
        if (answer.kind !== 'opened') throw unexpected();
        this.#opened = { key, dimensions: answer.dimensions };
        return answer.dimensions;
      },
      embed: async (message) => {
        const answer = await askModel(thread, message, { msMax: limits.inferenceMsMax });
        if (answer.kind !== 'embedded') throw unexpected();
        return answer.vector;
      },
    };
  }
}

function noPair(ofImages: number, ofTexts: number) {
  return wrongFolder(
    `has encoders that are no pair: vectors of images have ${ofImages} numbers, those of texts ` +
      `${ofTexts}`,
  );
}
