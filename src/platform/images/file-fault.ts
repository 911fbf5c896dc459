// What is wrong with a file that an upload refuses.

import { FoveaError } from '../../errors.ts';

/** In words; undefined where it is not the fault of the file. */
export function faultOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof FoveaError)) return undefined;
  const isFault = ['invalid_input', 'too_large', 'unsupported_media'].includes(thrown.code);
  return isFault ? (thrown.problems[0]?.message ?? thrown.message) : undefined;
}
