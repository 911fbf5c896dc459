// Who did something, in words: the activity log names credentials, whose ids tell a person nothing.

import { listKeys } from './api.js';

/** @import { ApiKey } from './types.ts' */

/**
 * The names of the keys by their ids; none for a key that may not read them.
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
export async function keyNames() {
  const { apiKeys } = await listKeys().catch(() => ({ apiKeys: [] }));
  return namesOf(apiKeys);
}

/** @param {readonly ApiKey[]} keys @returns {ReadonlyMap<string, string>} by their ids */
export function namesOf(keys) {
  return new Map(keys.flatMap(({ keyId, name }) => (name ? [[keyId, name]] : [])));
}

/** @param {string | null | undefined} who @param {ReadonlyMap<string, string>} names */
export function whoWords(who, names) {
  if (!who) return 'Fovea itself';
  if (who === 'environment') return "The platform's own key";
  const [kind = '', ...rest] = who.split(':');
  const id = rest.join(':');
  if (kind === 'key') return names.get(id) ?? `API key ${id}`;
  return kind === 'token' ? id : who;
}
