// A key that is no longer good leads to the sign-in, also where a page loads a part of itself later.

import { ApiError } from '../../http-server/page-assets/api-error.js';

/** Undefined where the page has no sign-in: inside a host. @type {((words: string) => void) | undefined} */
let lead;

/** @param {(words: string) => void} act shows the sign-in, with why */
export function onRefusedKey(act) {
  lead = act;
}

/**
 * Leads to the sign-in if that is what failed.
 * @param {unknown} thrown
 * @returns {boolean} whether it was: then the page has nothing more to say
 */
export function leadsToSignIn(thrown) {
  if (!(thrown instanceof ApiError) || thrown.status !== 401) return false;
  if (lead === undefined) return false;
  lead(thrown.message);
  return true;
}
