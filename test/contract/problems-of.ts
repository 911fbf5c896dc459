// What a refusal says, in words.

import { FoveaError } from '../../src/errors.ts';

/** The problems of the invalid input that a call refuses: where, and what would be right. */
export function problemsOf(call: () => unknown) {
  try {
    call();
  } catch (error) {
    if (error instanceof FoveaError && error.code === 'invalid_input') {
      return error.problems.map(({ path, message }) => ({ path, message }));
    }
    throw error;
  }
  throw new Error('nothing was refused');
}
