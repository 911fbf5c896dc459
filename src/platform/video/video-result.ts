// The result of a video job: detections per frame as one JSON file, streamed to the disk since a
// long one does not fit into memory.

import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Labelled } from '../../model-inference/detection-models.ts';
import type { VideoModel } from '../store/video-jobs.ts';

/** Where a frame is in its video. */
export interface FramePlace {
  /** Its number among all frames of the video, from 0. */
  readonly offset: number;
  readonly seconds: number;
}

export interface VideoResult {
  /** What the models saw in the next frame, in the order of the models. */
  add(place: FramePlace, seen: readonly Labelled[]): Promise<void>;
  /**
   * The whole file piece by piece, after the last frame: `frame_offset`, `time_offset` (seconds),
   * `fps`, for each model its id with an entry for each frame, and `models`.
   */
  pieces(framesPerSecond: number): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** A result in the making, in a new folder. */
export async function openVideoResult(
  folder: string,
  models: readonly (VideoModel & { readonly classes: readonly string[] })[],
): Promise<VideoResult> {
  await mkdir(folder, { mode: 0o700 });
  const offsets = await openPart(join(folder, 'offsets'));
  const times = await openPart(join(folder, 'times'));
  const parts: Part[] = [];
  for (const index of models.keys()) parts.push(await openPart(join(folder, `model-${index}`)));
  return {
    add: async ({ offset, seconds }, seen) => {
      await offsets.add(offset);
      await times.add(Math.round(seconds * 1e6) / 1e6);
      for (const [index, part] of parts.entries()) await part.add(describe(seen[index]));
    },
    pieces: async function* (framesPerSecond) {
      yield Buffer.from(`{"fps":${framesPerSecond},"frame_offset":[`);
      yield* offsets.read();
      yield Buffer.from('],"time_offset":[');
      yield* times.read();
      yield Buffer.from(']');
      for (const [index, { modelId }] of models.entries()) {
        yield Buffer.from(`,${JSON.stringify(modelId)}:[`);
        yield* parts[index]?.read() ?? [];
        yield Buffer.from(']');
      }
      const told = models.map(({ modelId, confidence, classes }) => [
        modelId,
        { confidence, classes },
      ]);
      yield Buffer.from(`,"models":${JSON.stringify(Object.fromEntries(told))}}`);
    },
    close: async () => {
      for (const part of [offsets, times, ...parts]) await part.close();
    },
  };
}

/** Boxes around their centres, in pixels. */
function describe(seen: Labelled | undefined) {
  if (seen === undefined) return null;
  const { width, height, detections } = seen;
  return {
    image: { width, height },
    predictions: detections.map(({ label, classIndex, confidence, ...box }) => ({
      x: rounded(box.x),
      y: rounded(box.y),
      width: rounded(box.width),
      height: rounded(box.height),
      confidence,
      class: label,
      class_id: classIndex,
    })),
  };
}

function rounded(pixels: number): number {
  return Math.round(pixels * 1000) / 1000;
}

/** The entries of an array, in a file. */
interface Part {
  add(entry: unknown): Promise<void>;
  read(): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

async function openPart(path: string): Promise<Part> {
  const file: FileHandle = await open(path, 'wx', 0o600);
  let isEmpty = true;
  return {
    add: async (entry) => {
      await file.writeFile((isEmpty ? '' : ',') + JSON.stringify(entry));
      isEmpty = false;
    },
    read: async function* () {
      for await (const piece of createReadStream(path)) yield Buffer.from(piece);
    },
    close: () => file.close(),
  };
}
