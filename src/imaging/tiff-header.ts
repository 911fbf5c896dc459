// Reads how the first page of a TIFF stores its pixels: tiles, strips or planes, and their sizes.
// Checks whether they are in the file.

import { Malformed } from './image-format.ts';

export interface TiffLayout {
  readonly samples: number;
  /** Each colour in a plane of its own. */
  readonly isPlanar: boolean;
  readonly tile: { readonly width: number; readonly height: number } | undefined;
  /** At most the height of the image. */
  readonly rowsPerStrip: number;
  /** Its compression gives out line after line: none, LZW, Deflate or PackBits. */
  readonly isReadByLine: boolean;
}

/**
 * Pages of a TIFF: libvips counts them with each look at the header. Gives up beyond `countMax`.
 * Throws `Malformed` where a directory is not in the file.
 */
export function countTiffPages(bytes: Uint8Array, countMax: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let pages = 0;
  for (let directory = inside(() => openDirectory(view)); ; pages += 1) {
    const { little, isBig, first, count } = directory;
    const end = first + count * (isBig ? 20 : 12);
    // A directory that is cut off ends the list: libtiff takes what it has.
    if (pages >= countMax || end + (isBig ? 8 : 4) > view.byteLength) return pages + 1;
    const next = isBig ? Number(view.getBigUint64(end, little)) : view.getUint32(end, little);
    if (next === 0) return pages + 1;
    directory = inside(() => directoryAt(view, next, little, isBig));
  }
}

/** Values of the tag Compression. */
const readByLine: ReadonlySet<number> = new Set([1, 5, 8, 32773, 32946]);

/** The same with those that do not: CCITT, JPEG, NeXT, ThunderScan, SGILog and WebP. */
const decoded: ReadonlySet<number> = new Set([
  ...readByLine,
  2,
  3,
  4,
  7,
  32766,
  32771,
  32809,
  34676,
  34677,
  50001,
]);

/** Throws `Malformed` where the first directory is not in the file, or a size no whole number. */
export function readTiffLayout(bytes: Uint8Array): TiffLayout {
  const tag = readTiffTags(bytes);
  const height = tag(257) ?? 0;
  const [tileWidth, tileHeight] = [tag(322), tag(323)];
  return {
    samples: tag(277) ?? 1,
    isPlanar: tag(284) === 2,
    tile: tileWidth && tileHeight ? { width: tileWidth, height: tileHeight } : undefined,
    rowsPerStrip: Math.min(tag(278) ?? height, height),
    isReadByLine: readByLine.has(tag(259) ?? 1),
  };
}

/** Throws `Malformed` where strips or tiles of the first page are missing, or not in the file. */
export function checkTiffPixels(bytes: Uint8Array): void {
  const { tile, isPlanar, samples, rowsPerStrip } = readTiffLayout(bytes);
  const tag = readTiffTags(bytes);
  if (!decoded.has(tag(259) ?? 1)) throw new Malformed('has a compression that is not read');
  const [width, height] = [tag(256) ?? 0, tag(257) ?? 0];
  const [across, down] = tile
    ? [Math.ceil(width / tile.width), Math.ceil(height / tile.height)]
    : [1, Math.ceil(height / rowsPerStrip)];
  const parts = across * down * (isPlanar ? samples : 1);
  checkValues(bytes);
  const [starts, lengths] = tile ? [324, 325] : [273, 279];
  const start = readTiffList(bytes, starts, parts);
  const length = readTiffList(bytes, lengths, parts);
  for (let part = 0; part < parts; part += 1) {
    if (length(part) === 0) throw new Malformed('lacks part of its pixels');
    if (start(part) + length(part) > bytes.length) throw new Malformed('ends within its pixels');
  }
}

/** The value of a tag that has one whole number; undefined: there is no such tag. */
export type TiffTags = (tag: number) => number | undefined;

/** The first directory of a TIFF file, or of EXIF. Throws `Malformed`, as its tags do. */
export function readTiffTags(bytes: Uint8Array): TiffTags {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = inside(() => openDirectory(view));
  return (tag) => inside(() => findTag(view, directory, tag));
}

/** Such as tables that all tiles share. */
function checkValues(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = inside(() => openDirectory(view));
  for (let index = 0; index < directory.count; index += 1) {
    const end = inside(() => valuesEnd(view, directory, entryAt(directory, index)));
    if (end > bytes.length) throw new Malformed('ends within its directory');
  }
}

