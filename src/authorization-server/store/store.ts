// What the authorization server keeps beside people and applications: sign-ins, tokens and keys.

/** A row of oidc-provider: every id hashed, the payload sealed under the id. */
export interface Row {
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

/** A row as it is kept. */
export interface KeptRow extends Row {
  /** Of a Grant: the workspace that its tokens are for. */
  readonly workspace: string | undefined;
  /** Milliseconds since 1970; undefined: not used up. */
  readonly consumed: number | undefined;
  /** The refresh token that followed, sealed under this one. */
  readonly successor: string | undefined;
}

/** What became of a rotation: `done`, or who was first, or there is nothing left to rotate. */
export type Rotation = 'done' | 'gone' | { readonly first: KeptRow };

/** All calls are synchronous, and on the disk when they return. */
export interface Rows {
  find(hash: string): KeptRow | undefined;
  findByUid(uidHash: string): KeptRow | undefined;
  /** Writes it anew, or over itself. False, and nothing written, when its grant is gone. */
  put(row: Row): boolean;
  /** Uses a row up. False when it was before, or is not there. */
  consume(hash: string, now: number): boolean;
  /** Uses up the old one and writes its successor, both or neither. */
  rotate(old: { hash: string; successor: string; now: number }, row: Row): Rotation;
  destroy(hash: string): void;
  /** Ends a sign-in: the grant and all that came of it. */
  revokeGrant(grantHash: string): void;
  /** Of a Grant. Nothing when it is gone. */
  setWorkspace(grantHash: string, workspace: string): void;
  /** Removes what ended before that time (seconds since 1970), some at a time; false: all of it. */
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

export interface Keys {
  /** The oldest first. */
  signing(): readonly SigningKey[];
  /**
   * Adds `key` when no key of signing later than `newest` is there (undefined: none at all), so
   * that of two processes only one adds.
   */
  addSigning(key: SigningKey, newest: string | undefined): void;
  removeSigning(id: string): void;
  /** The newest first. Makes the first one from `fresh`. */
  cookies(fresh: string, now: number): readonly string[];
}
