// COCO JSON: one file for a whole dataset, of which one image is read. `bbox` is the upper left
// corner and the size.

import type { Shape } from '../annotations/box-geometry.ts';
import { areaOf, boxAround, boxFromCorner } from '../annotations/box-geometry.ts';
import { type AnnotationWarning, shapeLeftOut } from '../annotations/box-warnings.ts';
import type { Box, Keypoint, Point } from '../imaging/box.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { quotedName, quotedNames } from '../quoted-name.ts';
import type { AnnotatedImage, Parsed } from './annotation-file.ts';
import { findByImage } from './image-name-match.ts';
import { parsedBoxes, pointsFrom } from './parsed-boxes.ts';
import {
  checkBoxCount,
  readFields,
  readLabel,
  readList,
  readNumber,
  readSize,
  refusal,
} from './value-checks.ts';

export function isCoco(document: unknown): document is JsonObject {
  return isJsonObject(document) && Array.isArray(document.images);
}

export function parseCoco(document: JsonObject, image: AnnotatedImage): Parsed {
  const entries = readImages(document.images);
  const entry = findByImage(entries, image.name);
  const { id, size } = entry;
  const other = entries.find((one) => one !== entry && one.id === id);
  if (other !== undefined) {
    const names = quotedNames([entry.name, other.name]);
    throw refusal('images', `${names} have one id: whose boxes they are is not known`);
  }
  const own = placedOf(document).filter(({ fields }) => fields.image_id === id);
  return parseEntry(own, document, image, size);
}

/** A document about one image alone. `places`: of its annotations, in the file that it is from. */
export function parseCocoPart(
  document: unknown,
  image: AnnotatedImage,
  places: readonly number[],
): Parsed {
  const part = readFields(document, '');
  const [entry] = readImages(part.images);
  const own = placedOf(part).map(({ fields, index }) => ({
    fields,
    index: places[index] ?? index,
  }));
  return parseEntry(own, part, image, entry?.size);
}

function parseEntry(
  own: readonly Placed[],
  document: JsonObject,
  image: AnnotatedImage,
  size: Entry['size'],
): Parsed {
  checkBoxCount(own.length);
  const categories = readCategories(document.categories);
  const warnings: AnnotationWarning[] = [];
  const boxes = own.map(({ fields, index }, position) => {
    const place = `annotations[${index}]`;
    const { box, leftOut } = readBox(fields, place, categories);
    if (leftOut !== undefined) warnings.push(shapeLeftOut(box, position + 1, leftOut));
    return box;
  });
  return parsedBoxes(boxes, image, size, warnings);
}

/** An annotation with its place among all of the document. */
interface Placed {
  readonly fields: JsonObject;
  readonly index: number;
}

function placedOf({ annotations }: JsonObject): readonly Placed[] {
  return readList(annotations, 'annotations').flatMap((fields, index) =>
    isJsonObject(fields) ? { fields, index } : [],
  );
}

interface Entry {
  readonly id: unknown;
  readonly name: string;
  readonly size: { readonly width: number; readonly height: number } | undefined;
}

function readImages(images: unknown): readonly Entry[] {
  return readList(images, 'images').map((value, index) => {
    const { id, file_name: name, width, height } = readFields(value, `images[${index}]`);
    if (typeof name !== 'string') throw refusal(`images[${index}].file_name`, 'must be a string');
    if (id === undefined) throw refusal(`images[${index}].id`, 'is missing');
    const known = typeof width === 'number' && typeof height === 'number';
    return { id, name, size: known ? { width, height } : undefined };
  });
}

interface Category {
  readonly label: string;
  readonly keypoints: readonly string[];
}

type Categories = ReadonlyMap<unknown, Category>;

function readCategories(categories: unknown): Categories {
  const entries = readList(categories, 'categories').map((value, index) => {
    const place = `categories[${index}]`;
    const { id, name, keypoints = [] } = readFields(value, place);
    const names = readList(keypoints, `${place}.keypoints`).map((keypoint, at) =>
      readLabel(keypoint, `${place}.keypoints[${at}]`),
    );
    if (id === undefined) throw refusal(`${place}.id`, 'is missing');
    return [id, { label: readLabel(name, `${place}.name`), keypoints: names }] as const;
  });
  const categoryOf = new Map<unknown, Category>();
  for (const [at, [id, category]] of entries.entries()) {
    if ((categoryOf.get(id) ?? category).label !== category.label) {
      throw refusal(`categories[${at}].id`, `${quotedName(String(id))} is another one's too`);
    }
    categoryOf.set(id, category);
  }
  return categoryOf;
}

