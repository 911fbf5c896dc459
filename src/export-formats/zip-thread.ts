// Writes a zip file in a thread of its own, which reads the files of images by itself.

import { extname } from 'node:path';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { BlobFile } from '../storage/blob-file.ts';
import type { StoredBlob } from '../storage/blob-store.ts';
import { type NoAnswer, WorkerThread } from '../worker-thread.ts';
import { readAhead, type ZipEntry } from './read-ahead.ts';
import type { ZipAnswer, ZipPart } from './zip-parts.ts';

/** An entry, whose content is empty where it has a file. */
export interface FileOrEntry extends ZipEntry {
  readonly file: BlobFile | undefined;
}

export interface WriteZipOptions {
  readonly signal: AbortSignal;
  /** Called for each file once it is written. */
  readonly onFile: () => void;
}

/**
 * Writes a new file, synced. Throws as the contents of the entries do, what the disk says, and the
 * reason of an abort; part of the file may be left then, which nobody writes any more.
 */
export async function writeZipFile(
  entries: AsyncIterable<FileOrEntry>,
  path: string,
  { signal, onFile }: WriteZipOptions,
): Promise<StoredBlob> {
  const thread = new WorkerThread<readonly ZipPart[], ZipAnswer>({
    entry: new URL(`./zip-worker${extname(import.meta.url)}`, import.meta.url),
    data: path,
  });
  const messages = new Messages(thread, { signal, onFile });
  try {
    for await (const entry of readAhead(entries)) {
      const { path: name, isDeflated, file } = entry;
      await messages.add({ kind: 'entry', path: name, isDeflated, file });
      for await (const bytes of entry.content()) await messages.add({ kind: 'piece', bytes });
    }
    return await messages.end();
  } finally {
    await messages.settled;
    await thread.terminate();
  }
}

/** Many parts in each; the next ones come together while the thread works on one. */
class Messages {
  settled: Promise<unknown> = Promise.resolve();
  readonly #thread: WorkerThread<readonly ZipPart[], ZipAnswer>;
  readonly #options: WriteZipOptions;
  #parts: ZipPart[] = [];
  #bytes = 0;
  /** Those to come, the oldest first. */
  readonly #answers: Promise<ZipAnswer>[] = [];

  constructor(thread: WorkerThread<readonly ZipPart[], ZipAnswer>, options: WriteZipOptions) {
    this.#thread = thread;
    this.#options = options;
  }

  async add(part: ZipPart): Promise<void> {
    this.#parts.push(part);
    if (part.kind === 'piece') this.#bytes += part.bytes.byteLength;
    if (this.#parts.length < partsMax && this.#bytes < limits.fileWriteBytes) return;
    await this.#send();
  }

  async end(): Promise<StoredBlob> {
    this.#parts.push({ kind: 'end' });
    await this.#send();
    for (const next of this.#answers) {
      const answer = answered(await next);
      if (answer.kind === 'written') return { hash: answer.hash, bytes: answer.bytes };
    }
    throw new FoveaError('internal', 'The thread that writes an export said no end.');
  }

  async #send(): Promise<void> {
    const isFull = this.#answers.length === messagesMax;
    const oldest = isFull ? this.#answers.shift() : undefined;
    if (oldest !== undefined) answered(await oldest);
    const answer = this.#ask(this.#parts);
    this.#answers.push(answer);
    this.#parts = [];
    this.#bytes = 0;
    this.settled = answer.catch(() => {});
  }

  async #ask(parts: readonly ZipPart[]): Promise<ZipAnswer> {
    const { signal, onFile } = this.#options;
    const answer = await this.#thread.ask(parts, { msMax: limits.zipPartsMsMax, signal });
    if (typeof answer === 'string') return without(answer);
    if (answer.kind !== 'failed') {
      for (const part of parts) if (part.kind === 'entry' && part.file) onFile();
    }
    return answer;
  }
}

/** With one alone the thread would rest while an answer and the next message are on their way. */
const messagesMax = 2;

/** A message for each part would take as long as the part; progress comes with each. */
const partsMax = 20;

function answered(answer: ZipAnswer): Exclude<ZipAnswer, { readonly kind: 'failed' }> {
  if (answer.kind !== 'failed') return answer;
  throw new FoveaError(answer.code, answer.message);
}

function without(answer: NoAnswer): ZipAnswer {
  const message = `The thread that writes an export ${answer === 'ended' ? 'ended' : 'was too slow'}.`;
  return { kind: 'failed', code: 'internal', message };
}
