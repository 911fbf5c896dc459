// CreateML JSON: an array with an entry for each image. `coordinates` are the centre and the size,
// in pixels.

import { boxFromCentre } from '../annotations/box-geometry.ts';
import type { Box } from '../imaging/box.ts';
import type { JsonObject } from '../json-object.ts';
import type { AnnotatedImage, Parsed } from './annotation-file.ts';
import { findByImage } from './image-name-match.ts';
import { parsedBoxes } from './parsed-boxes.ts';
import {
  checkBoxCount,
  readFields,
  readLabel,
  readList,
  readNumber,
  readSize,
  refusal,
} from './value-checks.ts';

export function parseCreateMl(document: readonly unknown[], image: AnnotatedImage): Parsed {
  const entries = document.map((value, index) => {
    const fields = readFields(value, `[${index}]`);
    const name = fields.image ?? fields.imagefilename;
    if (typeof name !== 'string') throw refusal(`[${index}].image`, 'must be a file name');
    return { name, index, fields };
  });
  const { fields, index } = findByImage(entries, image.name);
  return parseEntry(fields, `[${index}]`, image);
}

/** A document about one image alone; the place is that in the file that it is from. */
export function parseCreateMlPart(
  document: unknown,
  image: AnnotatedImage,
  [place = 0]: readonly number[],
): Parsed {
  const [entry] = readList(document, '');
  return parseEntry(readFields(entry, `[${place}]`), `[${place}]`, image);
}

function parseEntry(fields: JsonObject, entry: string, image: AnnotatedImage): Parsed {
  const place = `${entry}.annotations`;
  const own = readList(fields.annotations ?? fields.annotation, place);
  checkBoxCount(own.length);
  const boxes = own.map((value, at) => readBox(value, `${place}[${at}]`));
  return parsedBoxes(boxes, image, undefined);
}

function readBox(value: unknown, place: string): Box {
  const { label, coordinates } = readFields(value, place);
  const where = `${place}.coordinates`;
  const { x, y, width, height } = readFields(coordinates, where);
  return boxFromCentre(
    readLabel(label, `${place}.label`),
    readNumber(x, `${where}.x`),
    readNumber(y, `${where}.y`),
    readSize(width, `${where}.width`),
    readSize(height, `${where}.height`),
  );
}
