// What is wrong with a file of an archive, apart from what is wrong with the service.

import { FoveaError } from '../../errors.ts';
import { ZipTooLarge } from './open-zip.ts';

/** What is wrong with a file, in our words. Throws what is no fault of the file. */
export function faultOf(thrown: unknown): string {
  if (!(thrown instanceof FoveaError) || thrown instanceof ZipTooLarge) throw thrown;
  const isFault = ['invalid_input', 'too_large', 'unsupported_media'].includes(thrown.code);
  if (!isFault) throw thrown;
  return thrown.problems[0]?.message ?? thrown.message;
}
