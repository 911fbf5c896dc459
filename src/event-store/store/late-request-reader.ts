// The contract is large: the writing thread loads it after the first request, of which it takes
// none until then. That stops it once, for a sixth of a second; a store that is hardly used, such
// as that of an assistant, never pays for it.

import type { ReadRequest } from './writes.ts';

/** `rules`: those that the thread was given. Undefined for all requests until it is loaded. */
export function createLateReader(rules: unknown): ReadRequest {
  let read: ReadRequest | undefined;
  let isAsked = false;
  const load = async () => {
    const { createRequestReader, isRequestRules } = await import(
      '../validation/create-request-reader.ts'
    );
    if (isRequestRules(rules)) read = createRequestReader(rules);
  };
  return (request) => {
    // Should it fail, the next request asks again.
    if (!isAsked) void load().catch(() => (isAsked = false));
    isAsked = true;
    return read?.(request);
  };
}
