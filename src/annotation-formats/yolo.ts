// YOLO and Darknet TXT: one line for each box, `class x y width height`, the centre and the size
// as shares of the image; or `class x y x y x y …`, an outline. The class is an id of the labelmap,
// or a name without blanks.

import { boxAround, boxFromCentre } from '../annotations/box-geometry.ts';
import type { Box } from '../imaging/box.ts';
import { limits } from '../limits.ts';
import { quotedName, quotedNames } from '../quoted-name.ts';
import type { AnnotatedImage, AnnotationFile, Labelmap, Parsed } from './annotation-file.ts';
import { parsedBoxes, pointsFrom } from './parsed-boxes.ts';
import { checkBoxCount, readLabel, readNumberText, refusal, tooLarge } from './value-checks.ts';

export function parseYolo({ text, image, labelmap, projectType }: AnnotationFile): Parsed {
  checkLines(text);
  const classOf = classFinder(labelmap);
  const rows = text
    .split('\n')
    .map((line, index) => ({ place: `line ${index + 1}`, words: line.trim().split(/\s+/) }))
    .filter(({ words }) => words[0] !== '');
  checkBoxCount(rows.length);
  if (projectType === 'keypoint-detection' && rows.some(({ words }) => words.length > 5)) {
    throw refusal('', 'keypoints are not read from YOLO TXT; use COCO JSON for them');
  }
  const boxes = rows.map(({ words, place }) => readRow(words, place, image, classOf));
  return parsedBoxes(boxes, image, undefined);
}

function readRow(
  words: readonly string[],
  place: string,
  image: AnnotatedImage,
  classOf: FindClass,
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
  const label = classOf(className, place);
  const shares = values.map((value, index) => readShare(value, `${place}, value ${index + 1}`));
  const pixels = shares.map((share, index) =>
    exact(share * (index % 2 === 0 ? image.width : image.height)),
  );
  if (outline) return boxAround(label, pointsFrom(pixels, place));
  const [x = 0, y = 0, width = 0, height = 0] = pixels;
  if (width < 0 || height < 0) throw refusal(place, 'width and height must not be negative');
  return boxFromCentre(label, x, y, width, height);
}

/** Lines and words are counted before any of them is cut out. */
function checkLines(text: string): void {
  let [lines, words] = [1, 0];
  let isInWord = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isBlank = code <= space || (code > ascii && /\s/.test(text.charAt(at)));
    if (code === lineFeed) lines += 1;
    if (!isBlank && !isInWord) words += 1;
    isInWord = !isBlank;
    if (lines > limits.annotationLinesMax) {
      throw tooLarge('', `has more than ${limits.annotationLinesMax} lines`);
    }
    if (words > limits.annotationNumbersMax) {
      throw tooLarge(
        `line ${lines}`,
        `has more than ${limits.annotationNumbersMax} numbers so far`,
      );
    }
  }
}

const lineFeed = 0x0a;
const space = 0x20;
const ascii = 0x7f;

/** The class that the first word of a line stands for. */
type FindClass = (className: string, place: string) => string;

function classFinder(labelmap: Labelmap | undefined): FindClass {
  if (labelmap === undefined) return classWithoutNames;
  const names = new Set(Object.values(labelmap));
  return (className, place) => {
    if (!isNumber(className)) {
      const label = readLabel(className, place);
      if (names.has(label)) return label;
      const known = quotedNames([...names]);
      throw refusal(place, `class ${quotedName(label)} is not in the labelmap; known: ${known}`);
    }
    const id = String(Number(checkedId(className, place)));
    if (Object.hasOwn(labelmap, id)) return readLabel(labelmap[id], `labelmap.${id}`);
    const known = quotedNames(Object.keys(labelmap)) || 'none';
    throw refusal(place, `class id ${id} is not in the labelmap; known ids: ${known}`);
  };
}

function classWithoutNames(className: string, place: string): string {
  if (!isNumber(className)) return readLabel(className, place);
  throw refusal(
    place,
    `class id ${quotedName(checkedId(className, place))} needs a labelmap`,
    'Pass labelmap, for example {"0": "cat", "1": "dog"}.',
  );
}

function isNumber(className: string): boolean {
  return /^[+-]?[\d.]+$/.test(className);
}

function checkedId(className: string, place: string): string {
  if (/^\d+$/.test(className)) return className;
  throw refusal(place, `the class id must be a whole number, but is ${quotedName(className)}`);
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
