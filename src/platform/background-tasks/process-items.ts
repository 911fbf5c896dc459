// Several pieces of work at a time.

/** Starts them in their order. The first that fails stops the others, and is thrown. */
export async function inParallel<Item>(
  items: readonly Item[],
  countMax: number,
  run: (item: Item, stop: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined && !stop.aborted; item = rest.shift()) {
      await run(item, stop).catch((thrown) => failed.abort(thrown));
    }
  };
  await Promise.all(Array.from({ length: countMax }, lane));
  stop.throwIfAborted();
}
