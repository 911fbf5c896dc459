// One work after the other, in the order in which they came.

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Does `work` once all before it has ended, well or not. Resolves or rejects as it does. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const taken = this.#last.then(work);
    this.#last = taken.catch(() => {});
    return taken;
  }
}
