// A model with everything around it: pixels in, boxes out. Runs in a thread of its own.

import { suppress } from '../annotations/non-maximum-suppression.ts';
import { systemClock } from '../clock.ts';
import { invalidArgument } from '../errors.ts';
import { type Letterbox, type Size, toImage, toPlanes } from '../imaging/letterbox-resize.ts';
import type { RawImage } from '../imaging/raw-image.ts';
import { limits } from '../limits.ts';
import { decodeOutput, formOf } from './decode-output.ts';
import { readOnnxMetadata } from './onnx-metadata.ts';
import { type OnnxSession, openOnnxSession, type Slot } from './onnx-session.ts';

/** A box around its centre, in pixels of the image as stored. */
export interface FoundBox {
  readonly classIndex: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly confidence: number;
}

export interface DetectJob {
  /** The image scaled to `letterbox.scaled`. */
  readonly image: RawImage;
  readonly letterbox: Letterbox;
  /** For each class. */
  readonly leastScores: readonly number[];
  readonly overlap: number;
}

export interface Found {
  readonly boxes: readonly FoundBox[];
  /** How long the model took. */
  readonly ms: number;
}

/** Of `classification` each box is the whole image. */
export type DetectorTask = 'detection' | 'classification';

export interface Detector {
  readonly task: DetectorTask;
  readonly classes: readonly string[];
  /** What the model wants to be given. */
  readonly canvas: Size;
  detect(job: DetectJob): Promise<Found>;
  close(): Promise<void>;
}

/**
 * Loads a model, and runs it once on plain grey: then its form is known. `classes` are its names
 * where it does not have them itself. Throws `invalid_input` for a form that is not known here,
 * else as openOnnxSession.
 */
export async function openDetector(
  file: Uint8Array,
  classes: readonly string[] | undefined,
): Promise<Detector> {
  const metadata = readOnnxMetadata(file);
  const session = await openOnnxSession(file);
  try {
    return await openWith(session, metadata.classes ?? classes, metadata.isEndToEnd);
  } catch (thrown) {
    await session.close();
    throw thrown;
  }
}

async function openWith(
  session: OnnxSession,
  classes: readonly string[] | undefined,
  isEndToEnd: boolean,
): Promise<Detector> {
  const canvas = canvasOf(session);
  if (classes === undefined) throw noNames();
  const { dims } = await session.run(emptyCanvas(canvas));
  const form = formOf(dims, classes.length, isEndToEnd);
  return {
    task: form === 'classes' ? 'classification' : 'detection',
    classes,
    canvas,
    detect: async ({ image, letterbox, leastScores, overlap }) => {
      const values = toPlanes(letterbox, image);
      const startedMs = systemClock.monotonic();
      const output = await session.run({ values, dims: [1, 3, canvas.height, canvas.width] });
      const ms = systemClock.monotonic() - startedMs;
      const candidates = decodeOutput(output, form, leastScores, canvas).map((candidate) => ({
        ...candidate,
        ...toImage(letterbox, candidate),
      }));
      const whole = candidates.filter(
        ({ left, top, right, bottom }) => right > left && bottom > top,
      );
      const kept = suppress(whole, overlap, limits.modelBoxesMax);
      return { boxes: kept.map(toBox), ms };
    },
    close: () => session.close(),
  };
}

function emptyCanvas({ width, height }: Size) {
  return { values: new Float32Array(3 * width * height).fill(0.5), dims: [1, 3, height, width] };
}

function toBox({
  left,
  top,
  right,
  bottom,
  score,
  classIndex,
}: {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly score: number;
  readonly classIndex: number;
}): FoundBox {
  return {
    classIndex,
    x: (left + right) / 2,
    y: (top + bottom) / 2,
    width: right - left,
    height: bottom - top,
    confidence: score,
  };
}

/** What Ultralytics and others take where a model does not fix its size. */
const freeSide = 640;

function canvasOf({ inputs, outputs }: OnnxSession): Size {
  const [input] = inputs;
  const [output] = outputs;
  if (inputs.length !== 1 || !input || input.type !== 'float32' || input.dims.length !== 4) {
    throw refusedShape('takes', inputs);
  }
  const [batch = 1, channels = 3, height = freeSide, width = freeSide] = input.dims;
  if (batch !== 1 || channels !== 3) throw refusedShape('takes', inputs);
  if (Math.max(width, height) > limits.modelSideMax) throw refusedShape('takes', inputs);
  if (output?.type !== 'float32') throw refusedShape('gives', outputs);
  return { width, height };
}

function refusedShape(what: 'takes' | 'gives', slots: readonly Slot[]) {
  const shapes = slots
    .slice(0, 3)
    .map(
      ({ type, dims }) => `${type ?? 'no tensor'} [${dims.map((side) => side ?? '?').join(', ')}]`,
    );
  return invalidArgument(
    'model',
    `${what} ${shapes.join(' and ') || 'nothing'}, which is no model known here`,
    `Known are models that take one float32 [1, 3, height, width], up to ${limits.modelSideMax} ` +
      'on a side, and give float32.',
  );
}

function noNames() {
  return invalidArgument(
    'model',
    'does not say how its classes are called',
    'Export it with `names` in its metadata, or put a file beside it that ends in .names or .txt ' +
      'in place of .onnx, one class on each line.',
  );
}