/** The values of a tag, of which there must be so many. */
function readTiffList(bytes: Uint8Array, tag: number, countMin: number) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = inside(() => openDirectory(view));
  const entry = inside(() => findEntry(view, directory, tag));
  if (entry === undefined) throw new Malformed('does not say where its pixels are');
  if (inside(() => countOf(view, directory, entry)) < countMin) {
    throw new Malformed('lacks part of its pixels');
  }
  return (index: number) => inside(() => readValue(view, directory, entry, index));
}

interface Directory {
  readonly little: boolean;
  readonly isBig: boolean;
  readonly first: number;
  readonly count: number;
}

function openDirectory(view: DataView): Directory {
  const little = view.getUint8(0) === 0x49;
  const isBig = view.getUint16(2, little) === 43;
  const start = isBig ? Number(view.getBigUint64(8, little)) : view.getUint32(4, little);
  return directoryAt(view, start, little, isBig);
}

function directoryAt(view: DataView, start: number, little: boolean, isBig: boolean): Directory {
  return isBig
    ? { little, isBig, first: start + 8, count: Number(view.getBigUint64(start, little)) }
    : { little, isBig, first: start + 2, count: view.getUint16(start, little) };
}

/** The value of a tag that has one. */
function findTag(view: DataView, directory: Directory, tag: number): number | undefined {
  const entry = findEntry(view, directory, tag);
  if (entry === undefined) return undefined;
  if (countOf(view, directory, entry) !== 1) throw new Malformed('has no whole number as size');
  return readValue(view, directory, entry, 0);
}

/** Where its entry is. Of a tag that stands there twice, the first counts, as libtiff has it. */
function findEntry(view: DataView, directory: Directory, tag: number): number | undefined {
  for (let index = 0; index < directory.count; index += 1) {
    const at = entryAt(directory, index);
    if (view.getUint16(at, directory.little) === tag) return at;
  }
  return undefined;
}

function entryAt({ first, isBig }: Directory, index: number): number {
  return first + index * (isBig ? 20 : 12);
}

type Encoding = Pick<Directory, 'little' | 'isBig'>;

function countOf(view: DataView, { little, isBig }: Encoding, entry: number): number {
  return isBig ? Number(view.getBigUint64(entry + 4, little)) : view.getUint32(entry + 4, little);
}

function readValue(view: DataView, encoding: Encoding, entry: number, index: number): number {
  const { little } = encoding;
  const type = view.getUint16(entry + 2, little);
  if (!integerTypes.has(type)) throw new Malformed('has no whole number as size');
  const bytes = typeBytes(type);
  const place = valuesStart(view, encoding, entry) + index * bytes;
  if (bytes === 8) return Number(view.getBigUint64(place, little));
  if (bytes === 4) return view.getUint32(place, little);
  return bytes === 2 ? view.getUint16(place, little) : view.getUint8(place);
}

/** Values that do not fit in their entry stand elsewhere. */
function valuesStart(view: DataView, encoding: Encoding, entry: number): number {
  const { little, isBig } = encoding;
  const inline = entry + (isBig ? 12 : 8);
  if (valuesBytes(view, encoding, entry) <= (isBig ? 8 : 4)) return inline;
  return isBig ? Number(view.getBigUint64(inline, little)) : view.getUint32(inline, little);
}

function valuesEnd(view: DataView, encoding: Encoding, entry: number): number {
  return valuesStart(view, encoding, entry) + valuesBytes(view, encoding, entry);
}

function valuesBytes(view: DataView, encoding: Encoding, entry: number): number {
  return typeBytes(view.getUint16(entry + 2, encoding.little)) * countOf(view, encoding, entry);
}

/** Of one value; 0 where the type is unknown. */
function typeBytes(type: number): number {
  return bytesByType[type] ?? 0;
}

/** From BYTE (1) to IFD (13), and LONG8 with its kinds. */
const bytesByType: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];

/** BYTE, SHORT, LONG, their signed kinds, IFD, LONG8 with its kinds. */
const integerTypes: ReadonlySet<number> = new Set([1, 3, 4, 6, 8, 9, 13, 16, 17, 18]);

function inside<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof RangeError) throw new Malformed('has a directory outside of the file');
    throw cause;
  }
}
