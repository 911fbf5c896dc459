// What a model gives, and where in it: told by the names, types and shapes of its outputs, and by
// what the file says of itself. What could be two things is refused.

import { FoveaError, invalidArgument } from '../errors.ts';
import { pixelClassesMax } from '../evaluation/pixels/confused-pixels.ts';
import { limits } from '../limits.ts';
import type { OnnxMetadata } from './onnx-metadata.ts';

/** Of `classification` each box is the whole image; of `semantic` it frames a piece. */
export type DetectorTask =
  | 'detection'
  | 'segmentation'
  | 'semantic'
  | 'keypoints'
  | 'classification';

/** In sentences: what a model of the task gives. */
export const givenByTask = {
  detection: 'boxes',
  segmentation: 'outlines',
  semantic: 'the class of each pixel',
  keypoints: 'keypoints',
  classification: 'classes of whole images',
} as const satisfies Record<DetectorTask, string>;

/**
 * `columns`: [1, 4 + classes, boxes], centre and size, then a score for each class (YOLOv8 and
 * later). `rows`: [1, boxes, 5 + classes], centre and size, how sure it is of an object, then a
 * share of that for each class (YOLOv5). `final`: [1, boxes, 6], two corners, score, class (models
 * that drop overlapping boxes themselves). All in pixels of the canvas. `classes`: [1, classes], a
 * score for each; the boxes are the canvas then. `separate`: corners [boxes, 4], class numbers
 * [boxes] that begin with 1, and scores [boxes], as torchvision gives them. `queries`: centre and
 * size [1, boxes, 4] in shares of the canvas, and for each class a score before its sigmoid
 * [1, boxes, classes], as RF-DETR gives them.
 */
export type OutputForm = 'columns' | 'rows' | 'final' | 'classes' | 'separate' | 'queries';

export type Layout = BoxLayout | PixelLayout;

/** A score of each class for each cell, [1, classes, h, w], or its class, [1, h, w]. */
export interface PixelLayout {
  readonly task: 'semantic';
  readonly outputs: readonly [string];
  readonly isClassMap: boolean;
  /** The number of the class that is none; undefined: the model has none such. */
  readonly background: number | undefined;
}

export interface BoxLayout {
  readonly task: Exclude<DetectorTask, 'semantic'>;
  readonly form: OutputForm;
  /** The outputs that are read: the boxes first, then what is beside them. */
  readonly outputs: readonly string[];
  /** Numbers behind the classes of each box: weights of a mask, or its keypoints. */
  readonly extras: number;
  readonly keypoints: KeypointShape | undefined;
  /** Names that are in no output, before those that are: a background. */
  readonly firstClass: number;
}

export interface KeypointShape {
  readonly count: number;
  /** x, y, and with 3 how visible it is. */
  readonly numbers: number;
}

export interface GivenOutput {
  readonly name: string;
  /** For example `float32`. */
  readonly type: string | undefined;
  readonly dims: readonly number[];
}

type Facts = Pick<OnnxMetadata, 'isEndToEnd' | 'task' | 'keypoints'>;

/** Throws `invalid_input` naming the shapes found. */
export function layoutOf(
  outputs: readonly GivenOutput[],
  classes: readonly string[],
  facts: Facts,
): Layout {
  const [first] = outputs;
  const pixels = pixelLayout(first, classes);
  if (pixels !== undefined) return pixels;
  if (first?.type !== 'float32') throw unknownForm(outputs, classes.length);
  const separate = separateLayout(outputs, classes, facts);
  if (separate !== undefined) return separate;
  const queries = queryLayout(outputs, classes);
  if (queries !== undefined) return queries;
  const plain = { form: 'columns', outputs: [first.name], firstClass: 0 } as const;
  const { dims } = first;
  if (dims.length === 2 && dims[0] === 1 && dims[1] === classes.length) {
    return { ...plain, task: 'classification', form: 'classes', ...noExtras };
  }
  const form = (extras: number) => formOf(dims, classes.length, facts.isEndToEnd, extras);
  const prototypes = outputs.find((one) => one.dims.length === 4 && one.type === 'float32');
  const weights = prototypes?.dims[1] ?? 0;
  if (prototypes !== undefined && outputs.length === 2) {
    const found = form(weights);
    if (found !== undefined) {
      const names = [first.name, prototypes.name];
      const rest = { extras: weights, keypoints: undefined };
      return { ...plain, task: 'segmentation', form: found, outputs: names, ...rest };
    }
  }
  const keypoints = keypointsOf(dims, classes.length, facts);
  const extras = keypoints === undefined ? 0 : keypoints.count * keypoints.numbers;
  const found = form(extras);
  if (found === undefined) throw unknownForm(outputs, classes.length);
  const task = keypoints === undefined ? 'detection' : 'keypoints';
  return { ...plain, task, form: found, extras, keypoints };
}

