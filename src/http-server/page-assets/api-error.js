// A call of a page that did not succeed.

/** An answer that is no success, or none at all (status 0). */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * For a list that the key may not read: nothing of it is shown. Other failures are thrown on.
 * @param {unknown} thrown
 * @returns {never[]}
 */
export function noneIfForbidden(thrown) {
  if (thrown instanceof ApiError && thrown.status === 403) return [];
  throw thrown;
}

/**
 * What is told of a failure; where it is the page that failed, its status is -1.
 * @param {unknown} thrown
 */
export function failureOf(thrown) {
  if (thrown instanceof ApiError) return { status: thrown.status, words: thrown.message };
  return { status: -1, words: 'This page failed.' };
}
