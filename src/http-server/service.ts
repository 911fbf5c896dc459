// A running HTTP service.

import type { HandleInProcess } from '../contract/in-process.ts';

export interface Service {
  /** For example `http://127.0.0.1:8000`. */
  readonly url: string;
  /** Stops listening, lets running requests end for a moment, then cuts them. */
  close(): Promise<void>;
}

/** A service that its own process can call without HTTP. */
export interface CallableService extends Service {
  readonly handle: HandleInProcess;
}
