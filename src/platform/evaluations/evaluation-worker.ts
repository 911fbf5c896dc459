// The thread of one evaluation.

import { parentPort } from 'node:worker_threads';
import { tidy } from '../../annotations/box-geometry.ts';
import type { JudgedTask } from '../../contract/evaluations.ts';
import { asFoveaError } from '../../errors.ts';
import { classMistakes } from '../../evaluation/class-mistakes.ts';
import { answered, evaluateClasses } from '../../evaluation/classification.ts';
import type {
  Detection,
  EvaluatedImage,
  GroundTruth,
  Shape,
} from '../../evaluation/evaluated-image.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { type Fit, fitOf } from '../../evaluation/fit-of-predictions.ts';
import { type LabelMistake, labelMistakes } from '../../evaluation/label-mistakes.ts';
import { checkComparisons } from '../../evaluation/masks/comparison-bound.ts';
import { boxOfMask, sketchOf } from '../../evaluation/masks/mask.ts';
import { createMaskReader, type MaskReader } from '../../evaluation/masks/mask-reader.ts';
import { limits } from '../../limits.ts';
import type { FoundMistake } from '../store/evaluations.ts';
import type {
  EvaluationAnswer,
  EvaluationQuestion,
  FormQuestion,
  FromEvaluationThread,
  JudgedBy,
} from './evaluation-thread.ts';
import type { LabelledShape } from './judged-images.ts';
import { shapeAt } from './packed-shapes.ts';
import { readPredictionText } from './read-prediction-files.ts';

const port = parentPort;
if (port === null) throw new Error('evaluation-worker runs in a thread of evaluation-thread.ts');

port.on('message', (question: EvaluationQuestion | FormQuestion) => {
  try {
    send('form' in question ? formAnswer(question) : answer(question));
  } catch (thrown) {
    const { code, message, hint, problems } = asFoveaError(thrown);
    send({ kind: 'refused', code, message, hint, problems });
  }
});
send({ kind: 'ready' });

/** Without images, what is read is the form alone. */
function formAnswer({ modelTask, form }: FormQuestion): FromEvaluationThread {
  readPredictionText(form.text, {
    modelTask,
    images: [],
    classes: [],
    isNumbered: form.isNumbered,
  });
  return { kind: 'wellFormed' };
}

function answer(question: EvaluationQuestion): EvaluationAnswer {
  const { classes, predictions } = question;
  const read =
    predictions &&
    readPredictionText(predictions.text, { ...question, isNumbered: predictions.isNumbered });
  const masks = createMaskReader();
  const images = question.images.map((image, place) => ({
    ...image,
    groundTruths: image.groundTruths.map((one) => labelWithMask(masks, one, image)),
    detections: read?.detections[place] ?? detectionsWithMasks(masks, image),
  }));
  if (question.modelTask === 'segmentation') checkComparisons(images);
  const { evaluation, shown, mistakes } = judge(question, images);
  const { confidence } = evaluation.figures;
  return {
    kind: 'evaluated',
    ...evaluation,
    boxes: shown.map((image) => boxesOf(image, classes, confidence)),
    mistakes: mistakes.map((some) =>
      some.slice(0, limits.labelMistakesOfImageMax).map((one) => kept(one, classes)),
    ),
    unknown: read && { unknownImages: read.unknownImages, unknownClasses: read.unknownClasses },
    fit: read && fitOfTask(question.modelTask, images),
  };
}

/** A class is of its whole image, and always lies on the label. */
function fitOfTask(modelTask: JudgedTask, images: readonly EvaluatedImage[]): Fit {
  const fit = fitOf(images);
  return modelTask === 'classification' ? { images: fit.images, surest: 0, onLabels: 0 } : fit;
}

/** `shown`: what counts of each image; of a single label the surest class. */
function judge(
  { modelTask, isSingleLabel, classes, confidence }: EvaluationQuestion,
  images: readonly (EvaluatedImage & { readonly scale: number })[],
) {
  if (modelTask === 'classification') {
    const settings = { confidence, isSingleLabel };
    const evaluation = evaluateClasses(images, classes, settings);
    return {
      evaluation,
      shown: images.map((image) => answered(image, settings)),
      mistakes: classMistakes(images, evaluation.figures.confidence, settings),
    };
  }
  const evaluation = evaluate(images.map(inOriginal), classes, confidence);
  const mistakes = labelMistakes(images, evaluation.figures.confidence);
  return { evaluation, shown: images, mistakes };
}

/** The same label with its mask, where it has an outline. */
function labelWithMask(
  masks: MaskReader,
  { outline, ...label }: LabelledShape,
  size: JudgedBy,
): GroundTruth {
  if (outline === undefined) return label;
  const mask = masks.ofOutline(outline, size);
  return { ...label, ...boxOfMask(mask), mask, labelled: label };
}

/** What a model found in an image. */
function detectionsWithMasks(masks: MaskReader, image: JudgedBy): readonly Detection[] {
  const { detections, outlines } = image;
  if (outlines === undefined) return detections;
  return detections.map((detection, place) => {
    const mask = masks.ofOutline(shapeAt(outlines, place), image);
    return { ...detection, ...boxOfMask(mask), mask, area: mask.pixels };
  });
}

/** As `inference_draw` takes them. */
function boxesOf(
  { groundTruths, detections }: EvaluatedImage,
  classes: readonly string[],
  confidence: number,
): string {
  const found = detections
    .filter(({ score }) => score >= confidence)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limits.drawnBoxesMax)
    .map((one) => ({ ...drawn(one, classes), confidence: tidy(one.score) }));
  const labelled = groundTruths.slice(0, limits.drawnBoxesMax).map((one) => drawn(one, classes));
  return JSON.stringify({ labelled, found });
}

function kept({ kind, score, label, instead }: LabelMistake, classes: readonly string[]) {
  const boxes = { labelBox: label && drawn(label, classes), box: drawn(instead, classes) };
  return {
    kind,
    score,
    label: label && (classes[label.classIndex] ?? ''),
    found: classes[instead.classIndex] ?? '',
    boxes: JSON.stringify(boxes),
  } satisfies FoundMistake;
}

/** Labels as they were labelled: by that they are known again. */
function drawn(one: GroundTruth | Detection, classes: readonly string[]) {
  const { classIndex, mask } = one;
  const { left, top, width, height } = ('labelled' in one ? one.labelled : undefined) ?? one;
  return {
    label: classes[classIndex] ?? '',
    x: tidy(left + width / 2),
    y: tidy(top + height / 2),
    width: tidy(width),
    height: tidy(height),
    ...(mask && { points: sketchOf(mask) }),
  };
}

function inOriginal({ groundTruths, detections, scale }: EvaluatedImage & { scale: number }) {
  const scaled = ({ left, top, width, height, area }: Shape) => ({
    left: left * scale,
    top: top * scale,
    width: width * scale,
    height: height * scale,
    ...(area !== undefined && { area: area * scale * scale }),
  });
  return {
    groundTruths: groundTruths.map((one) => ({ ...one, ...scaled(one) })),
    detections: detections.map((one) => ({ ...one, ...scaled(one) })),
  };
}

function send(message: FromEvaluationThread): void {
  port?.postMessage(message);
}
