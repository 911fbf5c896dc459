// CreateML JSON: an array with an entry for each image. `coordinates` are the centre and the size,
// in pixels.

import type { Box } from '../../pictures/box.ts';
import type { AnnotatedImage, Parsed } from './annotation.ts';
import { boxFromCentre, parsedBoxes } from './boxes.ts';
import { type AnnotationIndex, findByImage, onlyEntry } from './image-name.ts';
import {
  checkBoxCount,
  readFields,
  readLabel,
  readList,
  readNumber,
  readSize,
  refusal,
} from './reading.ts';

export function parseCreateMl(document: readonly unknown[], image: AnnotatedImage): Parsed {
  const index = readCreateMl(document);
  const { name } = findByImage(index.entries, image.name);
  return index.parse(name, image);
}

/** The whole document taken apart once, so that many images can be read from it. */
export function readCreateMl(document: readonly unknown[]): AnnotationIndex {
  const entries = document.map((value, index) => {
    const fields = readFields(value, `[${index}]`);
    const name = fields.image ?? fields.imagefilename;
    if (typeof name !== 'string') throw refusal(`[${index}].image`, 'must be a file name');
    return { name, index, annotations: fields.annotations ?? fields.annotation };
  });
  const byName = Map.groupBy(entries, ({ name }) => name);
  return {
    entries,
    parse: (name, image) => {
      const { index, annotations } = onlyEntry(byName.get(name) ?? [], name);
      const place = `[${index}].annotations`;
      const own = readList(annotations, place);
      checkBoxCount(own.length);
      const boxes = own.map((value, at) => readBox(value, `${place}[${at}]`));
      return parsedBoxes(boxes, image, undefined);
    },
  };
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
