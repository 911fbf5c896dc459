// `fovea migrate`: datasets move from a data folder to PostgreSQL and back, whole, whenever it is
// killed on the way.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { search } from '../../../src/contract/search.ts';
import { trash } from '../../../src/contract/trash.ts';
import { versions } from '../../../src/contract/versions.ts';
import type { Client } from '../../../src/http-client/client.ts';
import { createClient } from '../../../src/http-client/create-client.ts';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { Secret } from '../../../src/secret.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { runFovea, startFovea } from '../../fixtures/fovea-services.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import { objectsSettings } from '../../fixtures/platform.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { hasS3Server, type S3Server, startS3Server } from '../../fixtures/s3-server.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { countRunning, entryUnderTest, nodeUnderTest } from '../../fixtures/under-test.ts';
import { upload } from '../labelled-projects.ts';
import { fillRest, makeDatasets } from './filled-folder.ts';

let server: PostgresServer;
let objectStore: S3Server | undefined;
let filled: string;
/** What a platform says of the filled folder. */
let before: Answers;

beforeAll(async () => {
  filled = await mkdtemp(join(tmpdir(), 'fovea-filled-'));
  if (!hasPostgres) return;
  server = await startPostgres();
  if (hasS3Server) objectStore = await startS3Server();
  const service = await startFovea(words(filled), settings);
  const client = clientOf(service.url);
  await makeDatasets(client);
  await client.close();
  await service.stop();
  await fillRest(filled);
  // The platform brings them into its index.
  do before = await answersOf(filled);
  while (before.many !== 3000);
}, 120_000);

afterAll(async () => {
  await server?.stop();
  await objectStore?.stop();
  await rm(filled, { recursive: true, force: true });
});

const settings = { FOVEA_API_KEY: 'a-key-for-tests', FOVEA_WORKSPACE: 'acme', FOVEA_LOG: 'error' };
const words = (data: string) => ['platform', '--port', '0', '--data', data];

function clientOf(url: string): Client {
  const upstream = async () => ({ url, credential: new Secret('a-key-for-tests') });
  return createClient({
    upstreams: { base: upstream, device: upstream },
    clock: systemClock,
    timeoutMs: 30_000,
  });
}

/** A copy of the filled folder, for one test. */
async function copied(): Promise<string> {
  const folder = join(await temporaryFolder(), 'data');
  await cp(filled, folder, { recursive: true });
  return folder;
}

type Environment = Readonly<Record<string, string>>;

interface Answers {
  readonly cats: unknown;
  readonly nights: unknown;
  readonly inJob: unknown;
  readonly many: unknown;
  readonly named: unknown;
  readonly alike: unknown;
  readonly trash: unknown;
  readonly images: readonly number[];
}

/** What a platform says of its datasets, and the bytes of a version. */
async function answersOf(data: string, environment: Environment = {}): Promise<Answers> {
  const service = await startFovea(words(data), { ...settings, ...environment, HOME: data });
  const client = clientOf(service.url);
  try {
    const find = async (query: string) => {
      const asked = { workspace: 'acme', query: `project:cells ${query}`, pageSize: 3 };
      const { body } = await client.call(search.workspace_search, asked);
      return { total: body.total, ids: body.results.map(({ id }) => id) };
    };
    const cats = await find('class:cat');
    const like = { workspace: 'acme', project: 'cells', like_image: cats.ids[0] };
    const { body: alike } = await client.call(search.images_search, like);
    const items = await client.call(trash.trash_list, { workspace: 'acme' });
    const version = { workspace: 'acme', project: 'cells', version: 1, format: 'coco' };
    const { body } = await client.call(versions.versions_export, version);
    const { pathname, search: query } = new URL(String(Object(body).export?.link));
    const zip = await fetch(`${service.url}${pathname}${query}`);
    return {
      cats,
      nights: await find('tag:night'),
      inJob: await find('job:Night'),
      many: (await find('tag:many')).total,
      named: await find('filename:"many 29*"'),
      alike: alike.results.map(({ id, similarity }) => [id, similarity]),
      trash: items.body.items.map(({ id, type }) => [id, type]),
      images: [zip.status, (await zip.arrayBuffer()).byteLength],
    };
  } finally {
    await client.close();
    await service.stop();
  }
}

const migrate = (more: readonly string[], environment: Environment = {}) =>
  runFovea(['migrate', ...more], { ...environment, HOME: tmpdir() });

async function newDatabase(): Promise<string> {
  return `${(await server.database()).reveal()}&password=never-shown`;
}

