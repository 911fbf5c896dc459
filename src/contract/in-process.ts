// A call of an operation inside one process: what HTTP would carry, without a connection.

import type { JsonObject } from '../json-object.ts';
import type { Secret } from '../secret.ts';
import type { OnShare } from '../work-watcher.ts';
import type { Operation } from './operation.ts';

export interface InProcessRequest {
  readonly operation: Operation;
  readonly path: JsonObject;
  readonly query: JsonObject;
  /** JSON text, or the parts of a form; null: there is no body. */
  readonly body: string | InProcessForm | null;
  readonly credential: Secret | undefined;
  /** Aborts when the caller has given up. */
  readonly signal: AbortSignal;
  /** Told which share of the work is done, where it takes long. */
  readonly onShare?: OnShare | undefined;
}

/** The parts of a multipart body, in their order. */
export type InProcessForm = Iterable<[name: string, value: string | File]>;

export interface InProcessResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body, as its handler or error made it. */
  readonly body: unknown;
}

/**
 * Answers a call as the service would over HTTP, errors too. Rejects only where a file of the body
 * cannot be read.
 */
export type HandleInProcess = (request: InProcessRequest) => Promise<InProcessResponse>;
