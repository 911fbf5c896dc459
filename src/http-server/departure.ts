// A caller that goes away before its answer: told as a signal, which is made for who asks for it.

/** Whether the caller of one request has gone. A controller for each costs too much. */
export class Departure {
  #controller: AbortController | undefined;
  #hasHappened = false;

  /** Aborts when the caller goes away. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#hasHappened) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  happen(): void {
    this.#hasHappened = true;
    this.#controller?.abort();
  }
}
