// From the numbers that a model gives to boxes, or to classes of the whole image.

import type { Candidate } from '../annotations/non-maximum-suppression.ts';
import type { Size } from '../imaging/letterbox-resize.ts';
import { limits } from '../limits.ts';
import { type BoxLayout, type OutputForm, wrongNumbers } from './model-layout.ts';
import type { Tensor } from './onnx-session.ts';

/** A box in pixels of the canvas. */
export interface DecodedBox extends Candidate {
  /** Its number among those of the output, by which what belongs to it is found. */
  readonly place: number;
}

/** Boxes whose score reaches the least of their class; at most `modelCandidatesMax`, the best. */
export function decodeOutput(
  outputs: readonly Tensor[],
  { form, extras, firstClass }: BoxLayout,
  leastScores: readonly number[],
  canvas: Size,
): readonly DecodedBox[] {
  const found = decoders[form]({ outputs, extras, firstClass, leastScores, canvas });
  if (found.length <= limits.modelCandidatesMax) return found;
  found.sort((one, other) => other.score - one.score);
  return found.slice(0, limits.modelCandidatesMax);
}

/** The numbers behind the classes of a box. */
export function extrasOf(
  { values, dims }: Tensor,
  { form, extras }: BoxLayout,
  place: number,
): Float32Array {
  const [, second = 0, third = 0] = dims;
  if (form !== 'columns') return values.subarray((place + 1) * third - extras, (place + 1) * third);
  return Float32Array.from(
    { length: extras },
    (_, at) => values[(second - extras + at) * third + place] ?? Number.NaN,
  );
}

interface Given {
  readonly outputs: readonly Tensor[];
  readonly extras: number;
  readonly firstClass: number;
  readonly leastScores: readonly number[];
  readonly canvas: Size;
}

const nothing: Tensor = { values: new Float32Array(0), dims: [] };

