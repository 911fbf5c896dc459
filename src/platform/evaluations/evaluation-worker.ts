// The thread of one evaluation.

import { parentPort } from 'node:worker_threads';
import { tidy } from '../../annotations/box-geometry.ts';
import type { EvaluableTask } from '../../contract/evaluations.ts';
import { asFoveaError } from '../../errors.ts';
import { detectionsMax } from '../../evaluation/average-precision.ts';
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
import { type Sigmas, sigmasOf, sigmaWords } from '../../evaluation/keypoints/keypoint-sigmas.ts';
import type { KeypointNumbers } from '../../evaluation/keypoints/keypoint-similarity.ts';
import { type LabelMistake, labelMistakes } from '../../evaluation/label-mistakes.ts';
import { checkComparisons } from '../../evaluation/masks/comparison-bound.ts';
import { boxOfMask, sketchOf } from '../../evaluation/masks/mask.ts';
import { createMaskReader, type MaskReader } from '../../evaluation/masks/mask-reader.ts';
import type { Predictions } from '../../evaluation/read-predictions.ts';
import { noKnownClass, noKnownImage } from '../../evaluation/unknown-names.ts';
import { limits } from '../../limits.ts';
import type { FoundMistake } from '../store/evaluations.ts';
import type {
  EvaluationAnswer,
  EvaluationQuestion,
  FormQuestion,
  FromEvaluationThread,
  JudgedBy,
} from './evaluation-thread.ts';
import { judgePixels } from './judge-pixels.ts';
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

/** What is read is the form, and which images and classes are meant. */
function formAnswer({ form, ...given }: FormQuestion): FromEvaluationThread {
  const { text, isNumbered } = form;
  const { classes, namedImages: images } = given;
  const read = readPredictionText(text, { ...given, images: [], isNumbered });
  const known = { classes, images, isNumbered };
  const { onlyUnknownImages, onlyUnknownClasses } = read;
  if (onlyUnknownImages.length > 0) throw noKnownImage(onlyUnknownImages, known);
  if (classes.length > 0 && onlyUnknownClasses.length > 0)
    throw noKnownClass(onlyUnknownClasses, known);
  return { kind: 'wellFormed' };
}

function answer(question: EvaluationQuestion): EvaluationAnswer {
  const { classes, predictions } = question;
  const read =
    predictions &&
    readPredictionText(predictions.text, { ...question, isNumbered: predictions.isNumbered });
  if (question.modelTask === 'semantic') return pixelAnswer(question, read);
  const masks = createMaskReader();
  const sigmas = (question.keypointNames ?? []).map(sigmasOf);
  const images = question.images.map((image, place) => ({
    ...image,
    groundTruths: image.groundTruths.map((one) =>
      labelWithShape(masks, one, image, sigmas[one.classIndex]?.values),
    ),
    detections: read?.detections[place] ?? detectionsWithShapes(masks, image, question.modelTask),
  }));
  if (question.modelTask === 'segmentation') checkComparisons(images);
  const { evaluation, shown, mistakes } = judge(question, images);
  const { confidence } = evaluation.figures;
  return {
    kind: 'evaluated',
    ...evaluation,
    judgedBy: judgedBy(question, sigmas),
    boxes: shown.map((image) => boxesOf(image, classes, confidence)),
    mistakes: mistakes.map((some, place) =>
      some.slice(0, limits.labelMistakesOfImageMax).map((one) => kept(one, classes, images[place])),
    ),
    unknown: read && { unknownImages: read.unknownImages, unknownClasses: read.unknownClasses },
    fit: read && fitOfTask(question.modelTask, images),
  };
}

function pixelAnswer(
  question: EvaluationQuestion,
  read: Predictions | undefined,
): EvaluationAnswer {
  const { evaluation, boxes } = judgePixels(question, read?.detections);
  const objects = `by objects from confidence ${evaluation.figures.confidence}`;
  return {
    kind: 'evaluated',
    ...evaluation,
    judgedBy: `class of each pixel, ${isOfPixels(question) ? 'as the model gives it' : objects}`,
    boxes,
    mistakes: boxes.map(() => []),
    unknown: read && { unknownImages: read.unknownImages, unknownClasses: read.unknownClasses },
    fit: undefined,
  };
}

/** Where a model gives no objects, but all pixels of each class. */
function isOfPixels({ images, predictions }: EvaluationQuestion): boolean {
  return predictions === undefined && images.every(({ shapes }) => shapes === undefined);
}

/** A class is of its whole image, and always lies on the label. */
function fitOfTask(modelTask: EvaluableTask, images: readonly EvaluatedImage[]): Fit {
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
  const most = detectionsMax[modelTask === 'keypoints' ? 'ofKeypoints' : 'ofRegions'];
  const evaluation = evaluate(images.map(inOriginal), classes, confidence, { most });
  const mistakes = labelMistakes(images, evaluation.figures.confidence);
  return { evaluation, shown: images, mistakes };
}

