// Whether a PostgreSQL server can be used, for the doctor and for whoever opens a database there.

import type { ClientBase } from 'pg';
import type { Clock } from '../../clock.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Secret } from '../../secret.ts';
import { asStorageError } from './errors.ts';

export interface ServerFindings {
  /** For example `15.18`. */
  readonly version: string;
  /** Of a statement that does nothing. */
  readonly latencyMs: number;
  /** By how much its clock is ahead of ours. */
  readonly clockOffsetMs: number;
  /** The extension by which parts of names are found quickly. */
  readonly trigrams: 'there' | 'creatable' | 'missing';
  /** Whether its user can make the schemas that are missing. */
  readonly canMakeSchemas: boolean;
}

/** `schemas`: those that are needed. Throws as `openPostgresDatabase` does. */
export async function probeServer(
  url: Secret,
  schemas: readonly string[],
  clock: Clock,
): Promise<ServerFindings> {
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
      await refuseUnfit(client);
      return await findings(client, schemas, clock);
    } finally {
      await client.end().catch(() => {});
    }
  } catch (thrown) {
    throw asStorageError(thrown);
  }
}

async function findings(
  client: ClientBase,
  schemas: readonly string[],
  clock: Clock,
): Promise<ServerFindings> {
  const { latencyMs, clockOffsetMs } = await measure(client, clock);
  const { rows } = await client.query(
    `SELECT current_setting('server_version') AS version,
       EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm') AS has_trigrams,
       EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm') AS offers_trigrams,
       has_database_privilege(current_database(), 'CREATE') AS may_create,
       (SELECT count(*) FROM pg_namespace WHERE nspname = ANY($1))::int AS schemas`,
    [schemas],
  );
  const [found] = rows;
  const creatable = found.offers_trigrams && found.may_create ? 'creatable' : 'missing';
  return {
    version: String(found.version).split(' ')[0] ?? '',
    latencyMs,
    clockOffsetMs,
    trigrams: found.has_trigrams ? 'there' : creatable,
    canMakeSchemas: found.may_create || found.schemas === schemas.length,
  };
}

/** By the quickest answer of some: the first ones find neither side warm. */
async function measure(client: ClientBase, clock: Clock) {
  let best = { latencyMs: Number.POSITIVE_INFINITY, clockOffsetMs: 0 };
  for (let time = 0; time < limits.databaseProbes; time += 1) {
    const sentMs = clock.monotonic();
    const { rows } = await client.query(
      'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms',
    );
    const latencyMs = clock.monotonic() - sentMs;
    const clockOffsetMs = Number(rows[0].ms) - (clock.now() - latencyMs / 2);
    if (latencyMs < best.latencyMs) best = { latencyMs, clockOffsetMs };
  }
  return best;
}

/** Throws `internal` for a server or a database that Fovea cannot use. */
export async function refuseUnfit(client: ClientBase): Promise<void> {
  const { rows } = await client.query(
    `SELECT current_setting('server_version_num')::int AS version,
       current_setting('server_encoding') AS encoding`,
  );
  const [{ version, encoding }] = rows;
  if (version < limits.databaseVersionMin * 10_000) {
    const message = `The database is PostgreSQL ${Math.floor(version / 10_000)}.`;
    const hint = `Use PostgreSQL ${limits.databaseVersionMin} or newer.`;
    throw new FoveaError('internal', message, { hint });
  }
  if (encoding !== 'UTF8') {
    throw new FoveaError('internal', 'The database does not keep its texts as UTF-8.', {
      hint: "Make one with CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0.",
    });
  }
}
