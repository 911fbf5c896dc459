// The tables that migrations make, with their columns and keys: as SQLite says them.

import { type Migration, migrate } from './migrations.ts';
import { loadSqlite } from './sqlite-connection.ts';
import { translated } from './sqlite-errors.ts';
import { readRow, StatementColumns } from './typed-row.ts';

export type ColumnType = 'TEXT' | 'INTEGER' | 'REAL' | 'BLOB';

export interface DescribedColumn {
  readonly name: string;
  readonly type: ColumnType;
}

export interface DescribedTable {
  readonly name: string;
  /** In their order. */
  readonly columns: readonly DescribedColumn[];
  /** Columns of the primary key; none: it has no such key. */
  readonly key: readonly string[];
}

/** In the order in which they are made. Virtual tables and what belongs to them are there too. */
export function describeTables(migrations: readonly Migration[]): readonly DescribedTable[] {
  const { DatabaseSync } = loadSqlite();
  const handle = new DatabaseSync(':memory:');
  try {
    return translated(() => {
      migrate(handle, migrations);
      const statement = handle.prepare(
        `SELECT t.name AS table_name, c.name, c.type, c.pk FROM sqlite_schema t
         JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
         ORDER BY t.rowid, c.cid`,
      );
      statement.setReturnArrays(true);
      const columns = new StatementColumns(statement);
      const rows = statement.all().map((values) => readRow(values, columns));
      const byTable = Map.groupBy(rows, (row) => row.text('table_name'));
      return [...byTable].map(([name, ofTable]) => ({
        name,
        columns: ofTable.map((row) => ({ name: row.text('name'), type: typeOf(row.text('type')) })),
        key: ofTable
          .filter((row) => row.integer('pk') > 0)
          .toSorted((one, other) => one.integer('pk') - other.integer('pk'))
          .map((row) => row.text('name')),
      }));
    });
  } finally {
    handle.close();
  }
}

/** Columns of virtual tables have other types, or none. */
function typeOf(type: string): ColumnType {
  if (type === 'TEXT' || type === 'INTEGER' || type === 'REAL') return type;
  return 'BLOB';
}
