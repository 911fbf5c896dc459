// Credentials as people know them: `key:ID` tells a person nothing, the name of that key does.

import type { Store } from '../store/store.ts';
import type { Principal } from './authorization.ts';

/**
 * The words for a credential that `Principal.name` names. Names of keys are for those who may read
 * them, also in the list of keys; for others the name stays as it is.
 */
export async function credentialWords(
  { apiKeys }: Pick<Store, 'apiKeys'>,
  { workspace, scopes }: Principal,
): Promise<(name: string) => string> {
  const mayRead = scopes === undefined || scopes.has('credentials:read');
  const keys = mayRead ? await apiKeys.list(workspace.id) : [];
  const names = new Map(keys.map(({ id, name }) => [`key:${id}`, name]));
  return (credential) => {
    if (credential === 'environment') return "the platform's own key";
    return names.get(credential) ?? credential;
  };
}
