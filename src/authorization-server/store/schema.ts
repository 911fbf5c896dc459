// The tables of sign-in.db, as numbered migrations. A migration that has shipped never changes.

import type { Migration } from '../../storage/migrations.ts';

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

const accountTables: Migration = {
  name: 'people',
  sql: `
-- The keys are name and email as they are compared: people type them in any spelling.
CREATE TABLE accounts (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, name_key TEXT NOT NULL UNIQUE, email TEXT NOT NULL,
  email_key TEXT NOT NULL UNIQUE, password TEXT NOT NULL, created INTEGER NOT NULL
) STRICT;

CREATE TABLE account_workspaces (
  account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE, workspace TEXT NOT NULL,
  PRIMARY KEY (account_id, workspace)
) STRICT, WITHOUT ROWID;

-- secret: SHA-256 of it; NULL for public clients.
CREATE TABLE applications (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, name TEXT NOT NULL, homepage TEXT,
  redirect_uris TEXT NOT NULL, authentication TEXT NOT NULL, secret TEXT, scopes TEXT NOT NULL,
  visibility TEXT NOT NULL, desktop INTEGER NOT NULL, mcp INTEGER NOT NULL, resource TEXT UNIQUE,
  created INTEGER NOT NULL
) STRICT;

-- Sessions of the settings pages, by the SHA-256 of their cookie.
CREATE TABLE page_sessions (
  hash TEXT PRIMARY KEY, account_id TEXT NOT NULL REFERENCES accounts ON DELETE CASCADE,
  expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Forms carry a token under this key; each is good for one use.
CREATE TABLE form_key (id INTEGER PRIMARY KEY CHECK (id = 1), key TEXT NOT NULL) STRICT;
CREATE TABLE used_form_tokens (
  hash TEXT PRIMARY KEY, expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_form_tokens_expires ON used_form_tokens (expires);
`,
};

const passwordFailureTable: Migration = {
  name: 'password failures',
  sql: `
-- Wrong passwords, by hashes of names and by networks. ends: milliseconds since 1970.
CREATE TABLE password_failures (
  key TEXT PRIMARY KEY, failures INTEGER NOT NULL, is_logged INTEGER NOT NULL, ends INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX password_failures_ends ON password_failures (ends);
`,
};

const connectionColumns: Migration = {
  name: 'connections',
  sql: `
-- Of a Grant, for the person whose it is: what was allowed to whom, as JSON; the rest is sealed.
ALTER TABLE authorizations ADD COLUMN consent TEXT;
-- Milliseconds since 1970: when it was allowed, and when tokens were last issued for it.
ALTER TABLE authorizations ADD COLUMN granted INTEGER;
ALTER TABLE authorizations ADD COLUMN used INTEGER;
CREATE INDEX authorizations_account_grants ON authorizations (account_id, expires, hash)
  WHERE kind = 'Grant';
`,
};

const removedAccountTable: Migration = {
  name: 'removed accounts',
  sql: `
-- What is left of an account: its name, for those who read what it did. workspaces: slugs, as JSON.
CREATE TABLE removed_accounts (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, workspaces TEXT NOT NULL, removed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`,
};

/** All migrations of sign-in.db, for the service and for the commands. */
export const signInMigrations: readonly Migration[] = [
  authorizationTables,
  accountTables,
  passwordFailureTable,
  connectionColumns,
  removedAccountTable,
];

/** File name in the data folder. */
export const signInFile = 'sign-in.db';
