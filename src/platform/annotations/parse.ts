// Reads an annotation file of any known format.

import { FoveaError, invalidArgument } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AnnotationFile, Parsed } from './annotation.ts';
import { isClassification, parseClassName, parseClassNames } from './class-names.ts';
import { isCoco, parseCoco } from './coco.ts';
import { parseCreateMl } from './createml.ts';
import { parsePascalVoc } from './pascal-voc.ts';
import { isFields, refusal } from './reading.ts';
import { parseYolo } from './yolo.ts';

/**
 * The annotation of one image, read from the text of an annotation file. The format is recognised
 * by content, then by file name extension. A file without objects says that there is nothing to
 * label. Throws `invalid_input` for a file that is broken, of another format, or about another
 * image, and `too_large`; problems name `annotationFile`.
 */
export function parseAnnotation(given: AnnotationFile): Parsed {
  if (given.projectType === 'text-image-pairs') {
    throw invalidArgument('annotationFile', 'projects of text-image-pairs keep images alone');
  }
  checkSize(given.text);
  const file = { ...given, text: given.text.replace(/^\uFEFF/, '') };
  const start = file.text.trimStart().slice(0, 1);
  if (start === '<') {
    refuseBoxes(file, 'XML');
    return parsePascalVoc(file);
  }
  if (start === '{' || start === '[') return parseDocument(file);
  return parseLines(file);
}

function checkSize(text: string): void {
  // Most characters are one byte: the exact count is only made near the limit.
  const bytes = text.length * 3 > limits.annotationBytesMax ? Buffer.byteLength(text) : 0;
  if (bytes <= limits.annotationBytesMax) return;
  const message = `has ${bytes} bytes; at most ${limits.annotationBytesMax} are read`;
  throw new FoveaError('too_large', `annotationFile: ${message}`, {
    problems: [{ path: 'annotationFile', message }],
  });
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
  if (isClassification(file.projectType) && !document.some(isFields)) {
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

function readJson(text: string): unknown {
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
