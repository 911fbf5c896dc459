// The loads under which stores are killed and lose their power.

import type { LoadOptions } from './send-load.ts';

export interface Loaded {
  readonly name: string;
  readonly options: LoadOptions;
  /** The acknowledged writes of a round, at most. */
  readonly acknowledgedMax: number;
  /** Of the store, beside those of all trials. */
  readonly environment: Readonly<Record<string, string>>;
}

export const mixed: Loaded = {
  name: 'mixed load',
  options: { clients: 8, fileBytesMax: 2_000_000 },
  acknowledgedMax: 100,
  environment: {},
};

/**
 * As many producers and events as it takes for transactions of many requests, many steps of the
 * index, and a log that is moved while it is written; and cleanups in all of them.
 */
export const flood: Loaded = {
  name: 'a flood',
  options: { clients: 64, fileBytesMax: 0, isFlood: true },
  acknowledgedMax: 3_000,
  environment: { MAX_RECORDS: '20000', RETENTION_DAYS: '1' },
};
