// YOLO and Darknet TXT: one line for each box, `class x y width height`, the centre and the size
// as shares of the image; or `class x y x y x y …`, an outline. The class is an id of the labelmap,
// or a name without blanks.

import { limits } from '../../limits.ts';
import type { Box } from '../../pictures/box.ts';
import type { AnnotatedImage, AnnotationFile, Labelmap, Parsed } from './annotation.ts';
import { boxAround, boxFromCentre, parsedBoxes, pointsFrom } from './boxes.ts';
import {
  checkBoxCount,
  quoted,
  quotedList,
  readLabel,
  readNumberText,
  refusal,
} from './reading.ts';

export function parseYolo({ text, image, labelmap, projectType }: AnnotationFile): Parsed {
  const rows = text
    .split('\n')
    .map((line, index) => ({ place: `line ${index + 1}`, words: line.trim().split(/\s+/) }))
    .filter(({ words }) => words[0] !== '');
  checkBoxCount(rows.length);
  if (projectType === 'keypoint-detection' && rows.some(({ words }) => words.length > 5)) {
    throw refusal('', 'keypoints are not read from YOLO TXT; use COCO JSON for them');
  }
  const boxes = rows.map(({ words, place }) => readRow(words, place, image, labelmap));
  return parsedBoxes(boxes, image, undefined);
}

function readRow(
  words: readonly string[],
  place: string,
  image: AnnotatedImage,
  labelmap: Labelmap | undefined,
): Box {
  const [className = '', ...values] = words;
  const outline = values.length >= 6 && values.length % 2 === 0;
  if (values.length !== 4 && !outline) {
    throw refusal(
      place,
      `has ${values.length} values after the class; a box has 4 (x y width height), ` +
        'an outline 6 or more, in pairs',
    );
  }
  const label = findLabel(className, place, labelmap);
  const shares = values.map((value, index) => readShare(value, `${place}, value ${index + 1}`));
  const pixels = shares.map((share, index) =>
    exact(share * (index % 2 === 0 ? image.width : image.height)),
  );
  if (outline) return boxAround(label, pointsFrom(pixels, place));
  const [x = 0, y = 0, width = 0, height = 0] = pixels;
  if (width < 0 || height < 0) throw refusal(place, 'width and height must not be negative');
  return boxFromCentre(label, x, y, width, height);
}

function findLabel(className: string, place: string, labelmap: Labelmap | undefined): string {
  if (!/^[+-]?[\d.]+$/.test(className)) {
    const label = readLabel(className, place);
    if (labelmap === undefined || Object.values(labelmap).includes(label)) return label;
    const known = quotedList(Object.values(labelmap));
    throw refusal(place, `class ${quoted(label)} is not in the labelmap; known: ${known}`);
  }
  if (!/^\d+$/.test(className)) {
    throw refusal(place, `the class id must be a whole number, but is ${quoted(className)}`);
  }
  if (labelmap === undefined) {
    throw refusal(
      place,
      `class id ${quoted(className)} needs a labelmap`,
      'Pass labelmap, for example {"0": "cat", "1": "dog"}.',
    );
  }
  const id = String(Number(className));
  if (Object.hasOwn(labelmap, id)) return readLabel(labelmap[id], `labelmap.${id}`);
  const known = quotedList(Object.keys(labelmap)) || 'none';
  throw refusal(place, `class id ${id} is not in the labelmap; known ids: ${known}`);
}

/** A coordinate as a share of the image. Far beyond 1 it is one in pixels, by mistake. */
function readShare(text: string, place: string): number {
  const share = readNumberText(text, place);
  if (Math.abs(share) <= limits.boxShareMax) return share;
  throw refusal(place, `must be a share of the image from 0 to 1, but is ${share}`);
}

/** Without the noise of the division that made the share. */
function exact(pixels: number): number {
  return Math.round(pixels * 1e5) / 1e5;
}
