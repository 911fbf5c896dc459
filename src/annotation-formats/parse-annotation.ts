// Reads an annotation file of any known format.

import { type Annotation, isClassification } from '../annotations/annotation.ts';
import type { AnnotationWarning } from '../annotations/box-warnings.ts';
import {
  labelsOf,
  type WrittenAnnotation,
  writeAnnotation,
} from '../annotations/serialized-annotation.ts';
import { invalidArgument } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import { excessWords, jsonExcess } from '../json-scanner.ts';
import { limits } from '../limits.ts';
import type { AnnotatedImage, AnnotationFile, Labelmap, Parsed } from './annotation-file.ts';
import { parseClassName, parseClassNames } from './classification-labels.ts';
import { isCoco, parseCoco, parseCocoPart } from './coco.ts';
import { parseCreateMl, parseCreateMlPart } from './createml.ts';
import type { DatasetPart } from './dataset-file-index.ts';
import { parsePascalVoc } from './pascal-voc.ts';
import { refusal, tooLarge } from './value-checks.ts';
import { parseYolo } from './yolo.ts';

/**
 * The annotation of one image, read from the text of an annotation file. The format is recognised
 * by content, then by file name extension. A file without objects says that there is nothing to
 * label. Throws `invalid_input` for a file that is broken, of another format, or about another
 * image, and `too_large` for what exceeds a bound of limits/annotations.ts; problems name
 * `annotationFile`. What it builds is counted before.
 */
export function parseAnnotation(given: AnnotationFile): Parsed {
  checkFile(given);
  const file = { ...given, text: given.text.replace(/^\uFEFF/, '') };
  const parsed = parseText(file);
  checkCounts(parsed.annotation);
  return parsed;
}

function parseText(file: AnnotationFile): Parsed {
  const start = /\S/.exec(file.text)?.[0];
  if (start === '<') {
    refuseBoxes(file, 'XML');
    return parsePascalVoc(file);
  }
  if (start === '{' || start === '[') return parseDocument(file);
  return parseLines(file);
}

/** What is known of a file without a look into it. Throws as parseAnnotation. */
export function checkFile({ projectType, text, labelmap }: AnnotationFile): void {
  if (projectType === 'text-image-pairs') {
    throw invalidArgument('annotationFile', 'projects of text-image-pairs keep images alone');
  }
  checkSize(text);
  checkLabelmap(labelmap);
}

/** What a file about many images says of one of them: its name was compared before. */
export function parsePart({ format, text, places }: DatasetPart, image: AnnotatedImage): Parsed {
  const document = readJson(text);
  const parsed =
    format === 'coco'
      ? parseCocoPart(document, image, places)
      : parseCreateMlPart(document, image, places);
  checkCounts(parsed.annotation);
  return parsed;
}

function checkSize(text: string): void {
  // Most characters are one byte: the exact count is only made near the limit.
  const bytes = text.length * 3 > limits.annotationBytesMax ? Buffer.byteLength(text) : 0;
  if (bytes <= limits.annotationBytesMax) return;
  throw tooLarge('', `has ${bytes} bytes; at most ${limits.annotationBytesMax} are read`);
}

function checkLabelmap(labelmap: Labelmap | undefined): void {
  const count = labelmap === undefined ? 0 : Object.keys(labelmap).length;
  if (count <= limits.labelmapClassesMax) return;
  const most = limits.labelmapClassesMax;
  throw invalidArgument('labelmap', `has ${count} classes; at most ${most} are taken`);
}

/** What one image may have: it is stored, and read again, in one step. */
function checkCounts(annotation: Annotation): void {
  const labels = new Set(labelsOf(annotation)).size;
  if (labels > limits.labelsPerImageMax) {
    const most = limits.labelsPerImageMax;
    throw tooLarge('', `has ${labels} different classes for the image; at most ${most} fit`);
  }
  const points = pointsOf(annotation);
  if (points > limits.pointsPerImageMax) {
    const most = limits.pointsPerImageMax;
    throw tooLarge('', `has outlines of ${points} points for the image; at most ${most} fit`);
  }
}

function pointsOf(annotation: Annotation): number {
  if (annotation.kind !== 'detection') return 0;
  return annotation.boxes.reduce(
    (sum, { points, keypoints }) => sum + (points?.length ?? 0) + (keypoints?.length ?? 0),
    0,
  );
}

function parseDocument(file: AnnotationFile): Parsed {
  const document = readJson(file.text);
  if (isCoco(document)) {
    refuseBoxes(file, 'COCO JSON');
    return parseCoco(document, file.image);
  }
  if (!Array.isArray(document)) {
    throw refusal('', `is JSON, but not COCO: "images" is missing. ${accepted}`);
  }
  if (isClassification(file.projectType) && !document.some(isJsonObject)) {
    return parseClassNames(document, file.projectType);
  }
  if (document.some((entry) => typeof entry === 'string')) {
    throw refusal('', `holds class names, but a project of ${file.projectType} labels boxes`);
  }
  refuseBoxes(file, 'CreateML JSON');
  return parseCreateMl(document, file.image);
}

/** Text that is neither XML nor JSON. */
function parseLines(file: AnnotationFile): Parsed {
  const extension = /\.(\w+)$/.exec(file.fileName?.toLowerCase() ?? '')?.[1];
  const empty = file.text.trim() === '';
  if (extension === 'xml' || extension === 'json') {
    throw refusal('', empty ? 'is empty' : `is named .${extension}, but does not start like it`);
  }
  if (isClassification(file.projectType)) return parseClassName(file.text);
  if (empty && extension !== 'txt') {
    throw refusal('', `is empty. ${accepted}`, 'To say that nothing is to label, name it .txt.');
  }
  return parseYolo(file);
}

function refuseBoxes({ projectType }: AnnotationFile, format: string): void {
  if (!isClassification(projectType)) return;
  throw refusal(
    '',
    `is ${format} with boxes, but a project of ${projectType} takes class names`,
    'Give the class name as text, or a JSON array of class names.',
  );
}

const accepted = 'Accepted: Pascal VOC XML, COCO JSON, YOLO TXT, CreateML JSON.';

const jsonBounds = {
  elementsMax: limits.annotationElementsMax,
  depthMax: limits.annotationDepthMax,
  membersMax: limits.annotationMembersMax,
};

function readJson(text: string): unknown {
  const excess = jsonExcess(text, jsonBounds);
  if (excess !== undefined) throw tooLarge('', excessWords(excess, jsonBounds));
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // The engine's message quotes the file: only its position is taken over.
    const message = thrown instanceof Error ? thrown.message : '';
    const position = /\(line (\d+) column (\d+)\)/.exec(message);
    const place = position ? `line ${position[1]}, column ${position[2]}` : '';
    const end = message.includes('end of JSON input');
    throw refusal(place, end ? 'is JSON that ends too early' : 'is not valid JSON');
  }
}

export interface ReadAnnotation {
  readonly annotation: WrittenAnnotation;
  /** The first of them. */
  readonly warnings: readonly AnnotationWarning[];
  readonly warningsTotal: number;
}

/** Throws as parseAnnotation. */
export function readAnnotation(file: AnnotationFile): ReadAnnotation {
  return toRead(parseAnnotation(file));
}

/** What goes back from a thread is taken in by the one that serves everybody: little of it. */
export function toRead({ annotation, warnings }: Parsed): ReadAnnotation {
  return {
    annotation: writeAnnotation(annotation),
    warnings: warnings.slice(0, limits.annotationWarningsMax),
    warningsTotal: warnings.length,
  };
}
