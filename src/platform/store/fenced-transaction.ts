// Transactions of a task's worker: they commit only while the worker holds the task.

/** What a worker does inside a transaction that first makes sure that the work is still its own. */
export type FencedTransaction = <T>(writes: () => T) => T;
