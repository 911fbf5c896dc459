// Opens a zip file in the file store and reads it in place. Its stated sizes are not trusted: the
// bytes that come out are counted.

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import { checkName, decodeName, isNoise, shownName } from './decode-entry-name.ts';
import {
  boundedSource,
  type ImportSource,
  type NamedFile,
  type SourceFile,
  sortEntries,
  type TakePiece,
} from './import-source.ts';

/** A file in the archive that may be read. */
export interface ZipEntry extends SourceFile {
  readonly compressedBytes: number;
  readonly isDeflated: boolean;
  readonly crc32: number;
  /** Of its local header. */
  readonly offset: number;
}

export interface ZipBounds {
  readonly filesMax: number;
  readonly expandedBytesMax: number;
  readonly textBytesMax: number;
}

const usualBounds: ZipBounds = {
  filesMax: limits.zipFilesMax,
  expandedBytesMax: limits.zipExpandedBytesMax,
  textBytesMax: limits.zipTextBytesMax,
};

/**
 * Opens a zip file. Throws `invalid_input` for one that is damaged or dishonest, and for one of too
 * many files: they are counted before any of them is read.
 */
export async function openZip(
  files: FileStore,
  file: string,
  signal: AbortSignal,
  bounds: ZipBounds = usualBounds,
): Promise<ImportSource> {
  const reader = new StoredReader(files, file, await files.size(file));
  const listed = await listEntries(reader, signal);
  const count = listed.filter(({ isFolder, path }) => !isFolder && !isNoise(path ?? '')).length;
  if (count > bounds.filesMax) {
    const message = `The zip file has ${count} files; at most ${bounds.filesMax} are taken.`;
    throw new FoveaError('invalid_input', message);
  }
  refuseOverlap(listed);
  const { entries, refused } = sortEntries(
    listed.filter(({ isFolder }) => !isFolder),
    'archive',
  );
  return boundedSource({
    entries,
    refused,
    name: 'the zip file',
    bytesMax: bounds.expandedBytesMax,
    textBytesMax: bounds.textBytesMax,
    give: (entry, take) => unpackEntry(reader, entry, take, signal),
  });
}

/** An entry as it stands in the central directory. */
interface Listed extends NamedFile<Omit<ZipEntry, 'path'>> {
  readonly isFolder: boolean;
  /** Bytes of its local header and content, at the least. */
  readonly bytes: number;
}

async function listEntries(reader: StoredReader, signal: AbortSignal): Promise<readonly Listed[]> {
  const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
  const zip = await orDamaged(fromRandomAccessReaderPromise(reader, reader.bytes, options), signal);
  if (zip.entryCount > limits.zipEntriesMax) throw tooManyEntries(zip.entryCount);
  return orDamaged(readDirectory(zip, signal), signal);
}

async function readDirectory(zip: ZipFile, signal: AbortSignal): Promise<readonly Listed[]> {
  const listed: Listed[] = [];
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    signal.throwIfAborted();
    bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (bytes > limits.zipDirectoryBytesMax) throw new Error('the directory is too large');
    // The library makes an object of each field.
    if (entry.extraFieldLength > limits.zipExtraFieldBytesMax) throw new Error('extra fields');
    listed.push(readListed(entry));
  }
  return listed;
}

/** What the library or a damaged file says; not what the disk says. */
async function orDamaged<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    const isOurs = cause instanceof FoveaError && cause.code !== 'invalid_input';
    if (isOurs || signal.aborted) throw cause;
    const message = 'The file is not a zip file, or the list of its files is damaged.';
    throw new FoveaError('invalid_input', message, { cause });
  }
}

function tooManyEntries(count: number): FoveaError {
  return new FoveaError(
    'invalid_input',
    `The zip file has ${count} entries; at most ${limits.zipFilesMax} files are taken.`,
  );
}

/** Its buffers are not kept: comments and extra fields of all entries may be far larger. */
function readListed(entry: Entry): Listed {
  const bytes: unknown = entry.fileName;
  const raw = Buffer.isBuffer(bytes) ? bytes : Buffer.from(entry.fileName);
  const { generalPurposeBitFlag: flags, extraFields } = entry;
  const name = decodeName({ bytes: raw, flags, extraFields });
  const checked = checkName(name);
  const mode = (entry.externalFileAttributes >>> 16) & fileKindMask;
  const path = 'path' in checked ? checked.path : undefined;
  return {
    path,
    shownPath: shownName(path ?? name),
    isFolder: mode === folderKind || /[/\\]$/.test(name),
    problem: 'problem' in checked ? checked.problem : problemOf(entry, mode),
    entry: {
      compressedBytes: entry.compressedSize,
      statedBytes: entry.uncompressedSize,
      isDeflated: entry.compressionMethod === deflated,
      crc32: entry.crc32,
      offset: entry.relativeOffsetOfLocalHeader,
    },
    bytes: localHeaderBytes + entry.fileNameLength + entry.compressedSize,
  };
}