describe.skipIf(!hasPostgres)('fovea migrate', { timeout: 180_000 }, () => {
  test.skipIf(!hasS3Server)('moves all to PostgreSQL and an object store, and back', async () => {
    const from = await copied();
    expect(before).toMatchObject({ cats: { total: 2 }, many: 3000, inJob: { total: 1 } });
    expect(before.alike).toHaveLength(3);
    const url = await newDatabase();
    const place = await objectStore?.place('fovea/');
    if (place === undefined) throw new Error('There is no object store.');
    const environment = objectsSettings(place);
    const objects = ['--objects', environment.FOVEA_OBJECTS_URL];
    const there = await migrate(['--from', from, '--to', url, ...objects], environment);
    expect(there).toMatchObject({ code: 0 });
    expect(there.stdout).toContain('All rows and files are the same on both sides.');
    expect(there.stdout).toMatch(/Accounts: \d+, applications: \d+/);
    expect(there.stdout + there.stderr).not.toContain('never-shown');
    // No table is empty, so nothing of any is passed over.
    expect(there.stdout.match(/^\w+ +0 .*$/gm)).toBeNull();
    const shared = { ...environment, FOVEA_DATABASE_URL: url };
    expect(await answersOf(await temporaryFolder(), shared)).toEqual(before);
    const back = join(await temporaryFolder(), 'back');
    const returned = await migrate(['--from', url, '--to', back, ...objects], environment);
    expect(returned).toMatchObject({ code: 0 });
    expect(await answersOf(back)).toEqual(before);
    const rowsOf = (text: string) => text.match(/^\w+ +[\d,]+ +[0-9a-f]{16} +same$/gm);
    const busy = /^(work|activity|projects|image_ordinals|trashed_images) /;
    expect(rowsOf(returned.stdout)?.filter((line) => !busy.test(line))).toEqual(
      rowsOf(there.stdout)?.filter((line) => !busy.test(line)),
    );
  });

  test('leaves files where they are, and numbers go on', async () => {
    const folder = await copied();
    const url = await newDatabase();
    expect(await migrate(['--from', folder, '--to', url])).toMatchObject({ code: 0 });
    const environment = { FOVEA_DATABASE_URL: url };
    await expect(answersOf(folder, environment)).rejects.toThrow('has datasets in platform.db');
    await rename(join(folder, 'platform.db'), join(folder, 'platform-before.db'));
    expect(await answersOf(folder, environment)).toEqual(before);
    const service = await startFovea(words(folder), { ...settings, ...environment, HOME: folder });
    const client = clientOf(service.url);
    await upload(client, 'cells', 77, { tag: ['added'] });
    await client.close();
    await service.stop();
    const sql = await connected(url);
    const { rows } = await sql.query(
      'SELECT max(ordinal)::int AS newest FROM fovea_platform.image_ordinals',
    );
    expect(rows).toEqual([{ newest: 100_001 }]);
    expect(await migrate(['--from', url, '--to', folder])).toMatchObject({ code: 0 });
    const database = openDatabase(join(folder, 'platform.db'), platformMigrations);
    onTestFinished(() => database.close());
    const given = 'SELECT seq FROM sqlite_sequence WHERE name = ?';
    const seq = (table: string) => database.get(given, [table], (row) => row.integer('seq'));
    expect([seq('image_ordinals'), seq('refused_files')]).toEqual([100_001, 3]);
  });

  test('killed five times at random, in each direction, it ends as if nobody had', async () => {
    const folder = await copied();
    const url = await newDatabase();
    const files = await temporaryFolder();
    const beganMs = systemClock.monotonic();
    const other = ['--to', await newDatabase(), '--objects', await temporaryFolder()];
    expect(await migrate(['--from', folder, ...other])).toMatchObject({ code: 0 });
    const wholeMs = Math.ceil(systemClock.monotonic() - beganMs);
    await killedOften(['--from', folder, '--to', url, '--objects', files], wholeMs);
    const back = join(await temporaryFolder(), 'back');
    await killedOften(['--from', url, '--to', back, '--objects', files], wholeMs);
    expect(await answersOf(back)).toEqual(before);
  });

  test('a target with half of the rows is opened by no platform', async () => {
    const folder = await copied();
    const url = await newDatabase();
    const sql = await connected(url);
    const isThere = async () => {
      const { rows } = await sql.query(
        "SELECT to_regclass('fovea_platform_moving.put_aside') IS NOT NULL AS there",
      );
      return Boolean(rows[0]?.there);
    };
    await killedWhen(isThere, ['--from', folder, '--to', url]);
    const data = await temporaryFolder();
    await expect(answersOf(data, { FOVEA_DATABASE_URL: url })).rejects.toThrow(
      'The database has an unfinished move of datasets.',
    );
    const tooEarly = await migrate(['--from', url, '--to', await temporaryFolder()]);
    expect(tooEarly).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The database has an unfinished move of datasets.'),
    });
    expect(await migrate(['--from', folder, '--to', url])).toMatchObject({ code: 0 });
    const back = await temporaryFolder();
    const files = ['--objects', folder];
    const draft = join(back, 'platform-moving.db');
    await killedWhen(async () => existsSync(draft), ['--from', url, '--to', back, ...files]);
    await expect(answersOf(back)).rejects.toThrow('has an unfinished move of datasets');
  });

  test.each([
    [['moving.lock']],
    [['moving.lock', 'platform-moving.db.0f1e2d', 'platform-moving.db.0f1e2d-wal']],
  ])(
    'a target that was killed when it had %j is opened by nobody, and is gone on with',
    async (names) => {
      const folder = await copied();
      const url = await newDatabase();
      expect(await migrate(['--from', folder, '--to', url])).toMatchObject({ code: 0 });
      const back = await temporaryFolder();
      for (const name of names) await writeFile(join(back, name), '');
      await expect(answersOf(back)).rejects.toThrow('has an unfinished move of datasets');
      const worker = await runFovea(['worker', '--data', back], { HOME: tmpdir() });
      expect(worker).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('has an unfinished move of datasets'),
      });
      const from = ['--from', url, '--to', back, '--objects', folder];
      expect(await migrate(from)).toMatchObject({ code: 0 });
      const left = await readdir(back);
      expect(left.filter((name) => /moving/.test(name))).toEqual([]);
      expect(left).toContain('platform.db');
      const again = await migrate(from);
      expect(again.code).toBe(2);
      expect(again.stderr).toContain('they are those of this platform');
      expect(again.stderr).toContain('there is nothing to do');
    },
  );

  test('a second run after a move says that it is moved, also while a platform runs there', async () => {
    const folder = await copied();
    const url = await newDatabase();
    const data = await temporaryFolder();
    const more = ['--from', folder, '--to', url, '--objects', data];
    expect(await migrate(more)).toMatchObject({ code: 0 });
    const environment = { ...settings, FOVEA_DATABASE_URL: url, HOME: data };
    const service = await startFovea(words(data), environment);
    onTestFinished(() => killProcess(service.child));
    const again = await migrate(more);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('they are those of this platform');
    expect(again.stderr).not.toContain('DROP');
  });

  test('a text that PostgreSQL cannot store is named by table, row and column', async () => {
    const folder = await copied();
    const url = await newDatabase();
    change(folder, "UPDATE images SET name = 'a' || char(0) || 'b' WHERE id = 'many-7'");
    const more = ['--from', folder, '--to', url];
    const refused = await migrate(more);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /The row of images with id "many-7" has U\+0000 in its column name, which PostgreSQL/,
    );
    expect(refused.stderr).toContain("UPDATE images SET name = 'another text'");
    change(folder, "UPDATE images SET name = 'another text' WHERE id = 'many-7'");
    expect(await migrate(more)).toMatchObject({ code: 0 });
  });

  test('datasets that changed after a kill are copied anew', async () => {
    const folder = await copied();
    const url = await newDatabase();
    const sql = await connected(url);
    const isFilled = async () => {
      const filled = "SELECT to_regclass('fovea_platform_moving.put_aside') IS NOT NULL AS there";
      if (!(await sql.query(filled)).rows[0]?.there) return false;
      const { rows } = await sql.query(
        'SELECT EXISTS (SELECT 1 FROM fovea_platform_moving.image_search) AS there',
      );
      return Boolean(rows[0]?.there);
    };
    await killedWhen(isFilled, ['--from', folder, '--to', url]);
    change(folder, "UPDATE images SET split = 'valid', name = 'renamed' WHERE id = 'many-7'");
    const { code, stdout } = await migrate(['--from', folder, '--to', url]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('are the same on both sides.')]);
    const { rows } = await sql.query(
      `SELECT name, terms::text LIKE '%split:valid%' AS is_valid FROM fovea_platform.image_search
       WHERE image_id = 'many-7'`,
    );
    expect(rows).toEqual([{ name: 'renamed', is_valid: true }]);
  });

  test('a file that is lost or damaged is named, and nothing is moved unless asked', async () => {
    const folder = await copied();
    const url = await newDatabase();
    const [lost = '', damaged = ''] = hashesIn(folder);
    await rm(join(folder, 'blobs', lost.slice(0, 2), lost));
    await writeFile(join(folder, 'blobs', damaged.slice(0, 2), damaged), 'something else');
    const more = ['--from', folder, '--to', url, '--objects', await temporaryFolder()];
    const refused = await migrate(more);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('2 files are missing or damaged at the source:');
    for (const hash of [lost, damaged]) expect(refused.stdout).toContain(`  ${hash}\n`);
    expect(refused.stdout).toContain('NOT moved: the target stays unfinished.');
    const sql = await connected(url);
    const isThere = "SELECT to_regnamespace('fovea_platform') IS NOT NULL AS there";
    expect((await sql.query(isThere)).rows).toEqual([{ there: false }]);
    const moved = await migrate([...more, '--without-lost']);
    expect(moved.code).toBe(1);
    expect(moved.stdout).toContain('Moved, without the files that the source has lost.');
    expect((await sql.query(isThere)).rows).toEqual([{ there: true }]);
  });

  test('sides that are in use, not empty, or of another platform are refused', async () => {
    const folder = await copied();
    const url = await newDatabase();
    const refusal = async (more: readonly string[]) => {
      const { code, stderr, stdout } = await migrate(more);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).not.toContain('never-shown');
      return stderr;
    };
    const environment = { FOVEA_DATABASE_URL: url };
    const data = await temporaryFolder();
    const [service, other] = await Promise.all([
      startFovea(words(folder), { ...settings, HOME: folder }),
      startFovea(words(data), { ...settings, ...environment, HOME: data }),
    ]);
    for (const { child } of [service, other]) onTestFinished(() => killProcess(child));
    const back = await temporaryFolder();
    const inDatabase = 'A process of Fovea uses the datasets in the database.';
    // Each waits a while for those who use them to end.
    await Promise.all([
      expect(refusal(['--from', folder, '--to', await newDatabase()])).resolves.toContain(
        `A process of Fovea uses the datasets in "${folder}".`,
      ),
      expect(refusal(['--from', url, '--to', back])).resolves.toContain(inDatabase),
      expect(refusal(['--from', await copied(), '--to', url])).resolves.toContain(inDatabase),
    ]);
    await Promise.all([service.stop(), other.stop()]);
    expect(await refusal(['--from', folder, '--to', url])).toContain(
      'There are datasets in the database already.',
    );
    expect(await refusal(['--from', url, '--to', folder])).toContain(
      `There are datasets in "${folder}" already.`,
    );
    await cp(join(folder, 'link-key'), join(back, 'link-key'));
    expect(await refusal(['--from', url, '--to', back])).toContain('belongs to another platform');
    const empty = await newDatabase();
    expect(await refusal(['--from', empty, '--to', await temporaryFolder()])).toContain(
      'There are no datasets in the database.',
    );
    expect(await refusal(['--from', await temporaryFolder(), '--to', empty])).toContain(
      'There is no file',
    );
    change(folder, 'PRAGMA user_version = 3');
    expect(await refusal(['--from', folder, '--to', empty])).toMatch(
      /are of version 3; this Fovea moves version \d+/,
    );
  });
});

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function change(folder: string, sql: string): void {
  const database = openDatabase(join(folder, 'platform.db'), platformMigrations);
  database.run(sql);
  database.close();
}

