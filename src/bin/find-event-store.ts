// Finds an Event Store at the usual address. Loaded with the first call that asks.

import { text } from 'node:stream/consumers';
import { limits } from '../limits.ts';
import { http } from '../network/http-module.ts';

/** The default address of an Event Store: port 8001 of the device. */
export const eventStoreUrl = 'http://127.0.0.1:8001';

/**
 * Asks once, without a key, and waits only shortly: whatever else listens there is no reason to
 * wait. Only an Event Store counts events at that path, or wants a key for it.
 */
export async function eventStoreAnswers(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const signal = AbortSignal.timeout(limits.eventStoreProbeMs);
  const url = `${eventStoreUrl}/events/count/stats`;
  const request = http.get(url, { agent: false, signal }, async (response) => {
    const member = telling[String(response.statusCode)];
    const body = await text(response).catch(() => '');
    resolve(member !== undefined && hasMember(body, member));
  });
  request.on('error', () => resolve(false));
  return promise;
}

/**
 * By status, the member that shows an answer to be that of an Event Store (Event Store 9.5, 15.1).
 * An Event Store that fails is still the one of this machine.
 */
const telling: Readonly<Record<string, string>> = {
  '200': 'total_count',
  '401': 'detail',
  '500': 'detail',
};

function hasMember(json: string, name: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  } catch {
    return false;
  }
}
