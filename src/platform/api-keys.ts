// Handlers of the toolset "api-keys". A secret is shown once, when it is created.

import { isoTime } from '../clock.ts';
import type { apiKeyExtensions, apiKeys } from '../contract/api-keys.ts';
import { FoveaError, invalidArgument, invalidInput } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import { requireWholeWorkspace } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import {
  changeKey,
  refuseWhereProtected,
  requireNoMoreScopes,
  requireProtector,
} from './api-keys/change-key.ts';
import {
  generatePublishableKey,
  generateSecretKey,
  shownPrefixOf,
} from './api-keys/generate-key.ts';
import { chooseScopes } from './api-keys/granted-scopes.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { newId } from './ids-and-slugs.ts';
import type { ApiKey } from './store/api-keys.ts';
import type { Store } from './store/store.ts';

type All = typeof apiKeys & typeof apiKeyExtensions;

export function apiKeyHandlers(dependencies: PlatformDependencies): Handlers<All, Principal> {
  return {
    ...readHandlers(dependencies),
    ...makeHandlers(dependencies),
    ...changeHandlers(dependencies),
  };
}

type Reads = 'api_keys_list' | 'api_keys_get' | 'api_keys_get_publishable';

function readHandlers({ store }: PlatformDependencies): Handlers<Pick<All, Reads>, Principal> {
  return {
    api_keys_list: async ({ includeDisabled, includeFolders }, { principal }) => {
      requireWholeWorkspace(principal, 'api_keys_list');
      const { id } = principal.workspace;
      const keys = await store.apiKeys.list(id);
      const shown = keys.filter(({ isDisabled }) => includeDisabled || !isDisabled);
      const folders = includeFolders ? await store.folders.names(id) : [];
      const foldersOf = ({ folderIds = [] }: ApiKey) =>
        folders
          .filter((folder) => folderIds.includes(folder.id))
          .map((folder) => ({ id: folder.id, name: folder.name }));
      return {
        apiKeys: shown.map((key) => ({
          ...describeKey(key),
          ...(includeFolders && { folders: foldersOf(key) }),
        })),
        publishableKey: await publishableKey(store, principal),
      };
    },
    api_keys_get: async ({ keyId }, { principal }) => {
      requireWholeWorkspace(principal, 'api_keys_get');
      const key = await store.apiKeys.find(principal.workspace.id, keyId);
      if (!key) throw noKey();
      return { apiKey: describeKey(key) };
    },
    api_keys_get_publishable: async (_input, { principal }) => {
      // It runs the models of all projects.
      requireWholeWorkspace(principal, 'api_keys_get_publishable');
      return { publishableKey: await publishableKey(store, principal) };
    },
  };
}

type Makes = 'api_keys_create' | 'api_keys_roll';

function makeHandlers({
  store,
  clock,
}: PlatformDependencies): Handlers<Pick<All, Makes>, Principal> {
  return {
    api_keys_create: async (input, { principal }) => {
      requireWholeWorkspace(principal, 'api_keys_create');
      const { name, scopes, folderIds, customMetadata = {}, protected: isProtected } = input;
      if (isProtected) requireProtector(principal);
      const secret = generateSecretKey();
      const key: ApiKey = {
        id: newId(),
        workspaceId: principal.workspace.id,
        prefix: shownPrefixOf(secret),
        name,
        scopes: chooseScopes(scopes, principal.scopes),
        folderIds: folderIds && (await checkFolders(store, principal, folderIds)),
        customMetadata: checkMetadata(customMetadata),
        isProtected: isProtected ?? false,
        isDisabled: false,
        createdBy: principal.name,
        created: clock.now(),
        lastUsed: undefined,
      };
      const added = await store.apiKeys.add({ ...key, hash: secret.hash() }, limits.apiKeysMax);
      if (!added) throw tooManyKeys();
      return describeNewKey(store, principal, key, secret);
    },
    api_keys_roll: async ({ keyId }, { principal }) => {
      requireWholeWorkspace(principal, 'api_keys_roll');
      const secret = generateSecretKey();
      const made = await store.apiKeys.replace(principal.workspace.id, keyId, (key) => {
        refuseWhereProtected(key, 'roll');
        requireNoMoreScopes(principal, key, 'roll');
        return {
          ...key,
          id: newId(),
          prefix: shownPrefixOf(secret),
          hash: secret.hash(),
          createdBy: principal.name,
          created: clock.now(),
          lastUsed: undefined,
        };
      });
      if (!made) throw noKey();
      const described = await describeNewKey(store, principal, made, secret);
      return { ...described, disabled: made.isDisabled, revokedKeyId: keyId };
    },
  };
}

