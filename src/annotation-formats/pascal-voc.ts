// Pascal VOC: one XML file for one image. xmin to ymax are taken as the edges of the box, without
// the shift by one that the original 1-based, inclusive definition would ask for: tools write
// 0-based edges, and an export gives the same numbers back.

import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { boxFromCorner, type Shape } from '../annotations/box-geometry.ts';
import { FoveaError } from '../errors.ts';
import type { Box, Point } from '../imaging/box.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import { quotedName } from '../quoted-name.ts';
import type { AnnotationFile, Parsed } from './annotation-file.ts';
import { checkSameImage } from './image-name-match.ts';
import { parsedBoxes } from './parsed-boxes.ts';
import { parsePlainXml } from './plain-xml.ts';
import {
  checkBoxCount,
  lineFinder,
  lineOf,
  readLabel,
  readNumberText,
  refusal,
  tooLarge,
} from './value-checks.ts';
import { checkXml } from './xml-checks.ts';

export function parsePascalVoc({ text, image }: AnnotationFile): Parsed {
  const root = readXml(text);
  if (typeof root.filename === 'string' && root.filename.trim() !== '') {
    checkSameImage(root.filename, image.name);
  }
  const objects = Array.isArray(root.object) ? root.object : [];
  checkBoxCount(objects.length);
  const lineAt = lineFinder(text);
  const boxes = objects.map((object: unknown, index) => readObject(object, index + 1, lineAt));
  return parsedBoxes(boxes, image, readSize(root.size));
}

/** The `annotation` element. */
function readXml(text: string): JsonObject {
  // A longer text is more bytes; the exact count is only made near the bound.
  const bytesMax = limits.annotationXmlBytesMax;
  if (text.length > bytesMax / 3 && Buffer.byteLength(text) > bytesMax) {
    throw tooLarge('', `XML of one image may have ${bytesMax} bytes`);
  }
  const document = parsePlainXml(text, isObject) ?? parseXml(text);
  if (!isJsonObject(document) || document.annotation === undefined) {
    throw refusal('', 'is XML, but not Pascal VOC: the <annotation> element is missing');
  }
  return isJsonObject(document.annotation) ? document.annotation : {};
}

function isObject(name: string, depth: number): boolean {
  return name === 'object' && depth === 2;
}

function parseXml(text: string): unknown {
  checkXml(text);
  const valid = XMLValidator.validate(text.trimStart());
  if (valid !== true) {
    const skipped = lineOf(text, text.length - text.trimStart().length) - 1;
    const { line, col } = valid.err;
    throw refusal(`line ${line + skipped}, column ${col}`, 'is not well-formed XML');
  }
  const parser = new XMLParser({
    ignoreAttributes: true,
    parseTagValue: false,
    captureMetaData: true,
    ignoreDeclaration: true,
    ignorePiTags: true,
    maxNestedTags: limits.annotationXmlDepthMax,
    // Without a document type only the five entities of XML itself are left.
    processEntities: { enabled: true, maxTotalExpansions: limits.annotationXmlBytesMax },
    // A path as text, made for each element, takes a third of the time.
    jPath: false,
    isArray: (name, path) => typeof path === 'object' && isObject(name, path.getDepth()),
  });
  try {
    return parser.parse(text);
  } catch (cause) {
    throw new FoveaError('invalid_input', 'annotationFile: is not XML of Pascal VOC', {
      problems: [{ path: 'annotationFile', message: 'is not XML of Pascal VOC' }],
      cause,
    });
  }
}

function readObject(object: unknown, place: number, lineAt: LineAt): Box {
  if (!isJsonObject(object)) throw refusal(`object ${place}`, 'has no name and no bndbox');
  const line = `line ${lineAt(startOf(object))}`;
  const label = readLabel(object.name, `${line}, object ${place}, name`);
  const where = `${line}, ${quotedName(label)} box ${place}`;
  if (!isJsonObject(object.bndbox)) throw refusal(where, 'needs one bndbox');
  const { bndbox } = object;
  const edge = (name: string) => readNumberText(bndbox[name], `${where}, ${name}`);
  const [left, top, right, bottom] = [edge('xmin'), edge('ymin'), edge('xmax'), edge('ymax')];
  checkOrder(where, 'x', left, right);
  checkOrder(where, 'y', top, bottom);
  const shape: Shape = { points: readPolygon(object.polygon, where) };
  return boxFromCorner(label, left, top, right - left, bottom - top, shape);
}

function checkOrder(where: string, axis: 'x' | 'y', least: number, most: number): void {
  if (least <= most) return;
  throw refusal(where, `${axis}min ${least} is larger than ${axis}max ${most}`);
}

/** `<polygon><x1>…</x1><y1>…</y1><x2>…`, as dataset tools add it to the format. */
function readPolygon(polygon: unknown, where: string): readonly Point[] | undefined {
  if (!isJsonObject(polygon)) return undefined;
  const points: Point[] = [];
  for (let n = 1; polygon[`x${n}`] !== undefined; n++) {
    const x = readNumberText(polygon[`x${n}`], `${where}, polygon x${n}`);
    points.push([x, readNumberText(polygon[`y${n}`], `${where}, polygon y${n}`)]);
  }
  if (points.length < 3) throw refusal(where, 'polygon needs at least three points');
  return points;
}

function readSize(size: unknown): { width: number; height: number } | undefined {
  if (!isJsonObject(size)) return undefined;
  const [width, height] = [Number(size.width), Number(size.height)];
  return Number.isFinite(width) && Number.isFinite(height) ? { width, height } : undefined;
}

type LineAt = ReturnType<typeof lineFinder>;

function startOf(node: object): number {
  // Its position is kept under the only symbol of a node.
  const [position = ''] = Object.getOwnPropertySymbols(node);
  const meta: unknown = Reflect.get(node, position);
  return isJsonObject(meta) && typeof meta.startIndex === 'number' ? meta.startIndex : 0;
}
