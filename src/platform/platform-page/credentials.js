// Who did something, in words: the activity log names credentials, whose ids tell a person nothing.

import { listKeys, listPeople } from './api.js';

/** @import { ApiKey } from './types.ts' */

/**
 * The names of keys and people by their credentials; none for who may not read them.
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
export async function credentialNames() {
  const [{ apiKeys }, people] = await Promise.all([
    listKeys().catch(() => ({ apiKeys: [] })),
    peopleNames(),
  ]);
  return new Map([...namesOf(apiKeys), ...people]);
}

/** @returns {Promise<ReadonlyMap<string, string>>} by their credentials */
export async function peopleNames() {
  const { names } = await listPeople().catch(() => ({ names: {} }));
  return new Map(Object.entries(names));
}

/** @param {readonly ApiKey[]} keys @returns {ReadonlyMap<string, string>} by their credentials */
export function namesOf(keys) {
  return new Map(keys.flatMap(({ keyId, name }) => (name ? [[`key:${keyId}`, name]] : [])));
}

/** @param {string | null | undefined} who @param {ReadonlyMap<string, string>} names */
export function whoWords(who, names) {
  if (!who) return 'Fovea itself';
  if (who === 'environment') return "The platform's own key";
  const [kind = '', ...rest] = who.split(':');
  const id = rest.join(':');
  const known = names.get(who);
  if (known !== undefined) return known;
  if (kind === 'key') return `API key ${id}`;
  return kind === 'token' ? `Account ${id}` : who;
}
