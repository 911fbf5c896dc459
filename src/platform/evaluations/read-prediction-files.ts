// Predictions in many files, one for each image, as entries of COCO results: YOLO text with
// confidences, and Pascal VOC with a score for each object.

import { parsePlainXml } from '../../annotation-formats/plain-xml.ts';
import { type EvaluableTask, judgedThings } from '../../contract/evaluations.ts';
import { type FoveaError, invalidArgument } from '../../errors.ts';
import { findImages, nameWithoutExtension } from '../../evaluation/find-images.ts';
import { parsePredictions } from '../../evaluation/parse-predictions.ts';
import {
  type JudgedBy,
  type Predictions,
  readEntries,
  readPredictions,
} from '../../evaluation/read-predictions.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { quotedName } from '../../quoted-name.ts';
import { isOutlined } from './evaluable-project-type.ts';

/** Also a file as `readPredictions` takes it. Throws `invalid_input` with the file and line. */
export function readPredictionText(text: string, judged: JudgedBy): Predictions {
  if (!text.startsWith('{"files":')) return readPredictions(text, judged);
  const { files, classes } = Object(parsePredictions(text));
  const entries: unknown[] = [];
  const objects = Array.isArray(files) ? files.filter(isJsonObject) : [];
  const found = findImages(
    judged,
    objects.map(({ name }) => nameWithoutExtension(String(name))),
  );
  for (const file of objects) {
    const [name, content] = [String(file.name), String(file.text)];
    if (/\.xml$/i.test(name)) entries.push(...readVoc(name, content, judged.modelTask));
    else if (judged.modelTask === 'classification') entries.push(...readClasses(name, content));
    else {
      const place = found.get(nameWithoutExtension(name));
      const size = typeof place === 'number' ? judged.images[place] : undefined;
      const classNames = isJsonObject(classes) ? classes : {};
      entries.push(...readYolo({ name, text: content, size }, classNames, judged));
    }
  }
  return readEntries(entries, judged);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface YoloFile {
  readonly name: string;
  readonly text: string;
  /** Undefined: the image is not judged. */
  readonly size: Size | undefined;
}

/** A line is a class, then a box or an outline in shares of the image, then the confidence. */
function readYolo(
  { name, text, size }: YoloFile,
  classes: JsonObject,
  { isNumbered, modelTask, classes: judgedClasses, keypointNames }: JudgedBy,
) {
  const image = nameWithoutExtension(name);
  const { width: across = 1, height: down = 1 } = size ?? {};
  return text.split('\n').flatMap((line, index) => {
    const words = line.trim().split(/\s+/);
    if (line.trim() === '') return [];
    const [number = 0, ...shares] = words.map(Number);
    const score = shares.pop() ?? 0;
    const problem = problemOf(shares.length, modelTask);
    if (problem !== undefined) throw wrong(name, index, problem);
    if ([number, score, ...shares].some(Number.isNaN))
      throw wrong(name, index, yoloLines[modelTask]);
    if (shares.some((share) => Math.abs(share) > limits.boxShareMax)) {
      throw wrong(name, index, 'has pixels: YOLO has shares of the image, 0 to 1');
    }
    const label = classes[String(number)] ?? (isNumbered ? number + 1 : undefined);
    if (label === undefined) {
      throw wrong(name, index, `has the class ${number}: give a classes.txt or data.yaml with it`);
    }
    const place = typeof label === 'number' ? label - 1 : judgedClasses.indexOf(String(label));
    const keypoints = keypointNames?.[place]?.length ?? 0;
    const shape = shapeOf(shares, { width: across, height: down }, modelTask, keypoints);
    return [{ image_id: image, category_id: label, score, ...shape }];
  });
}

function shapeOf(
  shares: readonly number[],
  { width: across, height: down }: Size,
  modelTask: EvaluableTask,
  keypoints: number,
): JsonObject {
  if (isOutlined(modelTask)) {
    const outline = shares.map((share, at) => share * (at % 2 === 0 ? across : down));
    return { segmentation: [outline] };
  }
  const [x = 0, y = 0, width = 0, height = 0, ...points] = shares;
  const bbox = [(x - width / 2) * across, (y - height / 2) * down, width * across, height * down];
  if (modelTask !== 'keypoints') return { bbox };
  return { bbox, keypoints: keypointsOf(points, { width: across, height: down }, keypoints) };
}

/** Each has x and y, or x, y and how sure it is: what fits the number of keypoints. */
function keypointsOf(points: readonly number[], { width, height }: Size, count: number) {
  const isSure = count > 0 ? points.length === count * 3 : points.length % 3 === 0;
  const step = isSure ? 3 : 2;
  const triples: number[] = [];
  for (let at = 0; at < points.length; at += step) {
    const [x = 0, y = 0, visibility = 2] = points.slice(at, at + step);
    triples.push(x * width, y * height, visibility);
  }
  return triples;
}

const yoloLines = {
  detection: 'must be: class x y width height confidence',
  segmentation: 'must be: class x y x y … confidence',
  semantic: 'must be: class x y x y … confidence',
  keypoints: 'must be: class x y width height, x y visibility of each keypoint, confidence',
  classification: 'must be: confidence class',
} as const satisfies Record<EvaluableTask, string>;

/** `shares`: numbers between the class and the confidence. */
function problemOf(shares: number, modelTask: EvaluableTask): string | undefined {
  if (modelTask === 'keypoints') {
    const isWhole = shares > 4 && ((shares - 4) % 3 === 0 || shares % 2 === 0);
    return isWhole ? undefined : yoloLines.keypoints;
  }
  const isOutline = isOutlined(modelTask) && shares >= 5;
  const lacksOne = isOutline ? shares % 2 === 1 : shares === 3;
  if (lacksOne) return 'has no confidence: let the trainer write it (save_conf=True)';
  return (isOutlined(modelTask) ? shares >= 6 : shares === 4) ? undefined : yoloLines[modelTask];
}

/** A line is a confidence and the name of a class. */
function readClasses(name: string, text: string) {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const [, number, label] = /^\s*(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    const score = Number(number ?? Number.NaN);
    if (Number.isNaN(score)) throw wrong(name, index, yoloLines.classification);
    return [{ image_id: nameWithoutExtension(name), category_id: label, score }];
  });
}

