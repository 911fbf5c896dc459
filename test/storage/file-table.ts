// The schema of the kill test: a row for each file, and a count that must agree with the rows.

import type { Migration } from '../../src/storage/migrations.ts';

export const fileTable: Migration = {
  name: 'files',
  sql: `
    CREATE TABLE files (hash TEXT PRIMARY KEY) STRICT;
    CREATE TABLE totals (files INTEGER NOT NULL) STRICT;
    INSERT INTO totals VALUES (0);
  `,
};