// The upper half of the external attributes is the mode of the file on Unix systems.
const fileKindMask = 0o170000;
const folderKind = 0o040000;
const plainKind = 0o100000;

const stored = 0;
const deflated = 8;

function problemOf(entry: Entry, mode: number): string | undefined {
  if (mode === 0o120000) return 'it is a symbolic link';
  if (mode !== 0 && mode !== plainKind && mode !== folderKind) return 'it is no plain file';
  if ((entry.generalPurposeBitFlag & 1) !== 0) return 'it is encrypted';
  const { compressionMethod: method } = entry;
  if (method === stored || method === deflated) return undefined;
  return `its compression method ${method} is not read; use Deflate`;
}

/** Files that share bytes are how small archives become very large ones. */
function refuseOverlap(listed: readonly Listed[]): void {
  const sorted = listed.toSorted((a, b) => a.entry.offset - b.entry.offset);
  let end = 0;
  for (const { entry, bytes } of sorted) {
    if (entry.offset < end) {
      throw new FoveaError('invalid_input', 'The zip file has files that share their bytes.');
    }
    end = entry.offset + bytes;
  }
}

/** Gives the bytes of a file piece by piece. */
async function unpackEntry(
  reader: StoredReader,
  entry: ZipEntry,
  take: TakePiece,
  signal: AbortSignal,
): Promise<void> {
  let bytes = 0;
  let checksum = 0;
  // Node 22 tells how the stream before it ended, not why it did.
  let reason: unknown;
  const takeAll = async (source: AsyncIterable<Buffer>) => {
    for await (const piece of source) {
      bytes += piece.length;
      checksum = crc32(piece, checksum);
      await take(piece).catch((thrown: unknown) => {
        reason = thrown;
        throw thrown;
      });
    }
  };
  const content = await reader.content(entry);
  try {
    if (entry.isDeflated) {
      const inflate = createInflateRaw({ chunkSize: limits.fileReadBytes });
      await pipeline(content, inflate, takeAll, { signal });
    } else await pipeline(content, takeAll, { signal });
  } catch (thrown) {
    if (reason !== undefined) throw reason;
    if (thrown instanceof FoveaError || signal.aborted) throw thrown;
    throw new FoveaError('invalid_input', 'its compressed bytes are damaged', { cause: thrown });
  }
  if (bytes !== entry.statedBytes || checksum !== entry.crc32) {
    throw new FoveaError('invalid_input', 'its bytes are not those that the archive promises');
  }
}

/** Bytes of a local header without its name (APPNOTE.TXT section 4.3.7). */
const localHeaderBytes = 30;
const localHeaderSignature = 0x04034b50;

/**
 * Small pieces are read through a window: the list of the files is read in some large steps, and
 * small files several at a time.
 */
class StoredReader extends RandomAccessReader {
  readonly bytes: number;
  readonly #files: FileStore;
  readonly #file: string;
  #window = { start: 0, bytes: Buffer.alloc(0) };

  constructor(files: FileStore, file: string, bytes: number) {
    super();
    this.bytes = bytes;
    this.#files = files;
    this.#file = file;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#at(position, length).then(
      (found) => {
        found.copy(target, offset);
        callback(null);
      },
      (thrown) => callback(thrown instanceof Error ? thrown : new Error('not read')),
    );
  }

  /** The compressed bytes of a file. Throws `invalid_input` where they are not there. */
  async content({ offset, compressedBytes }: ZipEntry): Promise<Readable> {
    const header = await this.#at(offset, localHeaderBytes);
    if (header.readUInt32LE(0) !== localHeaderSignature) throw damagedEntry();
    const start = offset + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
    const end = start + compressedBytes;
    if (end > this.bytes) throw damagedEntry();
    if (compressedBytes > windowBytes / 2) return this.#open(start, end);
    // Small files stand side by side: one read of the archive serves several.
    return Readable.from([Buffer.from(await this.#at(start, compressedBytes))]);
  }

  async #at(position: number, length: number): Promise<Buffer> {
    if (position < 0 || position + length > this.bytes) throw damagedEntry();
    const { start, bytes } = this.#window;
    if (position >= start && position + length <= start + bytes.length) {
      return bytes.subarray(position - start, position - start + length);
    }
    const end = Math.min(this.bytes, position + Math.max(length, windowBytes));
    const fresh = await buffer(await this.#open(position, end));
    if (fresh.length < length) throw damagedEntry();
    this.#window = { start: position, bytes: fresh };
    return fresh.subarray(0, length);
  }

  #open(start: number, end: number): Promise<Readable> {
    return this.#files.open(this.#file, { start, end: end - 1 });
  }
}

const windowBytes = 64 * 1024;

function damagedEntry(): FoveaError {
  return new FoveaError('invalid_input', 'its place in the archive is damaged');
}
