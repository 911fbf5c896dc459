// Threads that compare images whose vectors were read here: for a database that no thread reads.

import { extname } from 'node:path';
import { type ErrorCode, FoveaError, systemErrorCode } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { Semaphore } from '../../../semaphore.ts';
import type { WorkWatcher } from '../../../work-watcher.ts';
import { takeUsable, WorkerThread } from '../../../worker-thread.ts';
import { type ShareDone, tooMuch } from '../long-reads/long-reads.ts';
import type { Compare, ComparisonKind, Comparisons, ImageVectors } from './comparison.ts';
import { toWatcher } from './tell-shares.ts';

export interface ToCompare<Kind extends ComparisonKind = ComparisonKind> {
  readonly kind: Kind;
  readonly vectors: ImageVectors;
}

export type FromComparisonThread<Kind extends ComparisonKind = ComparisonKind> =
  | ShareDone
  | { readonly kind: 'compared'; readonly found: Comparisons[Kind] }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string };

type ComparisonThread = WorkerThread<ToCompare, FromComparisonThread>;

/**
 * A few, which start when they are needed and end when they are not. The memory of the vectors
 * moves to them: it is empty here afterwards. A comparison may take `msMax`.
 */
export function comparisonThreads(msMax: number = limits.comparisonMsMax): {
  readonly compare: Compare;
  readonly close: () => Promise<void>;
} {
  const permits = new Semaphore({ permitsMax: limits.readThreadsMax });
  const idle: ComparisonThread[] = [];
  const running = new Set<ComparisonThread>();
  let isOpen = true;
  const compare = async <Kind extends ComparisonKind>(
    kind: Kind,
    vectors: ImageVectors,
    watcher: WorkWatcher,
  ) => {
    if (!isOpen) throw closing();
    const thread = takeUsable(idle) ?? startThread();
    running.add(thread);
    try {
      return await ask(thread, { kind, vectors }, msMax, watcher);
    } finally {
      running.delete(thread);
      if (thread.isUsable) idle.push(thread);
    }
  };
  return {
    compare: (kind, vectors, watcher = {}) =>
      permits.run(() => compare(kind, vectors, watcher), { signal: watcher.signal }),
    close: async () => {
      isOpen = false;
      await Promise.all([...idle, ...running].map((thread) => thread.terminate()));
    },
  };
}

function startThread(): ComparisonThread {
  return new WorkerThread({
    entry: new URL(`./comparison-worker${extname(import.meta.url)}`, import.meta.url),
    megabytesMax: limits.readMegabytesMax,
    idleMsMax: limits.readThreadIdleMsMax,
  });
}

async function ask<Kind extends ComparisonKind>(
  thread: ComparisonThread,
  question: ToCompare<Kind>,
  msMax: number,
  { signal, onShare }: WorkWatcher,
): Promise<Comparisons[Kind]> {
  const transfer = buffersOf(question.vectors);
  const answer = await thread.ask<Exclude<FromComparisonThread<Kind>, ShareDone>>(
    question,
    { msMax, transfer, signal },
    toWatcher(onShare),
  );
  if (answer === 'too slow') throw tooMuch();
  if (answer === 'ended') throw reasonOf(thread.failure);
  if (answer.kind === 'failed') throw new FoveaError(answer.code, answer.message);
  return answer.found;
}

function buffersOf(vectors: ImageVectors): readonly ArrayBuffer[] {
  if (vectors.kind === 'looks') return [vectors.coefficients.buffer];
  const { values, scales } = vectors.vectors;
  return [values.buffer, scales.buffer];
}

function reasonOf(thrown: unknown): FoveaError {
  if (thrown === undefined) return closing();
  if (systemErrorCode(thrown) === 'ERR_WORKER_OUT_OF_MEMORY') return tooMuch();
  return new FoveaError('internal', 'A thread that compares images has failed.', { cause: thrown });
}

function closing(): FoveaError {
  return new FoveaError('cancelled', 'The service is stopping.');
}
