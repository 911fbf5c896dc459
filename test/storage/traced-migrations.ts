// Migrations that leave a trace each time they run, and take long enough to be run into.

import type { Migration } from '../../src/storage/migrations.ts';

const slowly = `
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
  SELECT count(*) FROM numbers;
`;

export const steps: readonly Migration[] = [
  {
    name: 'first',
    sql: `${slowly} CREATE TABLE history (step TEXT); INSERT INTO history VALUES ('first')`,
  },
  {
    name: 'second',
    sql: `${slowly} CREATE TABLE a (b TEXT); INSERT INTO history VALUES ('second')`,
  },
  {
    name: 'third',
    sql: `${slowly} ALTER TABLE a ADD COLUMN c TEXT; INSERT INTO history VALUES ('third')`,
  },
];
