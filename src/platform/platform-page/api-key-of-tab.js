// The credential of this tab: an API key that was asked for once, or the access token of an account.
// Kept until the tab is closed, forgotten when it is refused.

const name = 'fovea-key';
/** When an access token ends: it tells one from an API key. */
const endName = 'fovea-key-ends';

/** @returns {string | null} */
export function knownKey() {
  return sessionStorage.getItem(name);
}

/** When the access token of this tab ends; undefined: it has an API key or nothing. */
export function knownEnd() {
  const end = sessionStorage.getItem(endName);
  return end === null ? undefined : Number(end);
}

/** @param {string} key */
export function keepKey(key) {
  sessionStorage.removeItem(endName);
  sessionStorage.setItem(name, key);
}

/** @param {string} token @param {number} end milliseconds since 1970 */
export function keepToken(token, end) {
  sessionStorage.setItem(endName, String(end));
  sessionStorage.setItem(name, token);
}

export function forgetKey() {
  sessionStorage.removeItem(name);
  sessionStorage.removeItem(endName);
}
