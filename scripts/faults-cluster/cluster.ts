// Platforms and workers on one PostgreSQL server and one object store, behind a balancer.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { ObjectStorageSettings } from '../../src/object-storage-settings.ts';
import type { Secret } from '../../src/secret.ts';
import type { TestApplication } from '../../test/fixtures/authorization-server.ts';
import { hasExampleTrainer, installExampleTrainer } from '../../test/fixtures/example-trainer.ts';
import { objectsSettings } from '../../test/fixtures/platform.ts';
import { type PostgresServer, startPostgres } from '../../test/fixtures/postgres-server.ts';
import { openRoundRobin, type RoundRobin } from '../../test/fixtures/round-robin.ts';
import { type S3Server, startS3Server } from '../../test/fixtures/s3-server.ts';
import { type DatabaseLine, openDatabaseLine } from './database-line.ts';
import { Member } from './member.ts';
import { type ObjectsLine, openObjectsLine } from './objects-line.ts';
import { openSignIn, workspace } from './sign-in.ts';

export interface ClusterOptions {
  readonly platforms: number;
  readonly workers: number;
  /** Added to the environment of workers. */
  readonly ofWorkers?: Readonly<Record<string, string>>;
}

export interface Cluster {
  /** Of the balancer. */
  readonly url: string;
  readonly key: string;
  readonly platforms: readonly Member[];
  readonly workers: readonly Member[];
  readonly server: PostgresServer;
  readonly databaseLine: DatabaseLine;
  readonly objectsLine: ObjectsLine;
  readonly objectStore: S3Server;
  /** Past the lines: for whoever looks what is there. */
  readonly databaseUrl: Secret;
  readonly place: ObjectStorageSettings;
  /** Of files that were stored, and whose rows were not. */
  readonly orphaned: Set<string>;
  /** Where people may sign in. */
  readonly application: TestApplication;
  /** A folder for files of the trial. */
  readonly folder: string;
  close(): Promise<void>;
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-cluster-'));
  const server = await startPostgres();
  const objectStore = await startS3Server();
  const databaseUrl = await server.database();
  const place = await objectStore.place('fovea/');
  const databaseLine = await openDatabaseLine(socketOf(databaseUrl));
  const objectsLine = await openObjectsLine(objectStore.endpoint);
  const balancer = await openRoundRobin();
  const database = new URL(databaseUrl.reveal()).pathname.slice(1);
  const shared = {
    ...objectsSettings({ ...place, endpoint: objectsLine.url }),
    FOVEA_DATABASE_URL: databaseLine.urlOf(database),
    FOVEA_PUBLIC_URL: balancer.url,
    FOVEA_WORKSPACE: workspace,
    FOVEA_HOME: join(folder, 'home'),
    ...(hasExampleTrainer && { FOVEA_TRAINER: 'example' }),
    FOVEA_LOG: 'error',
  };
  if (hasExampleTrainer) await installExampleTrainer(shared.FOVEA_HOME);
  const memberOf = async (name: string, words: readonly string[], more: object, url = '') => {
    const data = join(folder, name);
    await mkdir(data);
    const environment = { ...shared, ...more, HOME: data };
    return new Member({ name, words: [...words, '--data', data], environment, url });
  };
  const platforms = await several(options.platforms, async (number) => {
    const port = await ownPort();
    const url = `http://127.0.0.1:${port}`;
    balancer.to.push(url);
    const words = ['platform', '--port', String(port)];
    const settings = { FOVEA_API_KEY: key, FOVEA_RATE_LIMIT: '0', FOVEA_TASKS: 'off' };
    return memberOf(`platform ${number}`, words, settings, url);
  });
  const workers = await several(options.workers, (number) =>
    memberOf(`worker ${number}`, ['worker'], options.ofWorkers ?? {}),
  );
  const members = [...platforms, ...workers];
  await Promise.all(members.map((member) => member.start()));
  await watchTasks(databaseUrl);
  const application = await openSignIn({ databaseUrl, folder });
  return {
    application,
    orphaned: new Set(),
    url: balancer.url,
    key,
    platforms,
    workers,
    server,
    databaseLine,
    objectsLine,
    objectStore,
    databaseUrl,
    place,
    folder,
    close: async () => {
      await Promise.all(members.map((member) => member.kill()));
      close(balancer, databaseLine, objectsLine);
      await server.stop();
      await objectStore.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const key = 'a-key-for-tests';

/**
 * A free port below those that Linux gives to connections: nobody gets it while its process is
 * down.
 */
async function ownPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    server.close();
    if (isFree) return port;
  }
}

function close(balancer: RoundRobin, ...lines: readonly { close(): void }[]): void {
  for (const each of [balancer, ...lines]) each.close();
}

function several<T>(count: number, make: (number: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index + 1)));
}

function socketOf(url: Secret): string {
  const folder = new URL(url.reveal()).searchParams.get('host') ?? '';
  return join(folder, '.s.PGSQL.5432');
}

/** Runs statements past the lines; a connection for each time: the server is killed in between. */
export async function sql(
  { databaseUrl }: Pick<Cluster, 'databaseUrl'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({
    connectionString: databaseUrl.reveal(),
    options: '-c search_path=fovea_platform,public',
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Keeps all that happens to a task that has ended: nothing may. */
async function watchTasks(databaseUrl: Secret): Promise<void> {
  const text = `
    CREATE TABLE public.ended_twice (id text, kind text, was text, became text);
    CREATE FUNCTION public.note_ended_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.ended_twice VALUES (OLD.id, OLD.kind, OLD.status, NEW.status);
      RETURN NEW;
    END $$;
    CREATE TRIGGER ended_twice AFTER UPDATE ON fovea_platform.work FOR EACH ROW
      WHEN (OLD.status IN ('completed', 'failed')) EXECUTE FUNCTION public.note_ended_twice();`;
  await sql({ databaseUrl }, text);
}
