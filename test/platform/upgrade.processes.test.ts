// Processes of `fovea platform` on tables that another Fovea has changed meanwhile, be it those of
// its rows or of its sign-ins, in a database or in a data folder.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
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
import { signInFile, signInMigrations } from '../../src/authorization-server/store/schema.ts';
import { databaseSchemas } from '../../src/database-url.ts';
import { platformMigrations } from '../../src/platform/database/migrations.ts';
import type { Secret } from '../../src/secret.ts';
import { openDatabase } from '../../src/storage/database.ts';
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
  await upgradeIn(databaseSchemas.platform, [...platformMigrations, step]);
}

async function upgradeIn(schema: string, steps: readonly Migration[]): Promise<void> {
  const newer = await openPostgresDatabase(url, schema, steps);
  await newer.close();
}

/** Statements past all processes. */
async function change(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.reveal() });
  await client.connect();
  await client.query(text);
  await client.end();
}

/** Resolves once it says so; others were given the answer of a look before. */
async function notReady(service: RunningService, problem: string): Promise<void> {
  const isSaid = async () => {
    const { status, body } = await ask(service, '/health?ready=1');
    expect({ status, body }).toEqual({
      status: 503,
      body: { status: 'degraded', ready: false, problems: [problem] },
    });
  };
  await vi.waitFor(isSaid, { timeout: 20_000, interval: 200 });
  expect(await ask(service, '/health')).toMatchObject({ status: 200 });
}

async function ready(service: RunningService): Promise<void> {
  const isSaid = async () =>
    expect(await ask(service, '/health?ready=1')).toMatchObject({ status: 200 });
  await vi.waitFor(isSaid, { timeout: 20_000, interval: 200 });
}

const newer = 'A newer Fovea has changed the tables: this one is too old.';
const older = 'The tables are those of an older Fovea, as after a backup was put back.';

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
    const running = await start();
    onTestFinished(() => running.stop());
    expect(await ask(running, '/acme/projects', project('One'))).toMatchObject({ status: 201 });
    await upgrade({
      name: 'notes',
      sql: 'ALTER TABLE projects ADD COLUMN note TEXT; ALTER TABLE work ADD COLUMN note TEXT;',
    });
    expect(await ask(running, '/acme/projects', project('Two'))).toMatchObject({ status: 201 });
    const again = await start();
    onTestFinished(() => again.stop());
    expect(await ask(again, '/acme/projects', project('Three'))).toMatchObject({ status: 201 });
    expect(await ask(running, '/health?ready=1')).toMatchObject({ status: 200 });
    const { body } = await ask(running, '/acme');
    expect(JSON.stringify(body)).toMatch(/One.*Two.*Three|Three.*Two.*One/);
  });

  test('that they cannot take, older processes refuse work, and do not start', async () => {
    const running = await start();
    onTestFinished(() => running.stop());
    await upgrade({
      name: 'other',
      sql: 'ALTER TABLE projects ADD COLUMN kind TEXT;',
      endsOlder: true,
    });
    const asked = ask(running, '/acme/projects', project('Four'));
    expect(await asked).toMatchObject({ status: 503, waits: true });
    await notReady(running, newer);
    await expect(start()).rejects.toThrow(
      `The database is of version ${platformMigrations.length + 1}; this Fovea knows versions up to`,
    );
  });

  test('of sign-ins that they cannot take, older processes refuse those alone', async () => {
    const running = await start();
    onTestFinished(() => running.stop());
    await ready(running);
    const step = { name: 'other', sql: 'DROP TABLE password_failures;', endsOlder: true } as const;
    await upgradeIn(databaseSchemas.signIn, [...signInMigrations, step]);
    await notReady(running, `Sign-in: ${newer}`);
    expect(await ask(running, '/acme/projects', project('Five'))).toMatchObject({ status: 201 });
    const { href: page } = new URL('/settings/connections', running.url);
    const headers = { authorization: 'Bearer the-token-of-somebody' };
    const answers = await Promise.all([
      fetch(page, { headers: { cookie: '__session=any', accept: 'text/html' } }),
      fetch(`${running.url}/oauth/validate`, { headers }),
      fetch(`${running.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'refresh_token',
          client_id: 'app-1',
          refresh_token: 'any',
        }),
      }),
      fetch(`${running.url}/acme/projects`, { headers }),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(await answer.text()).toContain(newer);
    }
    await expect(start()).rejects.toThrow(
      `The database is of version ${signInMigrations.length + 1}; this Fovea knows versions up to`,
    );
  });

  test.each([
    ['fovea_sign_in', 'Sign-in: '],
    ['fovea_platform', ''],
  ])('that put older ones back (%s), newer processes are not ready', async (schema, prefix) => {
    const running = await start();
    onTestFinished(() => running.stop());
    await ready(running);
    await change(`UPDATE ${schema}.schema_version SET version = version - 1`);
    await notReady(running, prefix + older);
    await change(`UPDATE ${schema}.schema_version SET version = version + 1`);
    await ready(running);
    await change(`DROP SCHEMA ${schema} CASCADE`);
    await notReady(running, prefix + older);
  });
});

describe('after an upgrade of a data folder', { timeout: 120_000 }, () => {
  test.each([
    [signInFile, signInMigrations, `Sign-in: ${newer}`],
    ['platform.db', platformMigrations, newer],
  ])('a process that goes on is not ready (%s)', async (name, steps, problem) => {
    data = await mkdtemp(join(tmpdir(), 'fovea-upgrade-'));
    onTestFinished(() => rm(data, { recursive: true, force: true }));
    // Where its rows are in the folder, they stay there.
    openDatabase(join(data, 'platform.db'), platformMigrations).close();
    const running = await startPlatformProcess(data);
    onTestFinished(() => running.stop());
    await ready(running);
    const step = { name: 'notes', sql: 'CREATE TABLE notes (id TEXT) STRICT;' };
    openDatabase(join(data, name), [...steps, step]).close();
    await notReady(running, problem);
    expect(await ask(running, '/acme/projects', project('Six'))).toMatchObject({ status: 201 });
    await expect(startPlatformProcess(data)).rejects.toThrow(
      `The database is of version ${steps.length + 1}; this Fovea knows versions up to`,
    );
  });
});
