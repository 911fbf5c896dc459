// From the numbers that a model gives to boxes, or to classes of the whole image: the forms in use.

import type { Candidate } from '../annotations/non-maximum-suppression.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import type { Size } from '../imaging/letterbox-resize.ts';
import { limits } from '../limits.ts';
import type { Tensor } from './onnx-session.ts';

/**
 * `columns`: [1, 4 + classes, boxes], centre and size, then a score for each class (YOLOv8 and
 * later). `rows`: [1, boxes, 5 + classes], centre and size, how sure it is of an object, then a
 * share of that for each class (YOLOv5). `final`: [1, boxes, 6], two corners, score, class (models
 * that drop overlapping boxes themselves). All in pixels of the canvas. `classes`: [1, classes], a
 * score for each; the boxes are the canvas then.
 */
export type OutputForm = 'columns' | 'rows' | 'final' | 'classes';

/**
 * Which form an output has. With one class, `rows` and `final` have the same shape: then the model
 * says which it is, or the number of boxes does. Throws `invalid_input` naming the shape found.
 */
export function formOf(
  dims: readonly number[],
  classCount: number,
  isEndToEnd: boolean,
): OutputForm {
  const [batch, second = 0, third = 0] = dims;
  if (dims.length === 2 && batch === 1 && second === classCount) return 'classes';
  if (dims.length === 3 && batch === 1) {
    const isFinal = isEndToEnd || (classCount === 1 && second <= limits.modelBoxesMax);
    if (third === 6 && isFinal) return 'final';
    if (second === 4 + classCount) return 'columns';
    if (third === 5 + classCount) return 'rows';
    if (third === 6) return 'final';
  }
  throw invalidArgument(
    'model',
    `gives [${dims.join(', ')}] for ${classCount} classes, which is no output known here`,
    `Known are [1, ${4 + classCount}, boxes] (YOLOv8 and later), [1, boxes, ${5 + classCount}] ` +
      `(YOLOv5), [1, boxes, 6] (end to end) and [1, ${classCount}] (classes of the whole image).`,
  );
}

/** Boxes whose score reaches the least of their class; at most `modelCandidatesMax`, the best. */
export function decodeOutput(
  { values, dims }: Tensor,
  form: OutputForm,
  leastScores: readonly number[],
  canvas: Size,
): readonly Candidate[] {
  const found = decoders[form](values, dims, leastScores, canvas);
  if (found.length <= limits.modelCandidatesMax) return found;
  found.sort((one, other) => other.score - one.score);
  return found.slice(0, limits.modelCandidatesMax);
}

type Decoder = (
  values: Float32Array,
  dims: readonly number[],
  leastScores: readonly number[],
  canvas: Size,
) => Candidate[];

const decoders: Readonly<Record<OutputForm, Decoder>> = {
  classes: (values, _dims, leastScores, { width, height }) => {
    const whole = { left: 0, top: 0, right: width, bottom: height };
    return Array.from(values, (score, classIndex) =>
      checked({ ...whole, score, classIndex }),
    ).filter(({ score, classIndex }) => score >= (leastScores[classIndex] ?? 1));
  },
  columns: (values, dims, leastScores) => {
    const boxes = dims[2] ?? 0;
    return collect(boxes, leastScores, {
      place: (row, box) => values[row * boxes + box] ?? Number.NaN,
      scores: (box, classIndex) => values[(4 + classIndex) * boxes + box] ?? Number.NaN,
    });
  },
  rows: (values, dims, leastScores) => {
    const [, boxes = 0, width = 0] = dims;
    return collect(boxes, leastScores, {
      place: (column, box) => values[box * width + column] ?? Number.NaN,
      scores: (box, classIndex) =>
        (values[box * width + 4] ?? Number.NaN) *
        (values[box * width + 5 + classIndex] ?? Number.NaN),
    });
  },
  final: (values, dims, leastScores) => {
    const found: Candidate[] = [];
    for (let box = 0; box < (dims[1] ?? 0); box++) {
      const row = values.subarray(box * 6, box * 6 + 6);
      const [left = 0, top = 0, right = 0, bottom = 0, score = 0, classNumber = -1] = row;
      const classIndex = Math.round(classNumber);
      const least = leastScores[classIndex];
      // Rows that are not needed are filled up with whatever the exporter likes.
      if (least === undefined || score < least || score === 0) continue;
      found.push(checked({ left, top, right, bottom, score, classIndex }));
    }
    return found;
  },
};

interface Cells {
  /** Centre x, centre y, width, height of a box: 0 to 3. */
  place(which: number, box: number): number;
  scores(box: number, classIndex: number): number;
}

/** A box is of the class with the best score. */
function collect(boxes: number, leastScores: readonly number[], cells: Cells): Candidate[] {
  const found: Candidate[] = [];
  for (let box = 0; box < boxes; box++) {
    let [classIndex, score] = [0, cells.scores(box, 0)];
    for (let other = 1; other < leastScores.length; other++) {
      const otherScore = cells.scores(box, other);
      if (otherScore > score) [classIndex, score] = [other, otherScore];
    }
    if (score < (leastScores[classIndex] ?? 1) || score === 0) continue;
    const [x, y] = [cells.place(0, box), cells.place(1, box)];
    const [halfWidth, halfHeight] = [cells.place(2, box) / 2, cells.place(3, box) / 2];
    const [left, right] = [x - halfWidth, x + halfWidth];
    const [top, bottom] = [y - halfHeight, y + halfHeight];
    found.push(checked({ left, top, right, bottom, score, classIndex }));
  }
  return found;
}

/** What floating point may add to a sum of 1. */
const scoreMax = 1.001;

/** A score that is none would look like a label: better no answer than an invented one. */
function checked(candidate: Candidate): Candidate {
  const { left, top, right, bottom, score } = candidate;
  if (score >= 0 && score <= scoreMax && Number.isFinite(left + top + right + bottom)) {
    return score > 1 ? { ...candidate, score: 1 } : candidate;
  }
  throw new FoveaError('upstream_failed', 'The model gave scores or boxes that are no such.', {
    hint: 'Scores must lie from 0 to 1 and boxes be finite: export it with its sigmoid or softmax.',
    retry: 'never',
  });
}
