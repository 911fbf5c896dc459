// What the trial itself asks of the object store: a busy one answers 503 at times, without a fault.

import { setTimeout as wait } from 'node:timers/promises';
import { FoveaError } from '../../src/errors.ts';

/** Asks again while the store says that it cannot answer now; then the trial could not go on. */
export async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (let asked = 1; ; asked += 1) {
    try {
      return await ask();
    } catch (thrown) {
      if (asked === askedMax || !isForLater(thrown)) throw thrown;
      await wait(pauseMs);
    }
  }
}

const askedMax = 30;
const pauseMs = 1_000;

function isForLater(thrown: unknown): boolean {
  if (thrown instanceof FoveaError) return thrown.code === 'unavailable';
  if (!(thrown instanceof Error && '$metadata' in thrown)) return false;
  const { $metadata: metadata } = thrown;
  if (typeof metadata !== 'object' || metadata === null) return false;
  return 'httpStatusCode' in metadata && Number(metadata.httpStatusCode) >= 500;
}
