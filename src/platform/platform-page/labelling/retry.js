// When a request that failed is sent again.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { leadsToSignIn } from '../refused-key.js';

const retryMs = 2_000;

/** No answer, too much at once, or a fault of the service. @param {number} status */
export function isPassing(status) {
  return status === 0 || status === 429 || status >= 500;
}

/**
 * The same of what is to be saved. Where the sign-in has ended the person is led to the next one,
 * and what is not saved waits for it. @param {unknown} thrown
 */
export function mayGoWell(thrown) {
  return leadsToSignIn(thrown) || isPassing(failureOf(thrown).status);
}

/**
 * A while, or until the network is back; after a 401 until somebody has signed in.
 * @param {number} [status]
 * @returns {Promise<void>}
 */
export function untilRetry(status) {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const go = () => {
      stop.abort();
      resolve();
    };
    const event = status === 401 ? signedInEvent : 'online';
    window.addEventListener(event, go, { signal: stop.signal });
    if (status !== 401) setTimeout(go, retryMs);
  });
}

const signedInEvent = 'fovea-signed-in';
const savedCheckMs = 50;

/**
 * Somebody has signed in: what waits for that is sent. @returns {Promise<void>} when nothing waits
 * any more, or after a while
 */
export async function sendWhatWaits() {
  window.dispatchEvent(new Event(signedInEvent));
  for (let waited = 0; unsaved.size > 0 && waited < retryMs; waited += savedCheckMs) {
    await new Promise((resolve) => setTimeout(resolve, savedCheckMs));
  }
}

/**
 * What is not on the platform yet: as long as there is any, the tab must not be closed. What is taken
 * out of it is not sent any more. With `isKept` the tab has it when it comes back to this page.
 * @type {Set<object>}
 */
export const unsaved = new Set();

let comesBack = false;

/** The tab leaves the page for the sign-in alone. */
export function leaveToSignIn() {
  comesBack = true;
}

window.addEventListener('beforeunload', (event) => {
  const isKept = [...unsaved].every((one) => 'isKept' in one && one.isKept === true);
  if (unsaved.size > 0 && !(isKept && comesBack)) event.preventDefault();
  comesBack = false;
});
