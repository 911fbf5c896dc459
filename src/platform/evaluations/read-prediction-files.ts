// Predictions in many files, one for each image, as entries of COCO results: YOLO text with
// confidences, and Pascal VOC with a score for each object.

import { parsePlainXml } from '../../annotation-formats/plain-xml.ts';
import { type FoveaError, invalidArgument } from '../../errors.ts';
import {
  imageFinder,
  type JudgedBy,
  type Predictions,
  readEntries,
  readPredictions,
  stemOf,
} from '../../evaluation/read-predictions.ts';
import { isJsonObject, type JsonObject } from '../../json-object.ts';
import { quotedName } from '../../quoted-name.ts';

interface Judged extends JudgedBy {
  readonly images: readonly {
    readonly name: string;
    readonly id?: string | undefined;
    readonly width: number;
    readonly height: number;
  }[];
}

/** Also a file as `readPredictions` takes it. Throws `invalid_input` with the file and line. */
export function readPredictionText(text: string, judged: Judged): Predictions {
  if (!text.startsWith('{"files":')) return readPredictions(text, judged);
  const { files, classes } = Object(JSON.parse(text));
  const entries: unknown[] = [];
  const findImage = imageFinder(judged, []);
  for (const file of Array.isArray(files) ? files.filter(isJsonObject) : []) {
    const [name, content] = [String(file.name), String(file.text)];
    if (/\.xml$/i.test(name)) entries.push(...readVoc(name, content));
    else {
      const size = judged.images[findImage(stemOf(name)) ?? -1];
      const classNames = isJsonObject(classes) ? classes : {};
      entries.push(...readYolo({ name, text: content, size }, classNames, judged.isNumbered));
    }
  }
  return readEntries(entries, judged);
}

interface YoloFile {
  readonly name: string;
  readonly text: string;
  /** Undefined: the image is not judged. */
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

/** A line is `class x y width height confidence`, in shares of the image. */
function readYolo({ name, text, size }: YoloFile, classes: JsonObject, isNumbered: boolean) {
  const image = stemOf(name);
  const { width: across = 1, height: down = 1 } = size ?? {};
  return text.split('\n').flatMap((line, index) => {
    const words = line.trim().split(/\s+/);
    if (line.trim() === '') return [];
    const [number = 0, x = 0, y = 0, width = 0, height = 0, score = 0] = words.map(Number);
    if (words.length === 5) {
      throw wrong(name, index, 'has no confidence: let the trainer write it (save_conf=True)');
    }
    if (words.length !== 6 || [number, x, y, width, height, score].some(Number.isNaN)) {
      throw wrong(name, index, 'must be: class x y width height confidence');
    }
    const label = classes[String(number)] ?? (isNumbered ? number + 1 : undefined);
    if (label === undefined) {
      throw wrong(name, index, `has the class ${number}: give a classes.txt or data.yaml with it`);
    }
    const bbox = [(x - width / 2) * across, (y - height / 2) * down, width * across, height * down];
    return [{ image_id: image, category_id: label, bbox, score }];
  });
}

function readVoc(name: string, text: string) {
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
    return { image_id: stemOf(name), category_id: String(label), bbox, score: given };
  });
}

function wrong(name: string, index: number | undefined, problem: string): FoveaError {
  const line = index === undefined ? '' : `, line ${index + 1},`;
  return invalidArgument('predictions', `${quotedName(name)}${line} ${problem}`);
}
