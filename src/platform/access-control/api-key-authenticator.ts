// Who holds an API key: found by its hash, for every request anew.

import type { Secret } from '../../secret.ts';
import { publishablePrefix, secretPrefix } from '../api-keys/generate-key.ts';
import type { ApiKeyStore } from '../store/api-keys.ts';
import type { Principal } from './authorization.ts';

/**
 * Finds whose key this is, in all processes as soon as it has changed; undefined for one that is
 * unknown, revoked or disabled, which nobody can tell apart.
 */
export function openKeyDoor(
  apiKeys: ApiKeyStore,
): (presented: Secret) => Promise<Principal | undefined> {
  return async (presented) => {
    const text = presented.reveal();
    if (text.startsWith(publishablePrefix)) return holderOfPublishable(apiKeys, text);
    if (!text.startsWith(secretPrefix)) return undefined;
    const known = await apiKeys.byHash(presented.hash());
    if (known === undefined || known.key.isDisabled) return undefined;
    const { key, workspace } = known;
    return {
      workspace,
      scopes: key.scopes && new Set(key.scopes),
      folderIds: key.folderIds,
      name: `key:${key.id}`,
      isPublishable: false,
    };
  };
}

async function holderOfPublishable(
  apiKeys: ApiKeyStore,
  key: string,
): Promise<Principal | undefined> {
  const workspace = await apiKeys.byPublishable(key);
  return (
    workspace && {
      workspace,
      scopes: new Set(['model:infer']),
      folderIds: undefined,
      name: `publishable:${workspace.id}`,
      isPublishable: true,
    }
  );
}
