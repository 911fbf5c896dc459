// Writes an export as a zip file: the same dataset gives the same bytes.

import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { FoveaError } from '../errors.ts';
import { syncFolder } from '../folder-sync.ts';
import { ContentMeter } from '../storage/content-hash.ts';
import { writeSynced } from '../storage/write-synced-file.ts';
import type { ExportDataset, ExportFile, ExportImage } from './export-dataset.ts';
import { addExportEntries } from './export-entries.ts';
import type { ExportFormat } from './export-format.ts';
import { type ZipEntry, zipStream } from './zip-stream.ts';

export interface WriteExportOptions {
  readonly signal?: AbortSignal;
  /** Called after each image. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface WrittenExport {
  readonly bytes: number;
  /** SHA-256 of the zip file, hex. */
  readonly hash: string;
  readonly files: number;
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
  { signal = new AbortController().signal, onProgress }: WriteExportOptions = {},
): Promise<WrittenExport> {
  const entries: ZipEntry[] = [];
  const add = (path: string, isDeflated: boolean, open: () => Promise<Content> | Content) =>
    entries.push({ path, isDeflated, content: () => readEntry(path, open, signal) });
  const sink = {
    addFile: ({ path, content, isCompressed = false }: ExportFile) =>
      add(path, !isCompressed, content),
    // These formats are compressed already; BMP and TIFF may not be.
    addImage: (path: string, { open }: ExportImage) =>
      add(path, /\.(bmp|tiff?)$/i.test(path), open),
  };
  let done = 0;
  const total = addExportEntries(sink, format, given, (image) => ({
    ...image,
    open: async () => {
      const stream = addAbortSignal(signal, await image.open());
      return stream.once('end', () => onProgress?.({ done: ++done, total }));
    },
  }));
  const temporaryPath = `${outputPath}.${randomUUID()}.tmp`;
  const meter = new ContentMeter();
  try {
    await writeSynced(temporaryPath, meter.through(zipStream(entries)));
    await rename(temporaryPath, outputPath);
    await syncFolder(dirname(outputPath));
    return { ...meter.measured(), files: entries.length };
  } catch (cause) {
    await rm(temporaryPath, { force: true });
    if (!signal.aborted) throw cause;
    throw new FoveaError('cancelled', 'The export was cancelled.', { cause });
  }
}

type Content = AsyncIterable<Uint8Array> | Iterable<string>;

async function* readEntry(
  path: string,
  open: () => Promise<Content> | Content,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of inChunks(await open())) {
      signal.throwIfAborted();
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof FoveaError && cause.code === 'invalid_input') throw cause;
    const message = `"${path}" of the export cannot be read.`;
    throw new FoveaError('internal', message, { cause });
  }
}

/** Each piece costs the compressor a turn of a thread: a box alone is too small for one. */
async function* inChunks(pieces: Content): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const piece of pieces) {
    if (typeof piece !== 'string') {
      yield piece;
      continue;
    }
    text += piece;
    if (text.length < chunkCharacters) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

const chunkCharacters = 64 * 1024;
