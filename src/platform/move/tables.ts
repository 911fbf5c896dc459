// The tables that move from one engine to the other: all that the platform's migrations make, but
// for the index of images, which each engine has in a form of its own.

import { FoveaError } from '../../errors.ts';
import { type DescribedColumn, describeTables } from '../../storage/described-tables.ts';
import type { OrderedTable } from '../../storage/ordered-rows.ts';
import { platformMigrations } from '../database/migrations.ts';

export interface MovedTable extends OrderedTable {
  /** In their order; of `images` also the number by which both engines know a row. */
  readonly columns: readonly DescribedColumn[];
  /** The column whose values the engine gives, counting up. */
  readonly numbered: string | undefined;
}

/** Columns that say what the index has: they are made anew with it, beginning with 0. */
const indexColumns: ReadonlySet<string> = new Set(['image_ordinals.indexed']);

/** On SQLite; those of PostgreSQL are in no migration of SQLite. */
const indexTables = /^(search_(terms|chunks|names|name_chunks|trigrams\w*)|likeness_\w+)$/;

/** Rebalances draw images in the order of this number. */
const rowNumber: DescribedColumn = { name: 'rowid', type: 'INTEGER' };

export function movedTables(): readonly MovedTable[] {
  return describeTables(platformMigrations)
    .filter(({ name }) => !indexTables.test(name))
    .map(({ name, columns, key }) => {
      if (key.length === 0) throw new FoveaError('internal', `The table ${name} has no key.`);
      if (name === 'images') {
        const all = [rowNumber, ...columns];
        return { name, columns: all, copied: all, key: ['rowid'], numbered: 'rowid' };
      }
      const [first = ''] = key;
      const isNumber = columns.some((column) => column.name === first && column.type === 'INTEGER');
      const copied = columns.filter((column) => !indexColumns.has(`${name}.${column.name}`));
      return {
        name,
        columns,
        copied,
        key,
        numbered: key.length === 1 && isNumber ? first : undefined,
      };
    });
}
