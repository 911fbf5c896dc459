// Who did something, in words: the activity log names credentials, whose ids tell a person nothing.

import { capitalised } from '../../http-server/page-assets/format.js';
import { listActivity, listKeys, listPeople } from './api.js';
import { processKeyWords } from './process-keys.js';

/** @import { ApiKey } from './types.ts' */

/**
 * The names of keys and people by their credentials; none for who may not read them.
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
export async function credentialNames() {
  const [{ apiKeys }, people, revoked] = await Promise.all([
    listKeys().catch(() => ({ apiKeys: [] })),
    peopleNames(),
    revokedNames(),
  ]);
  return new Map([...revoked, ...namesOf(apiKeys), ...people]);
}

/** Keys that were revoked are in no list: the log has the names of the last ones. */
async function revokedNames() {
  const { entries } = await listActivity({ kind: 'api_key', limit: '100' }).catch(() => ({
    entries: [],
  }));
  return entries.flatMap(({ verb, thing_id: id, names: [name] }) =>
    verb === 'deleted' && id !== undefined && name !== undefined && name !== id
      ? [/** @type {const} */ ([`key:${id}`, `${name} (revoked)`])]
      : [],
  );
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
  const ofProcess = processKeyWords.get(who);
  if (ofProcess !== undefined) return capitalised(ofProcess);
  const [kind = '', ...rest] = who.split(':');
  const id = rest.join(':');
  const known = names.get(who);
  if (known !== undefined) return known;
  if (kind === 'key') return `API key ${id}`;
  return kind === 'token' ? `Account ${id}` : who;
}
