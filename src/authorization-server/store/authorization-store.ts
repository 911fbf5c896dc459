// What oidc-provider stores (codes, tokens, grants, sessions) and the signing keys: the interface,
// and its implementation.

import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row as DatabaseRow } from '../../storage/database.ts';

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
  /** The stored password of its account; undefined: it has no account, or that is gone. */
  readonly password: string | undefined;
}

/**
 * `done`; `consumed`: another token was first to succeed this one; `gone`: the token or its grant
 * no longer exists.
 */
export type Rotation = 'done' | 'consumed' | 'gone';

/** What a call has changed is on the disk when it resolves. */
export interface AuthorizationStore {
  find(hash: string): Promise<StoredAuthorizationRow | undefined>;
  findByUid(uidHash: string): Promise<StoredAuthorizationRow | undefined>;
  /**
   * Inserts or replaces a row. False, and nothing written, when its grant is gone, or when its
   * account has another password than `password` now.
   */
  put(row: AuthorizationRow, password?: string): Promise<boolean>;
  /** Marks a row as consumed. False when it already was, or does not exist. */
  consume(hash: string, now: number): Promise<boolean>;
  /** Consumes the old token and writes its successor in one transaction. */
  rotate(
    old: { readonly hash: string; readonly successor: string; readonly now: number },
    row: AuthorizationRow,
  ): Promise<Rotation>;
  /** False when it does not exist. */
  destroy(hash: string): Promise<boolean>;
  /** Removes a grant and all its tokens. */
  revokeGrant(grantHash: string): Promise<void>;
  /** Removes the grant of a row, and all its tokens; no effect when the row does not exist. */
  revokeGrantOf(hash: string): Promise<void>;
  /** Removes one batch of rows that expired before (seconds since 1970); false: none are left. */
  removeExpired(before: number): Promise<boolean>;
  /** Runs `work` in one transaction: all that it calls here happens, or nothing. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
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
  signing(): Promise<readonly SigningKey[]>;
  /** Adds `key` if `newest` is still the newest key, so that only one of two processes adds. */
  addSigning(key: SigningKey, newest: string | undefined): Promise<void>;
  removeSigning(ids: readonly string[]): Promise<void>;
  /** Newest first. Stores `fresh` when there is none. */
  cookies(fresh: string, now: number): Promise<readonly string[]>;
}

/** Rows that one sweep removes at most, so that no request waits long. */
const sweepRowsMax = 500;

export function createAuthorizationStore(database: AsyncDatabase): AuthorizationStore {
  const find = (hash: string) => database.get(`${storedRow} WHERE hash = ?`, [hash], readStored);
  const put: AuthorizationStore['put'] = async (row, password) =>
    (await database.run(writeRow, { ...row, password })) > 0;
  return {
    find,
    put,
    findByUid: (uidHash) => database.get(`${storedRow} WHERE uid_hash = ?`, [uidHash], readStored),
    consume: async (hash, now) => {
      const sql = 'UPDATE authorizations SET consumed = ? WHERE hash = ? AND consumed IS NULL';
      return (await database.run(sql, [now, hash])) > 0;
    },
    rotate: ({ hash, successor, now }, row) =>
      database.transaction(async () => {
        const old = await find(hash);
        if (old === undefined) return 'gone';
        if (old.consumed !== undefined) return 'consumed';
        if (!(await put(row))) return 'gone';
        const sql = 'UPDATE authorizations SET consumed = ?, successor = ? WHERE hash = ?';
        await database.run(sql, [now, successor, hash]);
        return 'done';
      }),
    destroy: async (hash) =>
      (await database.run('DELETE FROM authorizations WHERE hash = ?', [hash])) > 0,
    revokeGrant: async (grantHash) => {
      await database.run('DELETE FROM authorizations WHERE grant_hash = ?', [grantHash]);
    },
    revokeGrantOf: async (hash) => {
      await database.run(
        `DELETE FROM authorizations WHERE grant_hash =
         (SELECT grant_hash FROM authorizations WHERE hash = ?)`,
        [hash],
      );
    },
    removeExpired: async (before) => {
      const removed = await database.run(
        `DELETE FROM authorizations WHERE hash IN
         (SELECT hash FROM authorizations WHERE expires < ? LIMIT ?)`,
        [before, sweepRowsMax],
      );
      return removed === sweepRowsMax;
    },
    transaction: (work) => database.transaction(work),
  };
}

export function createKeyStore(database: AsyncDatabase): KeyStore {
  const signing = () =>
    database.all('SELECT * FROM signing_keys ORDER BY signs_from, id', [], readSigningKey);
  return {
    signing,
    addSigning: (key, newest) =>
      database.transaction(async () => {
        if ((await signing()).at(-1)?.id !== newest) return;
        await database.run('INSERT INTO signing_keys VALUES (?, ?, ?, ?)', [
          key.id,
          JSON.stringify(key.jwk),
          key.created,
          key.signsFrom,
        ]);
      }),
    removeSigning: async (ids) => {
      const sql = 'DELETE FROM signing_keys WHERE id IN (SELECT value FROM json_each(?))';
      await database.run(sql, [JSON.stringify(ids)]);
    },
    cookies: (fresh, now) =>
      database.transaction(async () => {
        await database.run(
          `INSERT INTO cookie_keys SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM cookie_keys)`,
          [fresh, now],
        );
        const sql = 'SELECT value FROM cookie_keys ORDER BY created DESC';
        return database.all(sql, [], (row) => row.text('value'));
      }),
  };
}

const storedRow = `SELECT authorizations.*, accounts.password FROM authorizations
  LEFT JOIN accounts ON accounts.id = authorizations.account_id`;

/** No token is issued whose grant was revoked meanwhile. */
const writeRow = `INSERT INTO authorizations
    (hash, kind, grant_hash, account_id, client_id, uid_hash, sealed, expires)
  SELECT :hash, :kind, :grantHash, :accountId, :clientId, :uidHash, :sealed, :expires
  WHERE (:grantHash IS NULL OR :grantHash = :hash
      OR EXISTS (SELECT 1 FROM authorizations WHERE hash = :grantHash))
    AND (:password IS NULL
      OR EXISTS (SELECT 1 FROM accounts WHERE id = :accountId AND password = :password))
  ON CONFLICT (hash) DO UPDATE SET account_id = excluded.account_id,
    uid_hash = excluded.uid_hash, sealed = excluded.sealed, expires = excluded.expires`;

function readStored(row: DatabaseRow): StoredAuthorizationRow {
  return {
    hash: row.text('hash'),
    kind: row.text('kind'),
    grantHash: row.optionalText('grant_hash'),
    accountId: row.optionalText('account_id'),
    clientId: row.optionalText('client_id'),
    uidHash: row.optionalText('uid_hash'),
    workspace: row.optionalText('workspace'),
    sealed: row.text('sealed'),
    expires: row.integer('expires'),
    consumed: row.optionalInteger('consumed'),
    successor: row.optionalText('successor'),
    password: row.optionalText('password'),
  };
}

function readSigningKey(row: DatabaseRow): SigningKey {
  const jwk = row.json('jwk');
  return {
    id: row.text('id'),
    jwk: Object.fromEntries(
      Object.entries(typeof jwk === 'object' && jwk ? jwk : {}).map(([name, value]) => [
        name,
        String(value),
      ]),
    ),
    created: row.integer('created'),
    signsFrom: row.integer('signs_from'),
  };
}
