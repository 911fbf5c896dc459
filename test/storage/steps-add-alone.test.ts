// Steps of the tables that several processes share, of which some may be older: a step takes
// nothing away that these use, or says that it ends them.

import { expect, test } from 'vitest';
import { signInMigrations } from '../../src/authorization-server/store/schema.ts';
import { platformMigrations } from '../../src/platform/database/migrations.ts';
import type { Migration } from '../../src/storage/migrations.ts';

const takesAway =
  /\b(DROP\s+(TABLE|COLUMN|VIEW)|RENAME|ALTER\s+COLUMN|ADD\s+(CONSTRAINT|CHECK|UNIQUE)|ADD\s+COLUMN[^,;]*NOT\s+NULL(?![^,;]*DEFAULT))/i;

function breaking(migrations: readonly Migration[]): readonly string[] {
  return migrations
    .filter(({ sql, postgres, endsOlder }) => !endsOlder && takesAway.test(`${sql};${postgres}`))
    .map(({ name }) => name);
}

test.each([
  ['of the platform', platformMigrations],
  ['of the sign-in service', signInMigrations],
])('steps %s leave older processes what they use', (_, migrations) => {
  expect(breaking(migrations)).toEqual([]);
});

test.each([
  'ALTER TABLE images DROP COLUMN name',
  'ALTER TABLE images RENAME COLUMN name TO title',
  'ALTER TABLE images ADD COLUMN shade INTEGER NOT NULL',
  'CREATE TABLE a (b TEXT) STRICT; DROP TABLE images',
])('%s is seen', (sql) => {
  expect(breaking([{ name: 'bad', sql }])).toEqual(['bad']);
  expect(breaking([{ name: 'bad', sql, endsOlder: true }])).toEqual([]);
});
