// Transactions that commit only while the worker still holds the lease of its task.

/** What a worker does inside a transaction that first makes sure that the work is still its own. */
export type FencedTransaction = <T>(writes: () => Promise<T>) => Promise<T>;
