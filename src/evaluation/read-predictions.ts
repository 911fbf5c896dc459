// Predictions in a file: results as COCO has them, or a COCO dataset whose annotations have scores.

import type { EvaluableTask } from '../contract/evaluations.ts';
import { invalidArgument } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import { quotedName } from '../quoted-name.ts';
import { requirePixelCoordinates } from './coordinates-in-pixels.ts';
import type { Detection } from './evaluated-image.ts';
import { findImages, type NamedImage } from './find-images.ts';
import { parsePredictions } from './parse-predictions.ts';
import { shapeReader, wrongEntry } from './read-shape.ts';

export interface JudgedBy {
  readonly modelTask: EvaluableTask;
  readonly images: readonly NamedImage[];
  readonly classes: readonly string[];
  /** Where the form alone is read: what those are called that are to be judged. */
  readonly namedImages?: readonly NamedImage[];
  /** Whether a number stands for the place of an image or class from 1, as in a COCO export. */
  readonly isNumbered: boolean;
  /** Where keypoints are judged, those of each class. */
  readonly keypointNames?: readonly (readonly string[])[] | undefined;
}

/** What is not judged. */
export interface UnknownNames {
  /** How many are of images that are not judged, and what some of these are called. */
  readonly unknownImages: { readonly count: number; readonly examples: readonly string[] };
  /** Classes that are not among the labels, with the number of their predictions. */
  readonly unknownClasses: Readonly<Record<string, number>>;
}

export interface Predictions extends UnknownNames {
  /** Of each image, in their order. */
  readonly detections: readonly (readonly Detection[])[];
  /** Classes that no label has, where those of all predictions are such: whatever their image. */
  readonly onlyUnknownClasses: readonly string[];
  /** What some images are called, where none is known: whatever the class. */
  readonly onlyUnknownImages: readonly string[];
}

/**
 * Throws `invalid_input`, with the place, for a file of another form, and for names of which it is
 * not known which image they mean.
 */
export function readPredictions(text: string, judged: JudgedBy): Predictions {
  const document = parsePredictions(text);
  const entries = Array.isArray(document) ? document : datasetOf(document).annotations;
  const names = Array.isArray(document) ? undefined : namesOf(datasetOf(document));
  return readEntries(entries, judged, names);
}

/** The same of entries of results. */
export function readEntries(
  entries: readonly unknown[],
  judged: JudgedBy,
  names?: NamesOfDataset,
): Predictions {
  const imageNames = entries.map((entry, place) => imageNameOf(entry, `[${place}]`, names));
  const images = judged.namedImages ?? judged.images;
  const found = findImages({ images, isNumbered: judged.isNumbered }, imageNames);
  refuseAmbiguous(imageNames, found, judged.isNumbered);
  const placeOfClass = classFinder(judged);
  const readShape = shapeReader(judged.modelTask);
  const detections = judged.images.map((): Detection[] => []);
  const unknownImages: string[] = [];
  const unknownClasses = new Map<string, number>();
  let strangers = 0;
  let unnamedClasses = 0;
  let ofKnownClasses = 0;
  const strangeClasses = new Set<string>();
  const most = limits.boxesPerImageMax;
  for (const [place, entry] of entries.entries()) {
    if (!isJsonObject(entry)) throw wrongEntry(`[${place}]`, 'must be an object');
    const image = imageNames[place] ?? '';
    const label = names?.classes.get(entry.category_id) ?? entry.category_id;
    const score = scoreOf(entry, `[${place}]`);
    const foundPlace = found.get(image);
    const imagePlace = typeof foundPlace === 'number' ? foundPlace : undefined;
    const classIndex = placeOfClass(nameOf(label, `[${place}].category_id`));
    const shape = readShape(entry, judged.images[imagePlace ?? -1], `[${place}]`, {
      wanted: judged.keypointNames?.[classIndex ?? -1],
      given: textsIn(entry.keypoint_names) ?? names?.keypoints.get(entry.category_id),
    });
    if (classIndex !== undefined) ofKnownClasses += 1;
    else if (strangeClasses.size < examplesMax) strangeClasses.add(String(label));
    if (imagePlace === undefined) {
      strangers += 1;
      if (unknownImages.length < examplesMax && !unknownImages.includes(String(image))) {
        unknownImages.push(String(image));
      }
    } else if (classIndex === undefined) {
      const name = String(label);
      const known = unknownClasses.get(name);
      const isOneMore = known === undefined && unknownClasses.size >= unknownClassesMax;
      if (isOneMore) unnamedClasses += 1;
      else unknownClasses.set(name, (known ?? 0) + 1);
    } else {
      const own = detections[imagePlace];
      if (own?.length === most) {
        throw wrongEntry(`[${place}]`, `is one of more than ${most} of image ${shown(image)}`);
      }
      own?.push({ ...shape, classIndex, score });
    }
  }
  requirePixelCoordinates(detections, judged.images, judged.modelTask);
  if (unnamedClasses > 0) unknownClasses.set(othersName, unnamedClasses);
  return {
    detections,
    unknownImages: { count: strangers, examples: unknownImages },
    unknownClasses: Object.fromEntries(unknownClasses),
    onlyUnknownClasses: ofKnownClasses === 0 ? [...strangeClasses] : [],
    onlyUnknownImages: strangers === entries.length ? unknownImages : [],
  };
}

