// When a request that failed is sent again.

const retryMs = 2_000;

/** No answer, too much at once, or a fault of the service. @param {number} status */
export function isPassing(status) {
  return status === 0 || status === 429 || status >= 500;
}

/** A while, or until the network is back. @returns {Promise<void>} */
export function untilRetry() {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const go = () => {
      stop.abort();
      resolve();
    };
    window.addEventListener('online', go, { signal: stop.signal });
    setTimeout(go, retryMs);
  });
}

/**
 * What is not on the platform yet: as long as there is any, the tab must not be closed. What is taken
 * out of it is not sent any more.
 */
export const unsaved = new Set();

window.addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});
