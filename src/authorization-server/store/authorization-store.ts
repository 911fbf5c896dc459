// Interfaces of the stores for grants, sessions and tokens, and for keys.

/** A row of oidc-provider: ids are hashed, the payload is encrypted under the id. */
export interface AuthorizationRow {
  readonly hash: string;
  readonly kind: string;
  readonly grantHash: string | undefined;
  readonly accountId: string | undefined;
  readonly clientId: string | undefined;
  readonly uidHash: string | undefined;
  readonly sealed: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** A row as read from the store. */
export interface StoredAuthorizationRow extends AuthorizationRow {
  /** Of a Grant: the workspace of its tokens. */
  readonly workspace: string | undefined;
  /** Milliseconds since 1970; undefined: not consumed. */
  readonly consumed: number | undefined;
  /** The succeeding refresh token, encrypted under this one. */
  readonly successor: string | undefined;
}

/** `done`; the row that was rotated first; or `gone`: the token or its grant no longer exists. */
export type Rotation = 'done' | 'gone' | { readonly first: StoredAuthorizationRow };

/** All calls are synchronous, and on the disk when they return. */
export interface AuthorizationStore {
  find(hash: string): StoredAuthorizationRow | undefined;
  findByUid(uidHash: string): StoredAuthorizationRow | undefined;
  /** Inserts or replaces a row. False, and nothing written, when its grant is gone. */
  put(row: AuthorizationRow): boolean;
  /** Marks a row as consumed. False when it already was, or does not exist. */
  consume(hash: string, now: number): boolean;
  /** Consumes the old token and writes its successor in one transaction. */
  rotate(old: { hash: string; successor: string; now: number }, row: AuthorizationRow): Rotation;
  destroy(hash: string): void;
  /** Removes a grant and all its tokens. */
  revokeGrant(grantHash: string): void;
  /** Of a Grant; no effect when it is gone. */
  setWorkspace(grantHash: string, workspace: string): void;
  /** Removes one batch of rows that expired before (seconds since 1970); false: none are left. */
  removeExpired(before: number): boolean;
}

/** A key that signs id_tokens. Times in milliseconds since 1970. */
export interface SigningKey {
  readonly id: string;
  /** The private key as a JSON Web Key (RFC 7517). */
  readonly jwk: Readonly<Record<string, string>>;
  readonly created: number;
  readonly signsFrom: number;
}

export interface KeyStore {
  /** Oldest first. */
  signing(): readonly SigningKey[];
  /** Adds `key` if `newest` is still the newest key, so that only one of two processes adds. */
  addSigning(key: SigningKey, newest: string | undefined): void;
  removeSigning(id: string): void;
  /** Newest first. Stores `fresh` when there is none. */
  cookies(fresh: string, now: number): readonly string[];
}
