// API keys, stored by the hashes of their secrets: the store's interface.

import type { Workspace } from './workspaces.ts';

export interface ApiKey {
  readonly id: string;
  readonly workspaceId: string;
  /** The first characters of the secret, for people to recognise it. */
  readonly prefix: string;
  readonly name: string | undefined;
  /** Undefined: full access. */
  readonly scopes: readonly string[] | undefined;
  /** Undefined: all of the workspace. */
  readonly folderIds: readonly string[] | undefined;
  readonly customMetadata: unknown;
  readonly isProtected: boolean;
  readonly isDisabled: boolean;
  readonly createdBy: string;
  readonly created: number;
  /** To the hour; undefined: never, or before this was kept. */
  readonly lastUsed: number | undefined;
}

/** A key as it is added, with `Secret.hash` of its secret. */
export interface NewApiKey extends ApiKey {
  readonly hash: string;
}

export interface KnownKey {
  readonly key: ApiKey;
  readonly workspace: Workspace;
}

/** Looks at a key as it is, in the transaction that changes it. What it throws stops the change. */
type Look<Result> = (key: ApiKey) => Result;

export interface ApiKeyStore {
  /** False where the workspace has `countMax` keys already. */
  add(key: NewApiKey, countMax: number): Promise<boolean>;
  /** Also one that is disabled. */
  byHash(hash: string): Promise<KnownKey | undefined>;
  markUsed(id: string, now: number): Promise<void>;
  /** The oldest first. */
  list(workspaceId: string): Promise<readonly ApiKey[]>;
  find(workspaceId: string, id: string): Promise<ApiKey | undefined>;
  /** Replaces the key with what `decide` gives. Undefined: there is no such key. */
  change(workspaceId: string, id: string, decide: Look<ApiKey>): Promise<ApiKey | undefined>;
  /** False: there is no such key. */
  remove(workspaceId: string, id: string, look: Look<void>): Promise<boolean>;
  /** Replaces the key with what `make` gives. Undefined: there is no such key. */
  replace(workspaceId: string, id: string, make: Look<NewApiKey>): Promise<ApiKey | undefined>;
  /** The publishable key of a workspace; adds what `make` gives where it is missing. */
  publishable(workspaceId: string, make: () => string): Promise<string>;
  byPublishable(key: string): Promise<Workspace | undefined>;
}
