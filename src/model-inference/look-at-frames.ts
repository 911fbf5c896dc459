// Several models on the same pictures, though only some models are in memory at a time.

import { limits } from '../limits.ts';
import type { Labelled, Labeller } from './labeller.ts';

/** One model, and how sure it has to be. */
export interface Looker {
  readonly labeller: Labeller;
  /** The least, 0 to 1. */
  readonly confidence: number;
}

/**
 * What each model sees in each picture, in the order of the models; in the order of the pictures.
 * Opening a model takes longer than running it: where there are more models than places for them,
 * each runs on a batch of pictures, and the next batch begins with the model that is there.
 */
export async function* lookAtFrames(
  frames: AsyncIterable<Uint8Array>,
  lookers: readonly Looker[],
  signal: AbortSignal,
): AsyncGenerator<readonly Labelled[]> {
  const countMax = lookers.length > limits.modelsLoadedMax ? limits.videoFramesAtOnceMax : 1;
  let order = lookers;
  for await (const batch of batchesOf(frames, countMax)) {
    const seen = new Map<Looker, readonly Labelled[]>();
    for (const looker of order) seen.set(looker, await lookWith(looker, batch, signal));
    order = order.toReversed();
    for (const place of batch.keys()) {
      yield lookers.flatMap((looker) => seen.get(looker)?.[place] ?? []);
    }
  }
}

async function lookWith(
  { labeller, confidence }: Looker,
  batch: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<readonly Labelled[]> {
  const seen: Labelled[] = [];
  for (const frame of batch) {
    seen.push(await labeller.detect(frame, { confidence, overlap, signal }));
  }
  return seen;
}

const overlap = 0.5;

async function* batchesOf(
  frames: AsyncIterable<Uint8Array>,
  countMax: number,
): AsyncGenerator<readonly Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for await (const frame of frames) {
    batch.push(frame);
    bytes += frame.length;
    if (batch.length < countMax && bytes < limits.videoFramesAtOnceBytesMax) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}
