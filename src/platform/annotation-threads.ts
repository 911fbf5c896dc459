// Reads annotation files that come one by one: small ones at once, all others in threads, so that
// the worst of them holds up nobody else.

import type { AnnotationFile } from '../annotation-formats/annotation-file.ts';
import { checkFile } from '../annotation-formats/parse-annotation.ts';
import { type ReadAnnotation, readAnnotation } from '../annotation-formats/read-annotation.ts';
import { tooLarge } from '../annotation-formats/value-checks.ts';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { type ReaderThread, startReaderThread } from './zips/reader-thread.ts';

export interface AnnotationReaders {
  /**
   * Throws as parseAnnotation, `too_large` for a file that takes too much time or memory, and the
   * reason of an abort. Files of one owner wait for each other, and those of others do not.
   */
  read(file: AnnotationFile, owner: string, signal: AbortSignal): Promise<ReadAnnotation>;
  close(): void;
}

export function createAnnotationReaders(): AnnotationReaders {
  const turns = new Turns();
  const threads = new Threads();
  return {
    read: async (file, owner, signal) => {
      checkFile(file);
      if (isSmall(file)) return readAnnotation(file);
      await turns.begin(owner);
      try {
        return await threads.read(file, signal);
      } finally {
        turns.end(owner);
      }
    },
    close: () => threads.close(),
  };
}

function isSmall({ text, labelmap = {} }: AnnotationFile): boolean {
  return text.length + Object.keys(labelmap).length * 8 <= limits.annotationInlineBytesMax;
}

/** One file of each owner at a time, and so many of all. */
class Turns {
  /** In the order in which their turns come. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #running = new Set<string>();

  begin(owner: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = this.#waiting.get(owner);
    if (own) own.push(resolve);
    else this.#waiting.set(owner, [resolve]);
    this.#next();
    return promise;
  }

  end(owner: string): void {
    this.#running.delete(owner);
    this.#next();
  }

  #next(): void {
    for (const [owner, own] of this.#waiting) {
      if (this.#running.size >= limits.annotationThreadsMax) return;
      if (this.#running.has(owner)) continue;
      const first = own.shift();
      this.#waiting.delete(owner);
      // Behind the others: their turns come first.
      if (own.length > 0) this.#waiting.set(owner, own);
      this.#running.add(owner);
      first?.();
    }
  }
}

/** Threads that wait for a file end after a while. */
class Threads {
  readonly #idle: { readonly thread: ReaderThread; readonly timer: NodeJS.Timeout }[] = [];
  #isClosed = false;

  async read(file: AnnotationFile, signal: AbortSignal): Promise<ReadAnnotation> {
    signal.throwIfAborted();
    const { text, ...rest } = file;
    const thread = await this.#take(signal);
    const question = { msMax: limits.annotationMsMax, signal };
    const given = await thread.ask({ kind: 'own', file: rest, content: text }, question);
    if (given === 'too slow') throw tooLarge('', 'takes too long to be read');
    if (given === 'ended') throw tooLarge('', 'needs too much memory to be read');
    this.#keep(thread);
    if (given.kind === 'annotation') return given.read;
    if (given.kind !== 'refused' || given.failure === undefined)
      throw new FoveaError('internal', noRead);
    const { code, message, problems, hint } = given.failure;
    throw new FoveaError(code, message, { problems, ...(hint !== undefined && { hint }) });
  }

  close(): void {
    this.#isClosed = true;
    for (const { thread, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      thread.close();
    }
  }

  async #take(signal: AbortSignal): Promise<ReaderThread> {
    const idle = this.#idle.pop();
    clearTimeout(idle?.timer);
    return idle?.thread ?? startReaderThread({ imagePaths: [] }, signal);
  }

  #keep(thread: ReaderThread): void {
    if (this.#isClosed) {
      thread.close();
      return;
    }
    const timer = setTimeout(() => {
      const at = this.#idle.findIndex((idle) => idle.thread === thread);
      this.#idle.splice(at, 1);
      thread.close();
    }, limits.annotationThreadIdleMs).unref();
    this.#idle.push({ thread, timer });
  }
}

const noRead = 'An annotation file was not read.';
