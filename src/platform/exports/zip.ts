// Writes an export as a zip file: the same dataset gives the same bytes.

import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { FoveaError } from '../../errors.ts';
import { cocoFiles, cocoImagePath } from './coco.ts';
import type { ExportDataset, ExportFile, ExportFormat, ExportImage } from './export-format.ts';
import { nameForExport } from './export-names.ts';
import { readmeFile } from './readme.ts';
import { vocFiles, vocImagePath } from './voc.ts';
import { yolov8Files, yolov8ImagePath } from './yolov8.ts';

export interface WriteExportOptions {
  readonly signal?: AbortSignal;
  /** Called after each image. */
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

/** Where the bytes of an image are: a path, or a stream that is opened when its turn comes. */
export type OpenImage<Image> = (image: Image) => string | Readable | Promise<string | Readable>;

/**
 * Writes the export to `outputPath`: under a temporary name beside it, synced, then renamed.
 * Throws `cancelled` on abort; nothing is left behind.
 */
export async function writeExport<Image extends ExportImage>(
  format: ExportFormat,
  dataset: ExportDataset<Image>,
  openImage: OpenImage<Image>,
  outputPath: string,
  options: WriteExportOptions = {},
): Promise<{ readonly bytes: number; readonly files: number }> {
  const images = nameForExport(dataset.images);
  const zip = new Zip(options.signal);
  const { files: textFiles, imagePath } = writers[format];
  const named = { ...dataset, images };
  zip.addText(readmeFile(format, named));
  for (const file of textFiles(named)) zip.addText(file);
  let done = 0;
  for (const image of images) {
    const whenRead = () => options.onProgress?.({ done: ++done, total: images.length });
    zip.addImage(imagePath(image), async () => openImage(image), whenRead);
  }
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

const writers: Record<
  ExportFormat,
  {
    readonly files: (dataset: ExportDataset) => Iterable<ExportFile>;
    readonly imagePath: (image: ExportImage) => string;
  }
> = {
  coco: { files: cocoFiles, imagePath: cocoImagePath },
  yolov8: { files: yolov8Files, imagePath: yolov8ImagePath },
  voc: { files: vocFiles, imagePath: vocImagePath },
};

/** Zip files hold local time: the same digits in every time zone. */
function entryOptions(compress: boolean) {
  return { mtime: new Date(2000, 0, 1), mode: 0o100644, forceDosTimestamp: true, compress };
}

/** A zip file being written; entries are opened one after the other. */
class Zip {
  files = 0;
  readonly #zip = new ZipFile();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  #current: Readable | undefined;
  #failure: FoveaError | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = AbortSignal.any([this.#stop.signal, ...(signal ? [signal] : [])]);
    this.#zip.on('error', (cause: unknown) => this.#fail(cause));
  }

  addText({ path, content }: ExportFile): void {
    this.#add(path, true, async () => Readable.from(inChunks(content())));
  }

  addImage(path: string, openImage: () => Promise<string | Readable>, whenRead: () => void): void {
    // These formats are compressed already; BMP and TIFF may not be.
    const compress = /\.(bmp|tiff?)$/i.test(path);
    this.#add(path, compress, async () => {
      const image = await openImage();
      const stream = typeof image === 'string' ? createReadStream(image) : image;
      return stream.once('end', whenRead);
    });
  }

  /** Syncs the file before it is done. */
  async writeTo(path: string): Promise<void> {
    this.#zip.end();
    const file = createWriteStream(path, { flags: 'wx', flush: true });
    try {
      await pipeline(this.#zip.outputStream, file, { signal: this.#signal });
    } catch (cause) {
      this.#stop.abort();
      this.#current?.destroy();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#signal.aborted && cause instanceof Error && cause.name === 'AbortError') {
        throw new FoveaError('cancelled', 'The export was cancelled.', { cause });
      }
      throw cause;
    }
  }

  #add(path: string, compress: boolean, openEntry: () => Promise<Readable>): void {
    this.files++;
    this.#zip.addReadStreamLazy(path, entryOptions(compress), (callback) => {
      if (this.#signal.aborted) return;
      openEntry().then(
        (stream) => {
          this.#current = stream.once('error', (cause) => this.#fail(cause, path));
          if (this.#signal.aborted) stream.destroy();
          else callback(null, stream);
        },
        (cause: unknown) => this.#fail(cause, path),
      );
    });
  }

  #fail(cause: unknown, path?: string): void {
    const what = path === undefined ? 'A file' : `"${path}"`;
    const message = `${what} of the export cannot be read.`;
    this.#failure ??= new FoveaError('internal', message, { cause });
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

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
