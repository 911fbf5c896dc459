// Chooses the frames of a video that its picture shows, while they go by once.

import { evenlySpaced } from '../../evenly-spaced.ts';
import { decodeSmall } from '../../imaging/image-thread-pool.ts';
import type { RawImage } from '../../imaging/raw-image.ts';
import { limits } from '../../limits.ts';
import type { Labelled } from '../../model-inference/detection-models.ts';
import { enlargementMax, sheetSide } from '../previews/sheet-layout.ts';

/** What was seen at a time of the video. */
export interface FrameContent {
  readonly seconds: number;
  /** In the order of the models. */
  readonly seen: readonly Labelled[];
}

export interface ChosenFrame extends FrameContent {
  /** Scaled down. */
  readonly image: RawImage;
  /** Of the frame itself, in pixels. */
  readonly width: number;
  readonly height: number;
}

export interface FrameChoice {
  /** The next frame, as an image file. Throws as decodeSmall. */
  offer(frame: Uint8Array, content: FrameContent): Promise<void>;
  /**
   * At most `limits.videoFramesDrawnMax`, in the order of time: evenly among those in which
   * something was found; where these are fewer, evenly among the others too.
   */
  chosen(): readonly ChosenFrame[];
}

export function chooseFrames(): FrameChoice {
  const found = evenly<ChosenFrame>();
  const empty = evenly<ChosenFrame>();
  return {
    offer: async (frame, content) => {
      const isEmpty = content.seen.every(({ detections }) => detections.length === 0);
      await (isEmpty ? empty : found).offer(async () => {
        const { file, image } = await decodeSmall(frame, side, enlargementMax);
        return { ...content, image, width: file.width, height: file.height };
      });
    },
    chosen: () => {
      const shown = found.some(limits.videoFramesDrawnMax);
      const others = empty.some(limits.videoFramesDrawnMax - shown.length);
      return [...shown, ...others].toSorted((a, b) => a.seconds - b.seconds);
    },
  };
}

/** As large as a frame that is shown alone. */
const side = sheetSide(1);

interface Evenly<Item> {
  offer(make: () => Promise<Item>): Promise<void>;
  some(count: number): readonly Item[];
}

/**
 * Every item at first; whenever twice as many are kept as are shown, every other one goes, and of
 * those to come only every second, fourth, eighth is made.
 */
function evenly<Item>(): Evenly<Item> {
  let kept: Item[] = [];
  let stride = 1;
  let offered = 0;
  return {
    offer: async (make) => {
      const isDue = offered % stride === 0;
      offered += 1;
      if (!isDue) return;
      kept.push(await make());
      if (kept.length < 2 * limits.videoFramesDrawnMax) return;
      kept = kept.filter((_, place) => place % 2 === 0);
      stride *= 2;
    },
    some: (count) => evenlySpaced(kept, count),
  };
}
