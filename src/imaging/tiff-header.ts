// Reads how the first page of a TIFF stores its pixels: tiles, strips or planes, and their sizes.

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

/** The value of a tag that has one whole number; undefined: there is no such tag. */
export type TiffTags = (tag: number) => number | undefined;

/** The first directory of a TIFF file, or of EXIF. Throws `Malformed`, as its tags do. */
export function readTiffTags(bytes: Uint8Array): TiffTags {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const directory = inside(() => openDirectory(view));
  return (tag) => inside(() => findTag(view, directory, tag));
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

/** Of a tag that stands there twice, the first counts, as libtiff has it. */
function findTag(view: DataView, { little, isBig, first, count }: Directory, tag: number) {
  const entryBytes = isBig ? 20 : 12;
  for (let index = 0; index < count; index += 1) {
    const at = first + index * entryBytes;
    if (view.getUint16(at, little) !== tag) continue;
    return readValue(view, { little, isBig }, at);
  }
  return undefined;
}

type Encoding = Pick<Directory, 'little' | 'isBig'>;

function readValue(view: DataView, { little, isBig }: Encoding, at: number): number {
  const type = view.getUint16(at + 2, little);
  const count = isBig ? view.getBigUint64(at + 4, little) : view.getUint32(at + 4, little);
  const bytes = integerBytes[type];
  if (bytes === undefined || Number(count) !== 1)
    throw new Malformed('has no whole number as size');
  const inline = at + (isBig ? 12 : 8);
  // A value that does not fit in its entry stands elsewhere.
  const place = bytes === 8 && !isBig ? view.getUint32(inline, little) : inline;
  if (bytes === 8) return Number(view.getBigUint64(place, little));
  if (bytes === 4) return view.getUint32(place, little);
  return bytes === 2 ? view.getUint16(place, little) : view.getUint8(place);
}

/** By type: BYTE, SHORT, LONG, their signed kinds, IFD, LONG8 with its kinds. */
const integerBytes: Readonly<Record<number, 1 | 2 | 4 | 8>> = {
  1: 1,
  3: 2,
  4: 4,
  6: 1,
  8: 2,
  9: 4,
  13: 4,
  16: 8,
  17: 8,
  18: 8,
};

function inside<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof RangeError) throw new Malformed('has a directory outside of the file');
    throw cause;
  }
}
