// Writes an export as a zip file: the same dataset gives the same bytes.

import { randomUUID } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { syncFolder } from '../durable-folders.ts';
import { type ErrorCode, FoveaError } from '../errors.ts';
import type { ExportContent, ExportDataset, ExportImage } from './export-dataset.ts';
import { type ExportEntry, exportEntries } from './export-entries.ts';
import type { ExportFormat } from './export-format.ts';
import { unreadableEntry } from './unreadable-entry.ts';
import { type FileOrEntry, writeZipFile } from './zip-thread.ts';

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
 * Throws `invalid_input` for what the format cannot hold, `unavailable` where the place of its
 * content cannot be reached, and `cancelled` on abort; nothing is left behind.
 */
export async function writeExport(
  format: ExportFormat,
  given: ExportDataset,
  outputPath: string,
  { signal = new AbortController().signal, onProgress }: WriteExportOptions = {},
): Promise<WrittenExport> {
  let [done, total] = [0, 0];
  const onImage = () => onProgress?.({ done: ++done, total });
  const open = async (image: ExportImage) => {
    return addAbortSignal(signal, await image.open()).once('end', onImage);
  };
  const onTotal = (images: number) => {
    total = images;
  };
  const all = exportEntries(format, given, { signal, open, onTotal });
  const entries = new ZipEntries(all, signal);
  const temporaryPath = `${outputPath}.${randomUUID()}.tmp`;
  try {
    const written = await writeZipFile(entries.all(), temporaryPath, {
      signal,
      onFile: onImage,
    });
    await rename(temporaryPath, outputPath);
    await syncFolder(dirname(outputPath));
    return { ...written, files: entries.count };
  } catch (cause) {
    await rm(temporaryPath, { force: true });
    if (!signal.aborted) throw cause;
    throw new FoveaError('cancelled', 'The export was cancelled.', { cause });
  }
}

/** The entries of an export as those of a zip file, counted. */
class ZipEntries {
  count = 0;
  readonly #entries: AsyncIterable<ExportEntry>;
  readonly #signal: AbortSignal;

  constructor(entries: AsyncIterable<ExportEntry>, signal: AbortSignal) {
    this.#entries = entries;
    this.#signal = signal;
  }

  async *all(): AsyncGenerator<FileOrEntry> {
    for await (const entry of this.#entries) {
      this.count += 1;
      const { path, file } = entry;
      const content = () => (file === undefined ? readEntry(entry, this.#signal) : nothing());
      yield { path, isDeflated: !entry.isCompressed, file, content };
    }
  }
}

async function* readEntry(
  { path, content }: ExportEntry,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of inChunks(await content())) {
      signal.throwIfAborted();
      yield piece;
    }
  } catch (cause) {
    // An image that the format cannot hold, or one that is to be had later.
    if (cause instanceof FoveaError && passedOn.has(cause.code)) throw cause;
    throw unreadableEntry(path, cause);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

const passedOn: ReadonlySet<ErrorCode> = new Set(['invalid_input', 'unavailable']);

/** Each piece costs the compressor a turn of a thread: a box alone is too small for one. */
async function* inChunks(pieces: ExportContent): AsyncGenerator<Uint8Array> {
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
