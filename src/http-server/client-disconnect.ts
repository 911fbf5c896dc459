// Tells handlers that the client disconnected before it was answered.

/** Of one request. Its controller is made on first use: one for each request costs too much. */
export class ClientDisconnect {
  #controller: AbortController | undefined;
  #hasHappened = false;

  /** Aborts when the client disconnects. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#hasHappened) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  happened(): void {
    this.#hasHappened = true;
    this.#controller?.abort();
  }
}
