// Migrations that leave a trace each time they run.

import type { Migration } from '../../src/storage/migrations.ts';

export const steps: readonly Migration[] = [
  { name: 'first', sql: `CREATE TABLE history (step TEXT); INSERT INTO history VALUES ('first')` },
  { name: 'second', sql: `CREATE TABLE a (b TEXT); INSERT INTO history VALUES ('second')` },
  { name: 'third', sql: `ALTER TABLE a ADD COLUMN c TEXT; INSERT INTO history VALUES ('third')` },
];
