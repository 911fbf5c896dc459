// Sends one request and reads its whole response; tells at which point it failed.

import type { Dispatcher, FormData } from 'undici';

export interface HttpRequest {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | null;
}

/** A response whose status and headers came. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly bytes: Buffer;
  /** How the body ended: complete, cut off by the connection, or by us for its size. */
  readonly end: 'whole' | 'cut' | 'too_large';
}

/** No response: `sent` tells whether any of the request may have reached the service. */
export interface NoResponse {
  readonly sent: boolean;
  readonly cause: unknown;
}

export type RequestOutcome = HttpResponse | NoResponse;

/** Sends one request. Never rejects. When the signal aborts, the socket is closed at once. */
export function sendRequest(
  agent: Dispatcher,
  request: HttpRequest,
  bytesMax: (status: number) => number,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const { promise, resolve } = Promise.withResolvers<RequestOutcome>();
  const handler = new Collector(bytesMax, signal, resolve);
  // The deadline of the call bounds all of it, so undici's own limits are switched off.
  const bounds = { headersTimeout: 0, bodyTimeout: 0 };
  try {
    agent.dispatch({ ...request, ...bounds, method: request.method }, handler);
  } catch (cause) {
    handler.onResponseError(undefined, cause);
  }
  return promise;
}

class Collector implements Dispatcher.DispatchHandler {
  readonly #bytesMax: (status: number) => number;
  readonly #signal: AbortSignal;
  readonly #resolve: (exchanged: RequestOutcome) => void;
  readonly #onAbort = () => this.#abort();
  #controller: Dispatcher.DispatchController | undefined;
  #head: Pick<HttpResponse, 'status' | 'headers'> | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #sent = false;

  constructor(
    bytesMax: (status: number) => number,
    signal: AbortSignal,
    resolve: (exchanged: RequestOutcome) => void,
  ) {
    this.#bytesMax = bytesMax;
    this.#signal = signal;
    this.#resolve = resolve;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#abort();
  }

  /** Called when a socket is there and the request is about to be written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) this.#abort();
    else this.#sent = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: HttpResponse['headers'],
  ): void {
    if (status < 200) return;
    this.#head = { status, headers };
    const isTooLarge = Number(headers['content-length']) > this.#bytesMax(status);
    if (status < 300 && isTooLarge) this.#refuse();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#head) return;
    this.#size += chunk.length;
    this.#chunks.push(chunk);
    if (this.#size > this.#bytesMax(this.#head.status)) this.#refuse();
  }

  onResponseEnd(): void {
    this.#settle('whole', undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, cause: unknown): void {
    this.#settle('cut', cause);
  }

  #abort(): void {
    this.#settle('cut', this.#signal.reason);
    this.#controller?.abort(new Error('The call has ended.'));
  }

  #refuse(): void {
    this.#settle('too_large', undefined);
    this.#controller?.abort(new Error('The answer is too large.'));
  }

  #settle(end: HttpResponse['end'], cause: unknown): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
    if (this.#head) this.#resolve({ ...this.#head, bytes: Buffer.concat(this.#chunks), end });
    else this.#resolve({ sent: this.#sent, cause });
    this.#chunks = [];
  }
}
