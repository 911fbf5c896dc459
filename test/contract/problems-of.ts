// What a refusal says.

import { FoveaError, type Problem } from '../../src/errors.ts';

/** The problems of the invalid input that a call refuses. */
export function problemsOf(call: () => unknown): readonly Problem[] {
  try {
    call();
  } catch (error) {
    if (error instanceof FoveaError && error.code === 'invalid_input') return error.problems;
    throw error;
  }
  throw new Error('nothing was refused');
}
