// Calls an operation that may take minutes: the host is told how far it is.

import type { Input, Operation } from '../contract/operation.ts';
import type { Reply } from '../http-client/client.ts';
import { limits } from '../limits.ts';
import type { ToolContext } from './tool.ts';

/** `words`: what is done meanwhile, for the host. Throws as the call does. */
export async function callLong<O extends Operation>(
  { client, signal, progress }: ToolContext,
  operation: O,
  input: Input<O>,
  words: string,
): Promise<Reply<O>> {
  let seconds = 0;
  // Tiny steps: any real share is more. A service of another process tells none.
  const timer = setInterval(() => {
    seconds += limits.longCallToldMs / 1000;
    progress(seconds / 1e6, undefined, `${words}, ${seconds} s`);
  }, limits.longCallToldMs);
  const onShare = (share: number) => progress(share, 1, words);
  try {
    return await client.call(operation, input, {
      signal,
      onShare,
      timeoutMs: limits.longCallMsMax,
    });
  } finally {
    clearInterval(timer);
  }
}
