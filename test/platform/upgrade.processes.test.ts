// Processes of `fovea platform` on a database whose tables a newer Fovea has changed meanwhile.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { databaseSchemas } from '../../src/database-url.ts';
import { platformMigrations } from '../../src/platform/database/migrations.ts';
import type { Secret } from '../../src/secret.ts';
import type { Migration } from '../../src/storage/migrations.ts';
import { openPostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import type { RunningService } from '../fixtures/fovea-services.ts';
import { startPlatformProcess } from '../fixtures/platform.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../fixtures/postgres-server.ts';

let server: PostgresServer;
let data: string;
let url: Secret;

const start = (): Promise<RunningService> =>
  startPlatformProcess(data, undefined, { FOVEA_DATABASE_URL: url.reveal() });

/** What a newer Fovea does at its start. */
async function upgrade(step: Migration): Promise<void> {
  const steps = [...platformMigrations, step];
  const newer = await openPostgresDatabase(url, databaseSchemas.platform, steps);
  await newer.close();
}

async function ask({ url: base }: RunningService, path: string, body?: unknown) {
  const answer = await fetch(`${base}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: 'Bearer a-key-for-tests', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: answer.status,
    waits: answer.headers.has('retry-after'),
    body: await answer.json(),
  };
}

const project = (name: string) => ({ name, type: 'object-detection', annotation: 'cells' });

describe.skipIf(!hasPostgres)('after an upgrade of the tables', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.stop());

  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'fovea-upgrade-'));
    url = await server.database();
  });

  afterEach(() => rm(data, { recursive: true, force: true }));

  test('that adds alone, older processes go on, and start', async () => {
    const older = await start();
    onTestFinished(() => older.stop());
    expect(await ask(older, '/acme/projects', project('One'))).toMatchObject({ status: 201 });
    await upgrade({
      name: 'notes',
      sql: 'ALTER TABLE projects ADD COLUMN note TEXT; ALTER TABLE work ADD COLUMN note TEXT;',
    });
    expect(await ask(older, '/acme/projects', project('Two'))).toMatchObject({ status: 201 });
    const again = await start();
    onTestFinished(() => again.stop());
    expect(await ask(again, '/acme/projects', project('Three'))).toMatchObject({ status: 201 });
    expect(await ask(older, '/health?ready=1')).toMatchObject({ status: 200 });
    const { body } = await ask(older, '/acme');
    expect(JSON.stringify(body)).toMatch(/One.*Two.*Three|Three.*Two.*One/);
  });

  test('that they cannot take, older processes refuse work, and do not start', async () => {
    const older = await start();
    onTestFinished(() => older.stop());
    await upgrade({
      name: 'other',
      sql: 'ALTER TABLE projects ADD COLUMN kind TEXT;',
      endsOlder: true,
    });
    const asked = ask(older, '/acme/projects', project('Four'));
    expect(await asked).toMatchObject({ status: 503, waits: true });
    // Others were given the answer of a look before.
    await vi.waitFor(
      async () => {
        const { status, body } = await ask(older, '/health?ready=1');
        expect(status).toBe(503);
        expect(JSON.stringify(body)).toContain('A newer Fovea has changed the tables');
      },
      { timeout: 20_000, interval: 200 },
    );
    expect(await ask(older, '/health')).toMatchObject({ status: 200 });
    await expect(start()).rejects.toThrow(
      `The database is of version ${platformMigrations.length + 1}; this Fovea knows versions up to`,
    );
  });
});
