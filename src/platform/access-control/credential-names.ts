// Credentials as people know them: `key:ID` tells a person nothing, the name of that key does.

import { processKeyWords } from '../platform-page/process-keys.js';
import type { Store } from '../store/store.ts';
import type { Principal } from './authorization.ts';

export interface Person {
  /** The subject of their access tokens. */
  readonly id: string;
  readonly name: string;
  /** Undefined of those who were removed. */
  readonly email?: string | undefined;
}

/** Those with an account in the workspace of this slug, now or before it was removed. */
export type People = (workspace: string) => Promise<readonly Person[]>;

/**
 * The words for a credential that `Principal.name` names. Names of keys are for those who may read
 * them, also in the list of keys; for others the name stays as it is.
 */
export async function credentialWords(
  { apiKeys }: Pick<Store, 'apiKeys'>,
  people: People | undefined,
  principal: Principal,
): Promise<(name: string) => string> {
  const { workspace, scopes } = principal;
  const mayRead = scopes === undefined || scopes.has('credentials:read');
  const keys = mayRead ? await apiKeys.list(workspace.id) : [];
  const names = new Map(keys.map(({ id, name }) => [`key:${id}`, name]));
  for (const { id, name } of await peopleFor(people, principal)) names.set(`token:${id}`, name);
  return (credential) => {
    return processKeyWords.get(credential) ?? names.get(credential) ?? credential;
  };
}

/**
 * The people whose names a caller is told: those of its workspace. None for a key of some folders,
 * for a public key and without the scope.
 */
export async function peopleFor(
  people: People | undefined,
  { workspace, scopes, folderIds, guestOf, isPublishable }: Principal,
): Promise<readonly Person[]> {
  const mayRead = scopes === undefined || scopes.has('workspace:read');
  const isMember = folderIds === undefined && guestOf === undefined && !isPublishable;
  return mayRead && isMember ? ((await people?.(workspace.slug)) ?? []) : [];
}
