// The API key of this tab: asked for once, kept until the tab is closed, forgotten when it is refused.

const name = 'fovea-key';

/** @returns {string | null} */
export function knownKey() {
  return sessionStorage.getItem(name);
}

/** @param {string} key */
export function keepKey(key) {
  sessionStorage.setItem(name, key);
}

export function forgetKey() {
  sessionStorage.removeItem(name);
}