function readVoc(name: string, text: string, modelTask: EvaluableTask) {
  if (modelTask !== 'detection') {
    throw wrong(
      name,
      undefined,
      `has boxes alone, and ${judgedThings[modelTask]} are judged: give COCO results`,
    );
  }
  const root = parsePlainXml(text, (element, depth) => element === 'object' && depth === 2);
  const { annotation } = root ?? {};
  if (!isJsonObject(annotation)) throw wrong(name, undefined, 'is no plain Pascal VOC file');
  const objects: readonly unknown[] = Array.isArray(annotation.object) ? annotation.object : [];
  return objects.filter(isJsonObject).map(({ name: label, bndbox, score, confidence }, index) => {
    const { xmin, ymin, xmax, ymax } = isJsonObject(bndbox) ? bndbox : {};
    const [left, top, right, bottom] = [xmin, ymin, xmax, ymax].map(Number);
    const given = Number(score ?? confidence ?? Number.NaN);
    if (Number.isNaN(given)) {
      throw wrong(name, undefined, `has no score of object ${index + 1}: <score>0.9</score>`);
    }
    const bbox = [left, top, Number(right) - Number(left), Number(bottom) - Number(top)];
    return { image_id: nameWithoutExtension(name), category_id: String(label), bbox, score: given };
  });
}

function wrong(name: string, index: number | undefined, problem: string): FoveaError {
  const line = index === undefined ? '' : `, line ${index + 1},`;
  return invalidArgument('predictions', `${quotedName(name)}${line} ${problem}`);
}
