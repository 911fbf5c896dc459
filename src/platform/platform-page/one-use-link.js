// Signs in by a link of one use, as `fovea open` makes it.

import { keepKey } from './api-key-of-tab.js';

/**
 * Exchanges the code of the address for a key, and shows the view that it names. The code is taken
 * out of the address first. @returns {Promise<string | undefined>} why that failed
 */
export async function signInByLink() {
  const given = new URLSearchParams(location.hash.slice(1));
  const code = given.get('sign-in');
  if (code === null) return undefined;
  history.replaceState(null, '', `#${given.get('view') ?? 'projects'}`);
  const response = await fetch(`${location.origin}/page/sign-in`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
    signal: AbortSignal.timeout(60_000),
  }).catch(() => undefined);
  const answer = await response?.json().catch(() => undefined);
  if (response?.ok && typeof answer?.key === 'string') {
    keepKey(answer.key);
    return undefined;
  }
  return 'This link was used already, or is older than a minute. Run fovea open again.';
}