const noExtras = { extras: 0, keypoints: undefined } as const;

/**
 * Which form boxes have. With one class, `rows` and `final` have the same shape: then the model
 * says which it is, or the number of boxes does.
 */
function formOf(
  [batch, second = 0, third = 0, ...more]: readonly number[],
  classCount: number,
  isEndToEnd: boolean,
  extras: number,
): OutputForm | undefined {
  if (batch !== 1 || more.length > 0) return undefined;
  const isFinal = isEndToEnd || (classCount === 1 && second <= limits.modelBoxesMax);
  if (third === 6 + extras && isFinal) return 'final';
  if (second === 4 + classCount + extras) return 'columns';
  if (third === 5 + classCount + extras) return 'rows';
  return third === 6 + extras ? 'final' : undefined;
}

/** Undefined: the model has none. Throws where it has some, and does not say how many. */
function keypointsOf(
  [, second = 0, third = 0]: readonly number[],
  classCount: number,
  { keypoints, task, isEndToEnd }: Facts,
): KeypointShape | undefined {
  if (keypoints !== undefined) {
    const [count, numbers] = keypoints;
    if (count <= limits.modelKeypointsMax) return { count, numbers };
    throw wrongShape(`has ${count} keypoints; at most ${limits.modelKeypointsMax} are taken`);
  }
  if (task !== 'pose') return undefined;
  const left = isEndToEnd ? third - 6 : second - 4 - classCount;
  const known = [2, 3].filter((numbers) => left > 0 && left % numbers === 0);
  const [numbers] = known;
  if (numbers !== undefined && known.length === 1) return { count: left / numbers, numbers };
  throw wrongShape(
    'has the task "pose", and does not say how many keypoints an object has',
    'Export it with `kpt_shape` in its metadata, such as [17, 3]: x, y, visibility of 17 points.',
  );
}

/** Undefined: boxes are given, or classes of whole images. */
function pixelLayout(
  first: GivenOutput | undefined,
  classes: readonly string[],
): PixelLayout | undefined {
  const { type = '', dims = [], name = '' } = first ?? {};
  const isClassMap = wholeNumbers.includes(type);
  const isMap = dims.length === 3 || (dims.length === 4 && dims[1] === 1);
  if (dims[0] !== 1 || !(isClassMap ? isMap : dims.length === 4)) return undefined;
  const scores = isClassMap ? classes.length : dims[1];
  if (scores !== classes.length || scores < 2) {
    throw wrongShape(
      `gives ${scores} scores for each pixel, and has ${classes.length} names of classes`,
      'Name each score in its order, the background among them as "background", and export two ' +
        'where it tells one class from the background.',
    );
  }
  if (scores > pixelClassesMax) {
    throw wrongShape(`has ${scores} classes; of pixels at most ${pixelClassesMax} are taken`);
  }
  const background = classes.findIndex(isBackgroundName);
  return {
    task: 'semantic',
    outputs: [name],
    isClassMap,
    background: background < 0 ? undefined : background,
  };
}

/** Types in which class maps are exported, as the runtime calls them. */
export const wholeNumbers: readonly string[] = ['int64', 'int32', 'uint8'];

function isBackgroundName(name = ''): boolean {
  return name.replaceAll('_', '').toLowerCase() === 'background';
}

