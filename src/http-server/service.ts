// A running HTTP service.

export interface Service {
  /** For example `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Stops listening, lets running requests end for a moment, then cuts them. */
  close(): Promise<void>;
}
