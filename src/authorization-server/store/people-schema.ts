// The tables of people and programs: accounts, applications, and what the pages remember.

import type { Migration } from '../../storage/migrations.ts';

/** Stands in the list of migrations of `sign-in.db`, after the tables of the library's models. */
export const peopleTables: Migration = {
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