/** Outputs of RF-DETR, by their names. Its masks are not read. */
function queryLayout(
  outputs: readonly GivenOutput[],
  classes: readonly string[],
): BoxLayout | undefined {
  const find = (name: string) =>
    outputs.find((one) => one.name === name && one.type === 'float32' && one.dims.length === 3);
  const [boxes, labels] = [find('dets'), find('labels')];
  if (boxes === undefined || labels === undefined) return undefined;
  const [batch, count, numbers] = boxes.dims;
  if (batch !== 1 || numbers !== 4 || labels.dims[1] !== count) return undefined;
  const scores = labels.dims[2];
  if (scores !== classes.length) {
    throw wrongShape(
      `gives ${scores} scores for each box, and has ${classes.length} names of classes`,
      'Name each score in its order, also one that stands for no class: RF-DETR counts from the ' +
        'parent of the classes, or has one score more at the end, by its version.',
    );
  }
  const names = [boxes.name, labels.name];
  return { task: 'detection', form: 'queries', outputs: names, ...noExtras, firstClass: 0 };
}

/** Outputs of torchvision, by their names, or else by their types and shapes. */
function separateLayout(
  outputs: readonly GivenOutput[],
  classes: readonly string[],
  facts: Facts,
): BoxLayout | undefined {
  const find = (name: string, type: string, isFit: (dims: readonly number[]) => boolean) => {
    const fit = outputs.filter((one) => one.type === type && isFit(one.dims));
    return fit.find((one) => one.name === name) ?? fit[0];
  };
  const boxes = find('boxes', 'float32', ({ length, 1: side }) => length === 2 && side === 4);
  const labels = find('labels', 'int64', ({ length }) => length === 1);
  const scores = find('scores', 'float32', ({ length }) => length === 1);
  if (!boxes || !labels || !scores) return undefined;
  const count = boxes.dims[0];
  if (labels.dims[0] !== count || scores.dims[0] !== count) return undefined;
  const isBackground = isBackgroundName(classes[0]);
  const names = [boxes.name, labels.name, scores.name];
  const plain = { form: 'separate', ...noExtras, firstClass: isBackground ? 1 : 0 } as const;
  const masks = find('masks', 'float32', ({ length, 1: one }) => length === 4 && one === 1);
  if (masks) return { ...plain, task: 'segmentation', outputs: [...names, masks.name] };
  const points = find('keypoints', 'float32', ({ length, 2: last }) => length === 3 && last === 3);
  if (points === undefined) return { ...plain, task: 'detection', outputs: names };
  // Where it found nothing on plain grey, some exporters give no number.
  const keypoints = { count: facts.keypoints?.[0] ?? points.dims[1] ?? 0, numbers: 3 };
  if (keypoints.count > limits.modelKeypointsMax) throw unknownForm(outputs, classes.length);
  return { ...plain, task: 'keypoints', outputs: [...names, points.name], keypoints };
}

function wrongShape(message: string, hint?: string): FoveaError {
  return invalidArgument('model', message, hint);
}

function unknownForm(outputs: readonly GivenOutput[], classCount: number): FoveaError {
  const shapes = outputs.slice(0, 4).map(({ dims }) => `[${dims.slice(0, 6).join(', ')}]`);
  return wrongShape(
    `gives ${shapes.join(' and ') || 'nothing'} for ${classCount} classes, which is no output known here`,
    `Known are [1, ${4 + classCount}, boxes] (YOLOv8 and later), [1, boxes, ${5 + classCount}] ` +
      `(YOLOv5), [1, boxes, 6] (end to end), [1, ${classCount}] (classes of the whole image); ` +
      'the first three also with a second output [1, m, h, w] and m numbers more for each box ' +
      '(masks of YOLO), or with kpt_shape in the metadata (keypoints); and boxes, labels, scores, ' +
      'with masks or keypoints (torchvision); and dets with labels (RF-DETR); and, for the class of ' +
      `each pixel, [1, ${classCount}, h, w], or whole numbers [1, h, w].`,
  );
}

/** Numbers that a model may not give: better no answer than an invented one. */
export function wrongNumbers(what: string, hint: string): FoveaError {
  return new FoveaError('upstream_failed', `The model gives ${what}. ${hint}`, { retry: 'never' });
}