/** Of two images. */
function hashesIn(folder: string): readonly string[] {
  const database = openDatabase(join(folder, 'platform.db'), platformMigrations);
  const sql = 'SELECT hash FROM images WHERE length(hash) = 64 ORDER BY name LIMIT 2';
  const hashes = database.all(sql, [], (row) => row.text('hash'));
  database.close();
  return hashes;
}

/** Runs it until it ends by itself. */
async function killedOften(more: readonly string[], wholeMs: number): Promise<void> {
  for (let kills = 0; kills < 5; kills += 1) {
    const child = started(more);
    await delay(randomInt(wholeMs));
    await killProcess(child);
  }
  const { code, stdout, stderr } = await migrate(more);
  const isDone = /There are datasets in .* already/.test(stderr);
  expect(isDone || code === 0, stderr + stdout).toBe(true);
}

async function killedWhen(
  condition: () => Promise<boolean>,
  more: readonly string[],
): Promise<void> {
  const child = started(more);
  while (!(await condition())) await delay(1);
  await killProcess(child);
}

function started(more: readonly string[]) {
  const child = spawn(nodeUnderTest, [entryUnderTest(), 'migrate', ...more], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, HOME: tmpdir() },
  });
  countRunning(child);
  onTestFinished(() => killProcess(child));
  return child;
}