interface ReadBox {
  readonly box: Box;
  /** What of its shape the platform cannot keep. */
  readonly leftOut?: string | undefined;
}

function readBox(fields: JsonObject, place: string, categories: Categories): ReadBox {
  const category = findCategory(fields.category_id, place, categories);
  const { points, leftOut: ofShape } = readSegmentation(
    fields.segmentation,
    `${place}.segmentation`,
  );
  const crowd = fields.iscrowd === 1 || fields.iscrowd === true ? [ofCrowd] : [];
  const all = [...(ofShape === undefined ? [] : [ofShape]), ...crowd];
  const leftOut = all.length === 0 ? undefined : all.join('; ');
  const keypoints = readKeypoints(fields.keypoints, `${place}.keypoints`, category);
  const shape: Shape = { points, keypoints };
  if (fields.bbox === undefined && points !== undefined) {
    return { box: boxAround(category.label, points, shape), leftOut };
  }
  const bbox = readList(fields.bbox, `${place}.bbox`);
  if (bbox.length !== 4) throw refusal(`${place}.bbox`, 'must be [x, y, width, height]');
  const left = readNumber(bbox[0], `${place}.bbox[0]`);
  const top = readNumber(bbox[1], `${place}.bbox[1]`);
  const width = readSize(bbox[2], `${place}.bbox[2]`);
  const height = readSize(bbox[3], `${place}.bbox[3]`);
  return { box: boxFromCorner(category.label, left, top, width, height, shape), leftOut };
}

const ofCrowd = 'it is a crowd (iscrowd), many objects; it was kept as one';

function findCategory(id: unknown, place: string, categories: Categories): Category {
  const category = categories.get(id);
  if (category !== undefined) return category;
  const known = quotedNames([...categories.keys()].map(String));
  throw refusal(
    `${place}.category_id`,
    `${quotedName(String(id))} is not in categories; known ids: ${known || 'none'}`,
  );
}

interface Segmentation {
  readonly points?: Shape['points'];
  readonly leftOut?: string;
}

/** The outline; of several parts the largest, since a box has one outline. */
function readSegmentation(segmentation: unknown, place: string): Segmentation {
  if (segmentation === undefined || segmentation === null) return {};
  if (isJsonObject(segmentation))
    return { leftOut: 'its mask is run-length encoded; only the box was kept' };
  const parts = readList(segmentation, place).map((part, index) => {
    const where = `${place}[${index}]`;
    const numbers = readList(part, where).map((value, at) => readNumber(value, `${where}[${at}]`));
    return pointsFrom(numbers, where);
  });
  const points = largest(parts);
  if (points === undefined) return {};
  if (points.length < 3) {
    return { leftOut: 'its outline has fewer than three points; only the box was kept' };
  }
  if (parts.length === 1) return { points };
  return { points, leftOut: `its outline has ${parts.length} parts; only the largest was kept` };
}

/** The first of equal ones. */
function largest(parts: readonly (readonly Point[])[]): readonly Point[] | undefined {
  let found: readonly Point[] | undefined;
  let most = -1;
  for (const part of parts) {
    const area = areaOf(part);
    if (area > most) [found, most] = [part, area];
  }
  return found;
}

function readKeypoints(value: unknown, place: string, category: Category): Box['keypoints'] {
  if (value === undefined || value === null) return undefined;
  const numbers = readList(value, place);
  if (numbers.length % 3 !== 0) throw refusal(place, 'must be groups of x, y and visibility');
  const keypoints: Keypoint[] = [];
  for (let at = 0; at < numbers.length; at += 3) {
    keypoints.push({
      label: category.keypoints[at / 3] ?? String(at / 3),
      x: readNumber(numbers[at], `${place}[${at}]`),
      y: readNumber(numbers[at + 1], `${place}[${at + 1}]`),
      visibility: readVisibility(numbers[at + 2], `${place}[${at + 2}]`),
    });
  }
  return keypoints.length > 0 ? keypoints : undefined;
}

function readVisibility(value: unknown, place: string): Keypoint['visibility'] {
  if (value === 0 || value === 1 || value === 2) return value;
  throw refusal(place, 'must be 0, 1 or 2');
}
