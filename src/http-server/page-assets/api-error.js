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
 * What is told of a failure; where it is the page that failed, its status is -1.
 * @param {unknown} thrown
 */
export function failureOf(thrown) {
  if (thrown instanceof ApiError) return { status: thrown.status, words: thrown.message };
  return { status: -1, words: 'This page failed.' };
}
