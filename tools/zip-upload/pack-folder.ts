// Packs a folder of this machine as a zip file while it is sent.

import { stat } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { FoveaError, invalidArgument } from '../../src/errors.ts';
import { openRealFile } from '../../src/file-access/open-real-file.ts';
import type { UploadSource } from '../../src/http-client/client.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { count, fileAt, fileSize } from '../format.ts';

export interface ToSend extends UploadSource {
  /** The number of files; undefined for a zip file, which is not opened. */
  readonly files: number | undefined;
}

interface PackedFile {
  readonly path: string;
  /** In the zip file, with slashes. */
  readonly name: string;
  readonly bytes: number;
  readonly modified: Date;
}

const argument = 'path';

/**
 * What a path stands for: a zip file as it is, or a folder with all below it, stored without being
 * compressed, so that its size is known before it is sent. Links that lead out of the folder, and
 * files whose names begin with a dot, are left out. Throws `invalid_input` where nothing is left,
 * or more than a zip upload takes.
 */
export async function openToSend(
  path: string,
  { files }: Pick<ToolContext, 'files'>,
): Promise<ToSend> {
  const real = await files.readable(path, argument);
  const found = await stat(real);
  if (found.isDirectory()) return packFolder(real, path, files);
  if (!/\.zip$/i.test(real)) {
    throw invalidArgument(argument, `${fileAt(path)} is neither a folder nor a .zip file`);
  }
  if (found.size === 0) throw invalidArgument(argument, `${fileAt(path)} is empty`);
  checkSize(path, found.size);
  return { files: undefined, bytes: found.size, open: () => readPieces(real) };
}

async function* readPieces(real: string): AsyncGenerator<Uint8Array> {
  yield* (await openRealFile(real)).createReadStream();
}

function checkSize(path: string, bytes: number): void {
  if (bytes <= limits.zipBytesMax) return;
  const sizes = `${fileSize(bytes)}; at most ${fileSize(limits.zipBytesMax)} are taken`;
  throw invalidArgument(argument, `${fileAt(path)} has ${sizes}`);
}

async function packFolder(
  folder: string,
  path: string,
  roots: ToolContext['files'],
): Promise<ToSend> {
  const paths = await roots.expand([folder], argument);
  const inside = paths.flatMap((file) => {
    const name = relative(folder, file).split(sep).join('/');
    return name.split('/').some((part) => part.startsWith('.')) ? [] : [{ path: file, name }];
  });
  if (inside.length === 0) throw invalidArgument(argument, `${fileAt(path)} has no files to send`);
  if (inside.length > limits.zipFilesMax) {
    const figures = `${count(inside.length, 'file')}; a zip upload takes ${limits.zipFilesMax}`;
    throw invalidArgument(
      argument,
      `${fileAt(path)} has ${figures}`,
      'Send its folders one by one.',
    );
  }
  const top = basename(folder);
  const packed: PackedFile[] = [];
  for (const { path: file, name } of inside) {
    const { size, mtime } = await stat(file);
    // The folder itself may say something too: a class, or a split.
    packed.push({ path: file, name: `${top}/${name}`, bytes: size, modified: mtime });
  }
  const bytes = await sizeOf(packed);
  checkSize(path, bytes);
  return { files: packed.length, bytes, open: () => zipped(packed) };
}

/**
 * yazl counts 76 bytes too many from a directory of 64 KB on (some 700 files), where it takes it
 * for one of the large format: always the large format makes it right.
 */
const ending = { forceZip64Format: true, comment: '' };

/** The size of the zip file, without reading any file. */
async function sizeOf(files: readonly PackedFile[]): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const zip = new ZipFile();
  const never: Readable[] = [];
  addFiles(zip, files, never, false);
  zip.end(ending, (...sizes: unknown[]) => resolve(sizes[0]));
  const size = await promise;
  if (typeof size === 'number' && size > 0) return size;
  throw new FoveaError('internal', 'The size of the zip file is not known.');
}

async function* zipped(files: readonly PackedFile[]): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile();
  const opened: Readable[] = [];
  const out = new PassThrough();
  const fail = (cause: unknown) => out.destroy(changed(cause));
  zip.on('error', fail);
  addFiles(zip, files, opened, true, fail);
  zip.end(ending);
  zip.outputStream.pipe(out);
  try {
    for await (const piece of out) yield piece;
  } finally {
    for (const stream of opened) stream.destroy();
  }
}

function changed(cause: unknown): FoveaError {
  return new FoveaError('conflict', 'A file of the folder changed while it was sent.', { cause });
}

/** Open streams, closed here when sending ends early. */
function addFiles(
  zip: ZipFile,
  files: readonly PackedFile[],
  opened: Readable[],
  isRead: boolean,
  fail: (cause: unknown) => void = () => {},
): void {
  for (const { path, name, bytes, modified } of files) {
    const options = { compress: false, size: bytes, mtime: modified, mode: 0o100644 };
    zip.addReadStreamLazy(name, options, (callback) => {
      if (!isRead) return;
      openRealFile(path).then(async (handle) => {
        const isGrown = (await handle.stat()).size > bytes;
        // A buffer is as large as the file, where that is small.
        const end = isGrown ? bytes : Math.max(0, bytes - 1);
        const stream = handle.createReadStream({ end }).on('error', fail);
        opened.splice(0, opened.length, stream);
        callback(null, stream);
      }, fail);
    });
  }
}