type Changes = 'api_keys_update' | 'api_keys_revoke';

function changeHandlers({ store }: PlatformDependencies): Handlers<Pick<All, Changes>, Principal> {
  return {
    api_keys_update: async (input, { principal }) => {
      requireWholeWorkspace(principal, 'api_keys_update');
      if (input.customMetadata) checkMetadata(input.customMetadata);
      const key = await store.apiKeys.change(principal.workspace.id, input.keyId, (key) =>
        changeKey(key, input, principal),
      );
      if (!key) throw noKey();
      return { apiKey: describeKey(key) };
    },
    api_keys_revoke: async ({ keyId }, { principal }) => {
      requireWholeWorkspace(principal, 'api_keys_revoke');
      const { id } = principal.workspace;
      const removed = await store.apiKeys.remove(id, keyId, (key) =>
        refuseWhereProtected(key, 'revoke'),
      );
      if (!removed) throw noKey();
      return { status: 'revoked', keyId };
    },
  };
}

function publishableKey(store: Store, { workspace }: Principal): Promise<string> {
  return store.apiKeys.publishable(workspace.id, generatePublishableKey);
}

/** The same ids, each once. Throws `invalid_input` for folders that are not in the workspace. */
async function checkFolders(
  store: Store,
  { workspace }: Principal,
  folderIds: readonly string[],
): Promise<readonly string[]> {
  if (folderIds.length === 0) {
    // Ambiguous: the caller may mean all folders or no folder.
    throw invalidArgument('folderIds', 'is empty: name folders, or leave it out for all projects');
  }
  const known = new Set((await store.folders.names(workspace.id)).map(({ id }) => id));
  const problems = folderIds.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `folderIds[${index}]`, message: 'is no folder here' }],
  );
  if (problems.length > 0) {
    throw invalidInput(problems.slice(0, limits.problemsShownMax), 'folders_list names them.');
  }
  return [...new Set(folderIds)];
}

function checkMetadata(metadata: object): object {
  const bytes = Buffer.byteLength(JSON.stringify(metadata));
  const { customMetadataBytesMax: most } = limits;
  if (bytes <= most) return metadata;
  throw invalidArgument('customMetadata', `has ${bytes} bytes as JSON; at most ${most} are taken`);
}

function tooManyKeys(): FoveaError {
  return new FoveaError('conflict', `This workspace has ${limits.apiKeysMax} API keys.`, {
    hint: 'Revoke those that nobody uses: api_keys_list with includeDisabled names them.',
  });
}

/** Without the id: the caller may have sent a secret in its place. */
function noKey(): FoveaError {
  return new FoveaError('not_found', 'There is no API key with this keyId.', {
    hint: 'A keyId is no secret and no prefix: api_keys_list with includeDisabled names them all.',
  });
}

/** A key as the API shows it (facts); null stands for everything. */
function describeKey(key: ApiKey) {
  const { id, name, prefix, scopes, folderIds, customMetadata, createdBy, created } = key;
  const { lastUsed } = key;
  return {
    keyId: id,
    name: name ?? null,
    prefix,
    scopes: scopes ? [...scopes] : null,
    folderIds: folderIds ? [...folderIds] : null,
    default: false,
    protected: key.isProtected,
    disabled: key.isDisabled,
    created_on: isoTime(created),
    created_by: createdBy,
    last_used_on: lastUsed === undefined ? null : isoTime(lastUsed),
    rotationDueAt: null,
    customMetadata,
  };
}

async function describeNewKey(store: Store, principal: Principal, key: ApiKey, secret: Secret) {
  const { keyId, name, prefix, scopes, folderIds, created_on } = describeKey(key);
  return {
    keyId,
    key: secret.reveal(),
    name,
    prefix,
    scopes,
    folderIds,
    created_on,
    protected: key.isProtected,
    publishableKey: await publishableKey(store, principal),
  };
}
