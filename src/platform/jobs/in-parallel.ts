// Several pieces of work at a time, as many as memory has room for.

export interface Piece {
  /** What it takes of `weightMax` while it runs. */
  readonly weight: number;
  /** Stops when the signal aborts. */
  readonly run: (stop: AbortSignal) => Promise<void>;
}

export interface ParallelOptions {
  readonly countMax: number;
  /** Of all that run at the same time; a piece that is heavier runs alone. */
  readonly weightMax: number;
  readonly signal: AbortSignal;
}

/** Starts the pieces in their order. The first that fails stops the others, and is thrown. */
export async function inParallel(
  pieces: readonly Piece[],
  { countMax, weightMax, signal }: ParallelOptions,
): Promise<void> {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const running = new Set<Promise<void>>();
  let weight = 0;
  for (const piece of pieces) {
    while (running.size >= countMax || (running.size > 0 && weight + piece.weight > weightMax)) {
      await Promise.race(running);
    }
    if (stop.aborted) break;
    weight += piece.weight;
    const run = piece
      .run(stop)
      .catch((thrown) => failed.abort(thrown))
      .finally(() => {
        weight -= piece.weight;
        running.delete(run);
      });
    running.add(run);
  }
  await Promise.all(running);
  stop.throwIfAborted();
}
