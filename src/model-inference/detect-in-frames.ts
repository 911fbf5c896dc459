// Runs several detection models on the same frames, though few models are in memory at a time.

import { limits } from '../limits.ts';
import type { Labelled, Labeller } from './detection-models.ts';
import { chooseThresholds } from './thresholds.ts';

/** One model, and how sure it has to be. */
export interface FrameDetector {
  readonly labeller: Labeller;
  /** The least, 0 to 1. */
  readonly confidence: number;
}

/** A frame, and what each model detects in it, in the order of the models. */
export interface SeenFrame {
  readonly frame: Uint8Array;
  readonly seen: readonly Labelled[];
}

/**
 * What the models detect in each frame, in the order of the frames.
 * Opening a model takes longer than running it: where there are more models than places for them,
 * each runs on a batch of frames, and the next batch begins with the model that is there.
 */
export async function* detectInFrames(
  frames: AsyncIterable<Uint8Array>,
  detectors: readonly FrameDetector[],
  signal: AbortSignal,
): AsyncGenerator<SeenFrame> {
  const countMax = detectors.length > limits.modelsLoadedMax ? limits.videoFramesAtOnceMax : 1;
  let order = detectors;
  for await (const batch of batchesOf(frames, countMax)) {
    const seen = new Map<FrameDetector, readonly Labelled[]>();
    for (const detector of order) seen.set(detector, await detectWith(detector, batch, signal));
    order = order.toReversed();
    for (const [place, frame] of batch.entries()) {
      yield { frame, seen: detectors.flatMap((detector) => seen.get(detector)?.[place] ?? []) };
    }
  }
}

async function detectWith(
  { labeller, confidence }: FrameDetector,
  batch: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<readonly Labelled[]> {
  const seen: Labelled[] = [];
  for (const frame of batch) {
    const { overlap } = chooseThresholds(labeller.thresholds);
    seen.push(await labeller.detect(frame, { confidence, overlap, signal }));
  }
  return seen;
}

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
