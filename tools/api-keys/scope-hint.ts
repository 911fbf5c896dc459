// What scopes there are, beside a refusal of one that is none.

import { scopes as allScopes } from '../../src/contract/scopes.ts';
import { asFoveaError, FoveaError } from '../../src/errors.ts';

/**
 * The outcome of a call with these scopes. A refusal because of an unknown one gets the list of
 * all, and what the short way to a key that reads would give; what else is thrown stays as it is.
 */
export async function withScopeHint<Result>(
  asked: readonly string[] | null | undefined,
  reading: readonly string[],
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (thrown) {
    const isUnknown = (name: string) => !allScopes.some((scope) => scope === name);
    const { code, message, problems, retry, upstream } = asFoveaError(thrown);
    if (code !== 'invalid_input' || !asked?.some(isUnknown)) throw thrown;
    throw new FoveaError(code, message, {
      problems,
      retry,
      cause: thrown,
      hint:
        `The scopes are ${allScopes.join(', ')}. ` +
        `access "read" in place of scopes gives ${reading.join(', ')}.`,
      ...(upstream && { upstream }),
    });
  }
}