/** In words, what makes a detection right. */
function judgedBy(
  { modelTask, classes, keypointNames = [] }: EvaluationQuestion,
  sigmas: readonly Sigmas[],
): string {
  const named = sigmas.flatMap(({ areOfCoco }, place) =>
    keypointNames[place]?.length === 0 ? [] : [{ name: classes[place] ?? '', areOfCoco }],
  );
  const words = {
    detection: 'IoU of boxes',
    segmentation: 'IoU of masks',
    keypoints: `OKS with ${sigmaWords(named)}`,
    classification: 'classes',
    semantic: 'class of each pixel',
  } as const satisfies Record<EvaluableTask, string>;
  return words[modelTask];
}

/** The same label with its mask, where it has an outline; with sigmas, where it has keypoints. */
function labelWithShape(
  masks: MaskReader,
  { outline, ...label }: LabelledShape,
  size: JudgedBy,
  sigmas: readonly number[] | undefined,
): GroundTruth {
  if (outline === undefined) return label.keypoints ? { ...label, sigmas } : label;
  const mask = masks.ofOutline(outline, size);
  return { ...label, ...boxOfMask(mask), mask, labelled: label };
}

/** What a model found in an image. */
function detectionsWithShapes(
  masks: MaskReader,
  image: JudgedBy,
  modelTask: EvaluableTask,
): readonly Detection[] {
  const { detections, shapes } = image;
  if (shapes === undefined) return detections;
  return detections.map((detection, place) => {
    const numbers = shapeAt(shapes, place);
    if (modelTask === 'keypoints') return { ...detection, keypoints: numbers };
    const mask = masks.ofOutline(numbers, image);
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

/** A score as it is shown: what is shown as 0.2 is found from 0.2 on. */
function kept(
  { kind, score, label, instead }: LabelMistake,
  classes: readonly string[],
  image: Size | undefined,
) {
  const inside = image === undefined || kind === 'duplicate' ? instead : within(image, instead);
  const boxes = { labelBox: label && drawn(label, classes), box: drawn(inside, classes) };
  return {
    kind,
    score: Math.round(score * 100) / 100,
    label: label && (classes[label.classIndex] ?? ''),
    found: classes[instead.classIndex] ?? '',
    boxes: JSON.stringify(boxes),
  } satisfies FoundMistake;
}

type Size = Pick<JudgedBy, 'width' | 'height'>;

/** Models find boxes that reach beyond the image, which no label should. */
function within({ width, height }: Size, one: GroundTruth | Detection): GroundTruth | Detection {
  if (one.mask || one.keypoints) return one;
  const [left, top] = [Math.max(0, one.left), Math.max(0, one.top)];
  const right = Math.min(width, one.left + one.width);
  const bottom = Math.min(height, one.top + one.height);
  if (right <= left || bottom <= top) return one;
  return { ...one, left, top, width: right - left, height: bottom - top };
}

/** Labels as they were labelled: by that they are known again. */
function drawn(one: GroundTruth | Detection, classes: readonly string[]) {
  const { classIndex, mask, keypoints } = one;
  const { left, top, width, height } = ('labelled' in one ? one.labelled : undefined) ?? one;
  return {
    label: classes[classIndex] ?? '',
    x: tidy(left + width / 2),
    y: tidy(top + height / 2),
    width: tidy(width),
    height: tidy(height),
    ...(mask && { points: sketchOf(mask) }),
    ...(keypoints && { keypoints: seenOf(keypoints) }),
  };
}

/** How sure of it a model is does not matter here, as in the figures. */
function seenOf(keypoints: KeypointNumbers) {
  const seen: { readonly x: number; readonly y: number }[] = [];
  for (let at = 0; at + 2 < keypoints.length; at += 3) {
    const [x = 0, y = 0, visibility = 0] = [keypoints[at], keypoints[at + 1], keypoints[at + 2]];
    if (visibility > 0) seen.push({ x: tidy(x), y: tidy(y) });
  }
  return seen;
}

function inOriginal({ groundTruths, detections, scale }: EvaluatedImage & { scale: number }) {
  const scaled = ({ left, top, width, height, area, keypoints }: Shape) => ({
    left: left * scale,
    top: top * scale,
    width: width * scale,
    height: height * scale,
    ...(area !== undefined && { area: area * scale * scale }),
    ...(keypoints && {
      keypoints: Array.from(keypoints, (value, at) => (at % 3 === 2 ? value : value * scale)),
    }),
  });
  return {
    groundTruths: groundTruths.map((one) => ({ ...one, ...scaled(one) })),
    detections: detections.map((one) => ({ ...one, ...scaled(one) })),
  };
}

function send(message: FromEvaluationThread): void {
  port?.postMessage(message);
}
