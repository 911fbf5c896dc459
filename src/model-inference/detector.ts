// A model with everything around it: pixels in, boxes out. Runs in a thread of its own.

import { suppress } from '../annotations/non-maximum-suppression.ts';
import { systemClock } from '../clock.ts';
import { invalidArgument } from '../errors.ts';
import { type Letterbox, type Size, toImage, toPlanes } from '../imaging/letterbox-resize.ts';
import type { RawImage } from '../imaging/raw-image.ts';
import { limits } from '../limits.ts';
import { classPieces } from './class-pieces.ts';
import { type ClassRegion, classRegions } from './class-regions.ts';
import { type DecodedBox, decodeOutput } from './decode-output.ts';
import { areNames, type ClassNames } from './model-class-names.ts';
import {
  type BoxLayout,
  type DetectorTask,
  layoutOf,
  type PixelLayout,
  wholeNumbers,
} from './model-layout.ts';
import { type OnnxMetadata, readOnnxMetadata } from './onnx-metadata.ts';
import { type OnnxSession, openOnnxSession, type Slot, type Tensor } from './onnx-session.ts';
import { readCells } from './pixel-cells.ts';
import { type BoxShape, type FoundBox, shapeReader } from './shapes-of-boxes.ts';
import type { OwnThresholds } from './thresholds.ts';

export interface DetectJob {
  /** The image scaled to `letterbox.scaled`. */
  readonly image: RawImage;
  readonly letterbox: Letterbox;
  /** For each class. */
  readonly leastScores: readonly number[];
  readonly overlap: number;
  /** Of a model of pixels: its regions too. */
  readonly wantsRegions: boolean;
}

export interface Found {
  readonly boxes: readonly FoundBox[];
  /** There are more than are kept: the surest are. */
  readonly hasMore: boolean;
  /** Of a model of pixels, where they are wanted: all of each class, whatever the scores. */
  readonly regions?: readonly ClassRegion[];
  /** How long the model took. */
  readonly ms: number;
}

export interface Detector {
  readonly task: DetectorTask;
  readonly classes: readonly string[];
  /** Of the keypoints of an object, by the number of its class; the first is of all without. */
  readonly keypointNames: readonly (readonly string[])[];
  /** What the model wants to be given. */
  readonly canvas: Size;
  /** Whether images fill it, stretched; else they are letterboxed. */
  readonly isStretched: boolean;
  readonly thresholds: OwnThresholds;
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
  classes: ClassNames | undefined,
): Promise<Detector> {
  const metadata = readOnnxMetadata(file);
  const session = await openOnnxSession(file);
  try {
    return await openWith(session, metadata, classes);
  } catch (thrown) {
    await session.close();
    throw thrown;
  }
}

async function openWith(
  session: OnnxSession,
  metadata: OnnxMetadata,
  otherClasses: ClassNames | undefined,
): Promise<Detector> {
  const { canvas, dims } = inputOf(session);
  const classes = areNames(metadata.classes) ? metadata.classes : otherClasses;
  if (!areNames(classes)) throw noNames(metadata.classes ?? classes);
  const names = session.outputs.map(({ name }) => name);
  for (const output of session.outputs) checkValues(output.dims);
  const grey = { values: new Float32Array(3 * canvas.width * canvas.height).fill(0.5), dims };
  const first = await session.run(grey, names);
  const given = session.outputs.map(({ name, type }, at) => ({
    name,
    type,
    dims: first[at]?.dims ?? [],
  }));
  const layout = layoutOf(given, classes, metadata);
  const isOfQueries = layout.task !== 'semantic' && layout.form === 'queries';
  return {
    task: layout.task,
    classes,
    keypointNames: metadata.keypointNames,
    canvas,
    isStretched: isOfQueries,
    thresholds: metadata.thresholds,
    detect: async (job) => {
      const planes = toPlanes(job.letterbox, job.image);
      const values = isOfQueries ? normalised(planes) : planes;
      const startedMs = systemClock.monotonic();
      const outputs = await session.run({ values, dims }, layout.outputs);
      const ms = systemClock.monotonic() - startedMs;
      const found =
        layout.task === 'semantic'
          ? pixelsIn(outputs, layout, job)
          : foundIn(outputs, layout, job, canvas);
      return { ...found, ms };
    },
    close: () => session.close(),
  };
}