const decoders: Readonly<Record<OutputForm, (given: Given) => DecodedBox[]>> = {
  classes: ({ outputs: [{ values } = nothing], leastScores, canvas: { width, height } }) => {
    const whole = { left: 0, top: 0, right: width, bottom: height };
    return Array.from(values, (score, classIndex) =>
      checked({ ...whole, score, classIndex, place: classIndex }),
    ).filter(({ score, classIndex }) => score >= (leastScores[classIndex] ?? 1));
  },
  columns: ({ outputs: [{ values, dims } = nothing], leastScores }) => {
    const boxes = dims[2] ?? 0;
    return collect(boxes, leastScores, {
      place: (row, box) => values[row * boxes + box] ?? Number.NaN,
      scores: (box, classIndex) => values[(4 + classIndex) * boxes + box] ?? Number.NaN,
    });
  },
  rows: ({ outputs: [{ values, dims } = nothing], leastScores }) => {
    const [, boxes = 0, width = 0] = dims;
    return collect(boxes, leastScores, {
      place: (column, box) => values[box * width + column] ?? Number.NaN,
      scores: (box, classIndex) =>
        (values[box * width + 4] ?? Number.NaN) *
        (values[box * width + 5 + classIndex] ?? Number.NaN),
    });
  },
  final: ({ outputs: [{ values, dims } = nothing], leastScores }) => {
    const [, boxes = 0, width = 0] = dims;
    const found: DecodedBox[] = [];
    for (let place = 0; place < boxes; place++) {
      const row = values.subarray(place * width, place * width + 6);
      const [left = 0, top = 0, right = 0, bottom = 0, score = 0, classNumber = -1] = row;
      const classIndex = Math.round(classNumber);
      // RT-DETR of two classes has this shape too: two scores stand here, and no class.
      if (isProbable(score) && classIndex !== classNumber) throw noClassNumber(classNumber);
      const least = leastScores[classIndex];
      // Rows that are not needed are filled up with whatever the exporter likes.
      if (least === undefined || score < least || score === 0) continue;
      found.push(checked({ left, top, right, bottom, score, classIndex, place }));
    }
    return found;
  },
  queries: ({ outputs: [boxes = nothing, labels = nothing], leastScores, canvas }) => {
    const [, count = 0, width = 0] = labels.dims;
    return collect(count, leastScores, {
      place: (which, box) =>
        (boxes.values[box * 4 + which] ?? Number.NaN) *
        (which % 2 === 0 ? canvas.width : canvas.height),
      scores: (box, classIndex) =>
        1 / (1 + Math.exp(-(labels.values[box * width + classIndex] ?? Number.NaN))),
    });
  },
  separate: ({ outputs, leastScores, firstClass }) => {
    const [{ values: corners, dims } = nothing, labels = nothing, scores = nothing] = outputs;
    const found: DecodedBox[] = [];
    for (let place = 0; place < (dims[0] ?? 0); place++) {
      const score = scores.values[place] ?? Number.NaN;
      const label = labels.values[place] ?? Number.NaN;
      // The background is 0, and is not always among the names.
      const classIndex = label - 1 + firstClass;
      // FCOS and RetinaNet have a score for it too.
      if (firstClass === 1 && label === 0) continue;
      const least = leastScores[classIndex];
      if (least === undefined) throw wrongLabel(label, leastScores.length - firstClass);
      const [left = 0, top = 0, right = 0, bottom = 0] = corners.subarray(place * 4, place * 4 + 4);
      const box = checked({ left, top, right, bottom, score, classIndex, place });
      if (score >= least && score > 0) found.push(box);
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
function collect(boxes: number, leastScores: readonly number[], cells: Cells): DecodedBox[] {
  const found: DecodedBox[] = [];
  for (let box = 0; box < boxes; box++) {
    let [classIndex, score] = [0, cells.scores(box, 0)];
    for (let other = 1; other < leastScores.length; other++) {
      const otherScore = cells.scores(box, other);
      if (otherScore > score) [classIndex, score] = [other, otherScore];
    }
    if (score < (leastScores[classIndex] ?? 1) || score === 0) {
      if (score < scoreMin) throw wrongScore(score);
      continue;
    }
    const [x, y] = [cells.place(0, box), cells.place(1, box)];
    const [halfWidth, halfHeight] = [cells.place(2, box) / 2, cells.place(3, box) / 2];
    const [left, right] = [x - halfWidth, x + halfWidth];
    const [top, bottom] = [y - halfHeight, y + halfHeight];
    found.push(checked({ left, top, right, bottom, score, classIndex, place: box }));
  }
  return found;
}

/** What floating point may add to a sum of 1, or take from 0. */
const [scoreMin, scoreMax] = [-0.001, 1.001];

export function isScore(value: number): boolean {
  return value >= scoreMin && value <= scoreMax;
}

/** A score that is none would look like a label: better no answer than an invented one. */
function checked(box: DecodedBox): DecodedBox {
  const { left, top, right, bottom, score } = box;
  if (!isScore(score)) throw wrongScore(score);
  if (!Number.isFinite(left + top + right + bottom)) {
    throw wrongNumbers(
      'boxes whose places are no numbers',
      'Run it elsewhere on the same image; exports in half precision may overflow.',
    );
  }
  return score < 0 || score > 1 ? { ...box, score: Math.round(score) } : box;
}

function wrongScore(score: number) {
  if (Number.isNaN(score)) {
    return wrongNumbers(
      'scores that are no numbers (NaN)',
      'Run it elsewhere on the same image; exports in half precision may overflow.',
    );
  }
  return wrongNumbers(
    `a score of ${Number(score.toPrecision(4))}, and scores lie from 0 to 1`,
    'They may be raw numbers (logits): export it with its sigmoid or softmax.',
  );
}

/** Rows that are not needed have no such score. */
function isProbable(score: number): boolean {
  return score > 0 && score <= scoreMax;
}

function noClassNumber(given: number) {
  return wrongNumbers(
    `${Number(given.toPrecision(4))} as the number of a class, which is no whole number`,
    'Known as [1, boxes, 6] are two corners, score and class; RT-DETR, which gives a score for ' +
      'each class there, does not run here.',
  );
}

function wrongLabel(label: number, count: number) {
  return wrongNumbers(
    `the class number ${label}, and its ${count} names have the numbers 1 to ${count}`,
    'Name all of its classes, in their order; 0 is the background, and may be named so.',
  );
}
