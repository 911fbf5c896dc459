// Files of a multipart body that report how much of them was sent. A file on disk is read only when
// it is sent, and must not have changed since.

import { access, constants, lstat } from 'node:fs/promises';
import { openRealFile } from '../file-access/open-real-file.ts';
import { limits } from '../limits.ts';

/** Says how many bytes were read, each time that some were. */
export type OnRead = (bytes: number) => void;

export class ProgressFile extends File {
  readonly #onRead: OnRead;

  constructor(content: Blob, name: string, onRead: OnRead) {
    super([content], name, { type: content.type });
    this.#onRead = onRead;
  }

  override stream() {
    const onRead = this.#onRead;
    const counting = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        onRead(chunk.length);
        controller.enqueue(chunk);
      },
    });
    return super.stream().pipeThrough(counting);
  }
}

/** The state of a file when the request was built. */
interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

class DiskFile extends File {
  readonly #path: string;
  readonly #state: FileState;
  readonly #onRead: OnRead;

  constructor(path: string, state: FileState, { name, type, onRead }: DiskFileOptions) {
    super([], name, { type });
    this.#path = path;
    this.#state = state;
    this.#onRead = onRead;
    // The content is read later, but its length is sent first.
    Object.defineProperty(this, 'size', { value: state.size });
  }

  override stream() {
    return ReadableStream.from(piecesOf(this.#path, this.#state, this.#onRead));
  }
}

export interface DiskFileOptions {
  readonly name: string;
  readonly type: string;
  readonly onRead: OnRead;
}

/**
 * `path`: a real path from the file roots. Throws where there is no plain file that may be read; it
 * is opened, and held against its path, when it is sent.
 */
export async function findDiskFile(path: string, options: DiskFileOptions): Promise<File> {
  await access(path, constants.R_OK);
  const state = await lstat(path);
  if (!state.isFile()) throw changed();
  return new DiskFile(path, state, options);
}

/** Throws `NotReadableError` where it is not the same file any more, or not as long. */
async function* piecesOf(
  path: string,
  { size, mtimeMs, ino }: FileState,
  onRead: OnRead,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const handle = await openRealFile(path).catch((cause) => {
    throw changed(cause);
  });
  try {
    const now = await handle.stat();
    if (now.size !== size || now.mtimeMs !== mtimeMs || now.ino !== ino) throw changed();
    for (let at = 0; at < size; ) {
      const piece = new Uint8Array(Math.min(limits.fileReadBytes, size - at));
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) throw changed();
      at += bytesRead;
      onRead(bytesRead);
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

function changed(cause?: unknown): DOMException {
  return new DOMException('The file changed.', { name: 'NotReadableError', cause });
}