const examplesMax = 5;

/** More differ by more than a spelling: the rest is counted together. */
const unknownClassesMax = 20;

const othersName = '(other classes)';

function shown(name: unknown): string {
  return quotedName(String(name));
}

interface Dataset {
  readonly annotations: readonly unknown[];
  readonly images: readonly unknown[];
  readonly categories: readonly unknown[];
}

function datasetOf(document: unknown): Dataset {
  const { annotations, images, categories } = isJsonObject(document) ? document : {};
  if (Array.isArray(annotations) && Array.isArray(images) && Array.isArray(categories)) {
    return { annotations, images, categories };
  }
  throw wrongEntry('', 'must be a list of results, or have annotations, images and categories');
}

interface NamesOfDataset {
  readonly images: ReadonlyMap<unknown, unknown>;
  readonly classes: ReadonlyMap<unknown, unknown>;
  /** Those of a category, where it names them. */
  readonly keypoints: ReadonlyMap<unknown, readonly string[] | undefined>;
}

function namesOf({ images, categories }: Dataset): NamesOfDataset {
  const objects = (list: readonly unknown[]) => list.filter(isJsonObject);
  return {
    images: new Map(objects(images).map(({ id, file_name }) => [id, file_name])),
    classes: new Map(objects(categories).map(({ id, name }) => [id, name])),
    keypoints: new Map(objects(categories).map(({ id, keypoints }) => [id, textsIn(keypoints)])),
  };
}

function textsIn(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const texts = list.filter((one) => typeof one === 'string');
  return texts.length > 0 && texts.length === list.length ? texts : undefined;
}

function imageNameOf(
  entry: unknown,
  path: string,
  names: NamesOfDataset | undefined,
): string | number {
  if (!isJsonObject(entry)) throw wrongEntry(path, 'must be an object');
  const name = entry.file_name ?? names?.images.get(entry.image_id) ?? entry.image_id;
  return nameOf(name, `${path}.image_id`);
}

function refuseAmbiguous(
  names: readonly (string | number)[],
  found: ReturnType<typeof findImages>,
  isNumbered: boolean,
): void {
  const several = names.filter((name) => found.get(name) === 'ambiguous');
  if (several.length === 0) return;
  const examples = [...new Set(several)].slice(0, examplesMax).map(shown).join(', ');
  const instead = isNumbered
    ? 'the number or the file name of the COCO export'
    : 'the id of the image, which workspace_search has';
  throw invalidArgument(
    'predictions',
    `${several.length} are of names that mean several images: ${examples}; give as image_id ${instead}`,
  );
}

function nameOf(value: unknown, path: string): string | number {
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw wrongEntry(path, 'must be a number or a name');
  }
  if (typeof value === 'string' && value.length > limits.imageNameCharactersMax) {
    throw wrongEntry(path, `has more than ${limits.imageNameCharactersMax} characters`);
  }
  return value;
}

function scoreOf({ score }: JsonObject, path: string): number {
  if (typeof score === 'number' && score >= 0 && score <= 1) return score;
  throw wrongEntry(`${path}.score`, 'must be a number from 0 to 1');
}

function classFinder({ classes, isNumbered }: JudgedBy) {
  const byName = new Map(classes.map((name, place) => [name, place]));
  return (name: string | number): number | undefined => {
    if (typeof name === 'string') return byName.get(name);
    return isNumbered && name >= 1 && name <= classes.length ? name - 1 : undefined;
  };
}
