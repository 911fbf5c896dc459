// The scope of a call that a host makes without a tool: it only reads, and asks nobody.

import type { CallScope } from './stages.ts';

export function readOnlyScope(signal: AbortSignal): CallScope {
  return {
    signal,
    progress: () => undefined,
    person: { canOpen: false, canConsent: false, answer: undefined },
  };
}
