// Threads that read images of the disk with their annotations, check them and put them into the
// blob folder, and the messages that they take and send. The main thread only adds rows.

import { extname } from 'node:path';
import type { Labelmap } from '../../annotation-formats/annotation-file.ts';
import type { ReadAnnotation } from '../../annotation-formats/parse-annotation.ts';
import type { ProjectType } from '../../annotations/annotation.ts';
import type { ImageFile } from '../../imaging/image-file.ts';
import { limits } from '../../limits.ts';
import { type Caller, Semaphore } from '../../semaphore.ts';
import { startWorkerThread, takeUsable, type WorkerThread } from '../../worker-thread.ts';

/** Real paths. An annotation is a file, or the text of one. */
export interface DiskImage {
  readonly path: string;
  readonly name: string;
  readonly annotation: DiskAnnotation | undefined;
}

export interface DiskAnnotation {
  readonly name: string;
  readonly path?: string | undefined;
  readonly text?: string | undefined;
}

export interface ToDiskImageThread {
  readonly images: readonly DiskImage[];
  readonly labelmap: Labelmap | undefined;
  readonly projectType: ProjectType;
  /** From when on their files count as young, in milliseconds since 1970. */
  readonly now: number;
}

/** An image whose bytes are on the disk. */
export interface TakenImage {
  readonly hash: string;
  readonly bytes: number;
  readonly file: ImageFile;
  /** Undefined: there are none, or they cannot be read. */
  readonly labels: ReadAnnotation | undefined;
}

/** One for each image; undefined: it was not taken. */
export type Taken = readonly (TakenImage | undefined)[];

export type FromDiskImageThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'taken'; readonly images: Taken };

export interface DiskImages {
  /**
   * What is no whole image, takes a decoder or does not fit on the disk is not taken. Throws the
   * reason of an abort alone.
   */
  take(question: ToDiskImageThread, caller: Caller, signal: AbortSignal): Promise<Taken>;
  close(): void;
}

type Thread = WorkerThread<ToDiskImageThread, FromDiskImageThread>;

/** `folder`: a blob folder. */
export function openDiskImages(folder: string): DiskImages {
  const turns = new Semaphore({ permitsMax: limits.diskImageThreadsMax });
  const idle: Thread[] = [];
  let isClosed = false;
  const ask = async (question: ToDiskImageThread, signal: AbortSignal): Promise<Taken> => {
    const thread = takeUsable(idle) ?? (await start(folder, signal));
    const given = await thread.ask(question, { msMax: limits.diskImagesMsMax, signal });
    if (typeof given === 'string' || given.kind !== 'taken') return question.images.map(nothing);
    if (isClosed) void thread.terminate();
    else idle.push(thread);
    return given.images;
  };
  return {
    take: (question, caller, signal) => turns.run(() => ask(question, signal), { caller, signal }),
    close: () => {
      isClosed = true;
      for (const thread of idle.splice(0)) void thread.terminate();
    },
  };
}

function start(folder: string, signal: AbortSignal): Promise<Thread> {
  const options = {
    entry: new URL(`./disk-image-worker${extname(import.meta.url)}`, import.meta.url),
    data: folder,
    megabytesMax: limits.annotationThreadMegabytesMax,
    idleMsMax: limits.diskImageThreadIdleMs,
  };
  return startWorkerThread(options, signal);
}

const nothing = () => undefined;
