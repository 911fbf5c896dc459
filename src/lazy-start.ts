// Lazy, shared start of an asynchronous resource.

export interface LazyStart<Value> {
  get(): Promise<Value>;
  /** What was started, if anything; a start under way is waited for. */
  started(): Promise<Value | undefined>;
}

/** Starts something once; a start that failed is tried again by the next caller. */
export function lazyStart<Value>(start: () => Promise<Value>): LazyStart<Value> {
  let running: Promise<Value> | undefined;
  return {
    get: () => {
      running ??= start().catch((thrown) => {
        running = undefined;
        throw thrown;
      });
      return running;
    },
    started: async () => running?.catch(() => undefined),
  };
}
