// Who calls, and what the caller may do.

import { FoveaError, notFound } from '../../errors.ts';
import type { CredentialPlace } from '../../http-server/credentials.ts';
import type { Secret } from '../../secret.ts';
import type { Store } from '../store/store.ts';
import type { Workspace } from '../store/workspaces.ts';

/** A credential of the platform belongs to one workspace. */
export interface Principal {
  readonly workspace: Workspace;
  /** What it may do there; undefined: everything, as an API key. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** Folders to which the credential is restricted; undefined: all of the workspace. */
  readonly folderIds: readonly string[] | undefined;
  /** Names whoever calls: `key:ID`, `publishable:WORKSPACE`, `token:SUBJECT`, `environment`. */
  readonly name: string;
  /** A publishable key: it runs models and does nothing else. */
  readonly isPublishable: boolean;
}

/** Finds whose credential is presented, and from which address; undefined: nobody's. */
export type Door = (
  presented: Secret | undefined,
  place: CredentialPlace,
  address: string,
) => Promise<Principal | undefined>;

/** Finds who holds a credential of one kind. */
type FindHolder = (presented: Secret) => Promise<Principal | undefined>;

export interface DoorOptions {
  /** Accepted for `workspace` as long as the process runs; nothing of them is written down. */
  readonly keys: readonly Secret[];
  readonly workspace: Workspace;
  /** Keys that were made by `api_keys_create`, and publishable ones. */
  readonly apiKeys: FindHolder;
  readonly tokens: FindHolder | undefined;
}

/**
 * What is no key of the process or of the database is looked for among the tokens: an access token
 * in an address or a body is nobody's (RFC 9700 section 4.3.2).
 */
export function openDoor({ keys, workspace, apiKeys, tokens }: DoorOptions): Door {
  const accepted = new Set(keys.map((key) => key.hash()));
  return async (presented, place) => {
    if (presented === undefined) return undefined;
    if (accepted.has(presented.hash())) {
      return {
        workspace,
        scopes: undefined,
        folderIds: undefined,
        name: 'environment',
        isPublishable: false,
      };
    }
    const holder = await apiKeys(presented);
    return holder ?? (place === 'header' ? tokens?.(presented) : undefined);
  };
}

/**
 * Lets a call pass or throws: `not_found` for a workspace that is not there, `forbidden` for one
 * of somebody else (API 25.7).
 */
export async function authorize(
  { workspaces }: Store,
  { workspace }: Principal,
  input: object,
): Promise<void> {
  if (!('workspace' in input) || input.workspace === workspace.slug) return;
  const slug = String(input.workspace);
  const hint = `This credential belongs to the workspace "${workspace.slug}".`;
  if ((await workspaces.find(slug)) === undefined) throw notFound('workspace', slug, hint);
  throw new FoveaError('forbidden', `This credential has no access to "${slug}".`, { hint });
}
