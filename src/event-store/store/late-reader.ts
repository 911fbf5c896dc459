// The contract is large: the writing thread loads it when the first request comes, and takes none
// before it is there, so that nobody waits.

import type { ReadRequest } from './writes.ts';

/** `rules`: those that the thread was given. Undefined for all requests until it is loaded. */
export function createLateReader(rules: unknown): ReadRequest {
  let read: ReadRequest | undefined;
  let isAsked = false;
  const load = async () => {
    const { createRequestReader, isRequestRules } = await import('../intake/requests.ts');
    if (isRequestRules(rules)) read = createRequestReader(rules);
  };
  return (request) => {
    if (!isAsked) load().catch(() => {});
    isAsked = true;
    return read?.(request);
  };
}
