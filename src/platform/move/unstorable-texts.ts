// Texts that a data folder has and PostgreSQL cannot store: those with U+0000. The engine of the
// folder looks for them, since Node before 22.17 reads such a text as if it ended there.

import { FoveaError } from '../../errors.ts';
import { quotedName } from '../../quoted-name.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { OrderedTable } from '../../storage/ordered-rows.ts';

/** Throws `invalid_input`, which names the first row that has one and its column. */
export async function refuseUnstorableTexts(
  reader: AsyncReader,
  tables: readonly OrderedTable[],
): Promise<void> {
  for (const table of tables) await refuseIn(reader, table);
}

async function refuseIn(reader: AsyncReader, table: OrderedTable): Promise<void> {
  const texts = table.copied.filter(({ type }) => type === 'TEXT').map(({ name }) => name);
  if (texts.length === 0) return;
  const key = table.copied.some(({ name }) => name === 'id') ? ['id'] : table.key;
  const found = await reader.get(
    `SELECT ${key.map((name) => `CAST(${name} AS TEXT) AS key_${name}`).join(', ')},
       CASE ${texts.map((name) => `WHEN ${hasNul(name)} THEN '${name}'`).join(' ')} END AS at
     FROM ${table.name} WHERE ${texts.map(hasNul).join(' OR ')} LIMIT 1`,
    [],
    (row) => ({
      column: row.text('at'),
      row: key.map((name) => `${name} ${quotedName(row.text(`key_${name}`))}`).join(', '),
    }),
  );
  if (found === undefined) return;
  const { column, row } = found;
  const what = `has U+0000 in its column ${column}, which PostgreSQL cannot store.`;
  throw new FoveaError('invalid_input', `The row of ${table.name} with ${row} ${what}`, {
    hint:
      'Rename or change it on the platform, or by sqlite3 in platform.db, of which you keep a copy: ' +
      `UPDATE ${table.name} SET ${column} = 'another text' for that row. Then run this again.`,
  });
}

function hasNul(column: string): string {
  return `instr(${column}, char(0)) > 0`;
}
