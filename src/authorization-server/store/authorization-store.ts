// What oidc-provider stores (codes, tokens, grants, sessions) and the signing keys: the interface,
// and its implementation on SQLite.

import type { Database, Row as DatabaseRow } from '../../storage/database.ts';

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

/** Rows that one sweep removes at most, so that no request waits long. */
const sweepRowsMax = 500;

export function createAuthorizationStore(database: Database): AuthorizationStore {
  const find = (hash: string) =>
    database.get('SELECT * FROM authorizations WHERE hash = ?', [hash], readKept);
  const put = (row: AuthorizationRow) =>
    database.transaction(() => {
      if (isOrphan(database, row)) return false;
      writeRow(database, row);
      return true;
    });
  const consume = (hash: string, now: number) =>
    database.run('UPDATE authorizations SET consumed = ? WHERE hash = ? AND consumed IS NULL', [
      now,
      hash,
    ]) > 0;
  return {
    find,
    put,
    consume,
    findByUid: (uidHash) =>
      database.get('SELECT * FROM authorizations WHERE uid_hash = ?', [uidHash], readKept),
    rotate: ({ hash, successor, now }, row): Rotation =>
      database.transaction(() => {
        const old = find(hash);
        if (old === undefined || isOrphan(database, row)) return 'gone';
        if (!consume(hash, now)) return { first: old };
        database.run('UPDATE authorizations SET successor = ? WHERE hash = ?', [successor, hash]);
        writeRow(database, row);
        return 'done';
      }),
    destroy: (hash) => {
      database.run('DELETE FROM authorizations WHERE hash = ?', [hash]);
    },
    revokeGrant: (grantHash) => {
      database.run('DELETE FROM authorizations WHERE grant_hash = ?', [grantHash]);
    },
    setWorkspace: (grantHash, workspace) => {
      database.run('UPDATE authorizations SET workspace = ? WHERE hash = ?', [
        workspace,
        grantHash,
      ]);
    },
    removeExpired: (before) => {
      const removed = database.run(
        `DELETE FROM authorizations WHERE hash IN
         (SELECT hash FROM authorizations WHERE expires < ? LIMIT ?)`,
        [before, sweepRowsMax],
      );
      return removed === sweepRowsMax;
    },
  };
}

export function createKeyStore(database: Database): KeyStore {
  const signing = () =>
    database.all('SELECT * FROM signing_keys ORDER BY signs_from, id', [], readSigningKey);
  return {
    signing,
    addSigning: (key, newest) =>
      database.transaction(() => {
        if (signing().at(-1)?.id !== newest) return;
        database.run('INSERT INTO signing_keys VALUES (?, ?, ?, ?)', [
          key.id,
          JSON.stringify(key.jwk),
          key.created,
          key.signsFrom,
        ]);
      }),
    removeSigning: (id) => {
      database.run('DELETE FROM signing_keys WHERE id = ?', [id]);
    },
    cookies: (fresh, now) =>
      database.transaction(() => {
        database.run(
          `INSERT INTO cookie_keys SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM cookie_keys)`,
          [fresh, now],
        );
        const sql = 'SELECT value FROM cookie_keys ORDER BY created DESC';
        return database.all(sql, [], (row) => row.text('value'));
      }),
  };
}

/** Prevents issuing a token whose grant was revoked meanwhile. */
function isOrphan(database: Database, { hash, grantHash }: AuthorizationRow): boolean {
  if (grantHash === undefined || grantHash === hash) return false;
  const sql = 'SELECT 1 AS found FROM authorizations WHERE hash = ?';
  return database.get(sql, [grantHash], () => true) === undefined;
}

function writeRow(database: Database, row: AuthorizationRow): void {
  database.run(
    `INSERT INTO authorizations
       (hash, kind, grant_hash, account_id, client_id, uid_hash, sealed, expires)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET account_id = excluded.account_id,
       uid_hash = excluded.uid_hash, sealed = excluded.sealed, expires = excluded.expires`,
    [
      row.hash,
      row.kind,
      row.grantHash,
      row.accountId,
      row.clientId,
      row.uidHash,
      row.sealed,
      row.expires,
    ],
  );
}

function readKept(row: DatabaseRow): StoredAuthorizationRow {
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
