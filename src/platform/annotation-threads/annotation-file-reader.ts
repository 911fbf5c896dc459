// Reads single annotation files: small ones at once, others in worker threads, so that a hostile
// file delays no other request.

import type { AnnotationFile } from '../../annotation-formats/annotation-file.ts';
import {
  checkFile,
  type ReadAnnotation,
  readAnnotation,
} from '../../annotation-formats/parse-annotation.ts';
import { tooLarge } from '../../annotation-formats/value-checks.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { Semaphore } from '../../semaphore.ts';
import { takeUsable } from '../../worker-thread.ts';
import { type AnnotationThread, startAnnotationThread } from './annotation-thread.ts';

export interface AnnotationFileReader {
  /**
   * Throws as parseAnnotation, `too_large` for a file that takes too much time or memory, and the
   * reason of an abort. Files of one owner wait for each other, and those of others do not.
   */
  read(file: AnnotationFile, owner: string, signal: AbortSignal): Promise<ReadAnnotation>;
  close(): void;
}

export function createAnnotationFileReader(): AnnotationFileReader {
  const reads = new Semaphore({ permitsMax: limits.annotationThreadsMax, callerPermitsMax: 1 });
  const threads = new Threads();
  return {
    read: async (file, owner, signal) => {
      checkFile(file);
      if (isSmall(file)) return readAnnotation(file);
      return reads.run(() => threads.read(file, signal), { caller: { name: owner }, signal });
    },
    close: () => threads.close(),
  };
}

function isSmall({ text, labelmap = {} }: AnnotationFile): boolean {
  return text.length + Object.keys(labelmap).length * 8 <= limits.annotationInlineBytesMax;
}

/** Threads that wait for a file end after a while. */
class Threads {
  readonly #idle: AnnotationThread[] = [];
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
    for (const thread of this.#idle.splice(0)) void thread.terminate();
  }

  async #take(signal: AbortSignal): Promise<AnnotationThread> {
    const idleMsMax = limits.annotationThreadIdleMs;
    return takeUsable(this.#idle) ?? startAnnotationThread({ imagePaths: [] }, signal, idleMsMax);
  }

  #keep(thread: AnnotationThread): void {
    if (this.#isClosed) void thread.terminate();
    else this.#idle.push(thread);
  }
}

const noRead = 'An annotation file was not read.';