/** RF-DETR takes colours less the mean of ImageNet, over the deviation, and images stretched. */
function normalised(planes: Float32Array): Float32Array {
  const plane = planes.length / 3;
  for (const [colour, [mean, deviation]] of colourRanges.entries()) {
    for (let at = colour * plane; at < (colour + 1) * plane; at++) {
      planes[at] = ((planes[at] ?? 0) - mean) / deviation;
    }
  }
  return planes;
}

const colourRanges = [
  [0.485, 0.229],
  [0.456, 0.224],
  [0.406, 0.225],
] as const;

function pixelsIn(
  [output = { values: new Float32Array(0), dims: [] }]: readonly Tensor[],
  layout: PixelLayout,
  { letterbox, leastScores, wantsRegions }: DetectJob,
): Omit<Found, 'ms'> {
  const { background } = layout;
  const cells = readCells(output, layout, leastScores.length, letterbox);
  return {
    ...classPieces(cells, background, leastScores),
    ...(wantsRegions && { regions: classRegions(cells, background, leastScores.length) }),
  };
}

interface PlacedBox extends DecodedBox {
  /** As the model gave it, in pixels of the canvas. */
  readonly decoded: DecodedBox;
}

function foundIn(
  outputs: readonly Tensor[],
  layout: BoxLayout,
  { letterbox, leastScores, overlap }: DetectJob,
  canvas: Size,
): Pick<Found, 'boxes' | 'hasMore'> {
  const placed = decodeOutput(outputs, layout, leastScores, canvas).map(
    (decoded): PlacedBox => ({ ...decoded, ...toImage(letterbox, decoded), decoded }),
  );
  const whole = placed.filter(({ left, top, right, bottom }) => right > left && bottom > top);
  const points = layout.keypoints?.count ?? 1;
  const most = Math.min(limits.modelBoxesMax, Math.floor(limits.imageCornersMax / points));
  const best = suppress(whole, overlap, most + 1);
  const kept = best.slice(0, most);
  const shapeOf = shapeReader(outputs, layout, letterbox, kept.length);
  const boxes = kept.flatMap((box) => {
    const shape = shapeOf(box.decoded);
    return shape === undefined ? [] : toBox(box, shape);
  });
  return { boxes, hasMore: best.length > most };
}

function toBox(
  { left, top, right, bottom, score, classIndex }: PlacedBox,
  shape: BoxShape,
): FoundBox {
  return {
    classIndex,
    x: (left + right) / 2,
    y: (top + bottom) / 2,
    width: right - left,
    height: bottom - top,
    confidence: score,
    ...shape,
  };
}

/** Before the model runs, as far as its file says how much it gives. */
function checkValues(dims: Slot['dims']): void {
  const values = dims.reduce<number>((product, side = 1) => product * side, 1);
  if (values <= limits.modelOutputValuesMax) return;
  throw invalidArgument(
    'model',
    `gives an output of [${dims.map((side) => side ?? '?').join(', ')}], ${values} numbers`,
    `At most ${limits.modelOutputValuesMax} are taken: export it with smaller masks or fewer boxes.`,
  );
}

/** What Ultralytics and others take where a model does not fix its size. */
const freeSide = 640;

/** An image of its own, or as torchvision has it without the batch. */
function inputOf({ inputs, outputs }: OnnxSession): { canvas: Size; dims: readonly number[] } {
  const [input] = inputs;
  const rank = input?.dims.length ?? 0;
  if (inputs.length !== 1 || input?.type !== 'float32' || rank < 3 || rank > 4) {
    throw refusedShape('takes', inputs);
  }
  const [channels = 3, height = freeSide, width = freeSide] = input.dims.slice(-3);
  const [batch = 1] = rank === 4 ? input.dims : [];
  if (batch !== 1 || channels !== 3) throw refusedShape('takes', inputs);
  if (Math.max(width, height) > limits.modelSideMax) throw refusedShape('takes', inputs);
  const isRead = (type = '') => type === 'float32' || wholeNumbers.includes(type);
  if (!outputs.some(({ type }) => isRead(type))) throw refusedShape('gives', outputs);
  const image = [3, height, width];
  return { canvas: { width, height }, dims: rank === 4 ? [1, ...image] : image };
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
      'on a side, and give float32 (or whole numbers, for the class of each pixel).',
  );
}

function noNames(given: ClassNames | undefined) {
  return invalidArgument(
    'model',
    given !== undefined && 'problem' in given
      ? `has names of classes that ${given.problem}`
      : 'does not say how its classes are called',
    'Export it with `names` in its metadata, or put a file beside it that ends in .names or .txt ' +
      'in place of .onnx, one class on each line.',
  );
}
