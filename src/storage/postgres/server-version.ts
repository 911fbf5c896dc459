// Whether a PostgreSQL server can be reached, for the doctor.

import { limits } from '../../limits.ts';
import type { Secret } from '../../secret.ts';
import { asStorageError } from './errors.ts';

/** Its version, for example `15.18`. Throws as `openPostgresDatabase` does. */
export async function findServerVersion(url: Secret): Promise<string> {
  const { default: pg } = await import('pg');
  try {
    const client = new pg.Client({
      connectionString: url.reveal(),
      connectionTimeoutMillis: limits.doctorTimeoutMs,
      query_timeout: limits.doctorTimeoutMs,
    });
    // It may end at any time; the call hears of it.
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query('SHOW server_version');
      return String(rows[0].server_version).split(' ')[0] ?? '';
    } finally {
      await client.end().catch(() => {});
    }
  } catch (thrown) {
    throw asStorageError(thrown);
  }
}
