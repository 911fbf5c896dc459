// Writes an export as a zip file: the same dataset gives the same bytes.

import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { FoveaError } from '../errors.ts';
import { syncFolder } from '../folder-sync.ts';
import type { ExportDataset, ExportFile, ExportImage } from './export-dataset.ts';
import { addExportEntries, type ExportSink } from './export-entries.ts';
import type { ExportFormat } from './export-format.ts';

export interface WriteExportOptions {
  readonly signal?: AbortSignal;
  /** Called after each image. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/**
 * Writes the export to `outputPath`: under a temporary name beside it, synced, then renamed.
 * Throws `invalid_input` for what the format cannot hold, and `cancelled` on abort; nothing is left
 * behind.
 */
export async function writeExport(
  format: ExportFormat,
  given: ExportDataset,
  outputPath: string,
  { signal, onProgress }: WriteExportOptions = {},
): Promise<{ readonly bytes: number; readonly files: number }> {
  const zip = new Zip(signal);
  let done = 0;
  let total = 0;
  const watched = (image: ExportImage): ExportImage => ({
    ...image,
    open: async () => {
      const stream = addAbortSignal(zip.signal, await image.open());
      return stream.once('end', () => onProgress?.({ done: ++done, total }));
    },
  });
  total = addExportEntries(zip, format, given, watched);
  const temporaryPath = `${outputPath}.${randomUUID()}.tmp`;
  try {
    await zip.writeTo(temporaryPath);
    const { size } = await stat(temporaryPath);
    await rename(temporaryPath, outputPath);
    await syncFolder(dirname(outputPath));
    return { bytes: size, files: zip.files };
  } catch (thrown) {
    await rm(temporaryPath, { force: true });
    throw thrown;
  }
}

/** Zip files hold local time: the same digits in every time zone. */
function entryOptions(compress: boolean) {
  return { mtime: new Date(2000, 0, 1), mode: 0o100644, forceDosTimestamp: true, compress };
}

/** A zip file being written; entries are opened one after the other. */
class Zip implements ExportSink {
  files = 0;
  readonly #zip = new ZipFile();
  readonly #stop = new AbortController();
  /** Aborted when the export is given up, whatever the reason. */
  readonly signal: AbortSignal;
  #current: Readable | undefined;
  #failure: FoveaError | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.signal = AbortSignal.any([this.#stop.signal, ...(signal ? [signal] : [])]);
    this.#zip.on('error', (cause: unknown) => this.#fail(cause));
  }

  addFile({ path, content, isCompressed = false }: ExportFile): void {
    this.#add(path, !isCompressed, async () => {
      const pieces = content();
      return Symbol.asyncIterator in pieces
        ? Readable.from(pieces, { objectMode: false })
        : Readable.from(inChunks(pieces));
    });
  }

  addImage(path: string, { open }: ExportImage): void {
    // These formats are compressed already; BMP and TIFF may not be.
    this.#add(path, /\.(bmp|tiff?)$/i.test(path), open);
  }

  /** Syncs the file before it is done. */
  async writeTo(path: string): Promise<void> {
    this.#zip.end();
    const file = createWriteStream(path, { flags: 'wx', flush: true });
    try {
      await pipeline(this.#zip.outputStream, file, { signal: this.signal });
    } catch (cause) {
      this.#stop.abort();
      this.#current?.destroy();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.signal.aborted && cause instanceof Error && cause.name === 'AbortError') {
        throw new FoveaError('cancelled', 'The export was cancelled.', { cause });
      }
      throw cause;
    }
  }

  #add(path: string, compress: boolean, openEntry: () => Promise<Readable>): void {
    this.files++;
    this.#zip.addReadStreamLazy(path, entryOptions(compress), (callback) => {
      if (this.signal.aborted) return;
      openEntry().then(
        (stream) => {
          this.#current = stream.once('error', (cause) => this.#fail(cause, path));
          if (this.signal.aborted) stream.destroy();
          else callback(null, stream);
        },
        (cause: unknown) => this.#fail(cause, path),
      );
    });
  }

  #fail(cause: unknown, path?: string): void {
    // Streams that are cut off by the end fail too.
    if (this.signal.aborted) return;
    const what = path === undefined ? 'A file' : `"${path}"`;
    const message = `${what} of the export cannot be read.`;
    const isForeseen = cause instanceof FoveaError && cause.code === 'invalid_input';
    this.#failure = isForeseen ? cause : new FoveaError('internal', message, { cause });
    this.#stop.abort();
  }
}

/** Each chunk costs the compressor a turn of a thread: a box alone is too small for one. */
function* inChunks(pieces: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < chunkCharacters) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

const chunkCharacters = 64 * 1024;
