// A row for each time that work was done, so that a second time shows.

import type { Migration } from '../../src/storage/migrations.ts';

export const doneTable: Migration = {
  name: 'done',
  sql: 'CREATE TABLE done (name TEXT NOT NULL) STRICT',
};
