// The tables of sign-in.db, as numbered migrations. A migration that has shipped never changes.

import type { Migration } from '../../storage/migrations.ts';
import { peopleTables } from './people-schema.ts';

const authorizationTables: Migration = {
  name: 'authorizations',
  sql: `
-- What oidc-provider keeps. A row is found by the hash of its id and read with the id itself, so
-- that this file holds nothing with which anybody could sign in.
CREATE TABLE authorizations (
  hash TEXT PRIMARY KEY, kind TEXT NOT NULL,
  -- The sign-in to which it belongs: the hash of a row of kind Grant; that row has its own.
  grant_hash TEXT, account_id TEXT, client_id TEXT, uid_hash TEXT,
  -- Of a Grant: the slug of the workspace that the person chose.
  workspace TEXT,
  sealed TEXT NOT NULL,
  -- Seconds since 1970.
  expires INTEGER NOT NULL,
  -- Milliseconds since 1970; NULL: not used up.
  consumed INTEGER,
  -- The refresh token that took the place of this one, sealed under it.
  successor TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX authorizations_grant ON authorizations (grant_hash) WHERE grant_hash IS NOT NULL;
CREATE INDEX authorizations_uid ON authorizations (uid_hash) WHERE uid_hash IS NOT NULL;
CREATE INDEX authorizations_expires ON authorizations (expires);

-- RSA keys that sign id_tokens. Times in milliseconds since 1970.
CREATE TABLE signing_keys (
  id TEXT PRIMARY KEY, jwk TEXT NOT NULL, created INTEGER NOT NULL, signs_from INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Keys under which cookies are signed, the newest first.
CREATE TABLE cookie_keys (value TEXT PRIMARY KEY, created INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`,
};

/** All of sign-in.db, for whoever opens it: the service and the commands. */
export const signInMigrations: readonly Migration[] = [authorizationTables, peopleTables];

/** Its name in the data folder. */
export const signInFile = 'sign-in.db';
