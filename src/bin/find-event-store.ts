// Whether an Event Store answers at the usual address. Loaded with the first call that asks.

import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import { limits } from '../limits.ts';

/** Where the second document says that an Event Store answers. */
export const eventStoreUrl = 'http://127.0.0.1:8001';

/**
 * Asks once, and waits only shortly: whatever else listens there is no reason to wait. Its /health
 * needs no key, and is JSON.
 */
export async function eventStoreAnswers(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const signal = AbortSignal.timeout(limits.eventStoreProbeMs);
  const request = get(`${eventStoreUrl}/health`, { agent: false, signal }, async (response) => {
    // 503: one that is not well is still the one of this machine.
    const isAnswer = response.statusCode === 200 || response.statusCode === 503;
    const isHealth = isAnswer && isObject(await text(response).catch(() => ''));
    resolve(isHealth);
  });
  request.on('error', () => resolve(false));
  return promise;
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
