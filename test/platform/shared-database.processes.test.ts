// Several `fovea platform` processes on one PostgreSQL database, with one data folder or one object
// store: whatever is asked of one, any of them knows and does.

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { images } from '../../src/contract/images.ts';
import { search } from '../../src/contract/search.ts';
import type { Client } from '../../src/http-client/client.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import { Secret } from '../../src/secret.ts';
import { launchFovea } from '../fixtures/fovea.ts';
import { type RunningService, runFovea } from '../fixtures/fovea-services.ts';
import { testImage } from '../fixtures/images.ts';
import { killProcess } from '../fixtures/kill-process.ts';
import { objectsSettings, startPlatformProcess } from '../fixtures/platform.ts';
import { endOfLeases, openPlatformRows } from '../fixtures/platform-rows.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../fixtures/postgres-server.ts';
import { hasS3Server, type S3Server, startS3Server } from '../fixtures/s3-server.ts';
import { createProject, upload } from './labelled-projects.ts';
import { ended, plainZip, put, voc } from './zip-import/zip-files.ts';

let server: PostgresServer;
let objectStore: S3Server | undefined;
let folders: string;

beforeAll(async () => {
  folders = await mkdtemp(join(tmpdir(), 'fovea-shared-'));
  if (hasPostgres) server = await startPostgres();
  if (hasS3Server) objectStore = await startS3Server();
}, 60_000);

afterAll(async () => {
  await server?.stop();
  await objectStore?.stop();
  await rm(folders, { recursive: true, force: true });
});

/** It stays until the end of all tests. */
async function newFolder(): Promise<string> {
  return mkdtemp(join(folders, 'data-'));
}

type Environment = Readonly<Record<'FOVEA_DATABASE_URL', string>>;

/** What all processes have in common, and the data folder of the next one. */
interface Shared {
  readonly environment: Environment;
  readonly folder: () => Promise<string>;
}

async function inOneFolder(): Promise<Shared> {
  const data = await newFolder();
  const environment = { FOVEA_DATABASE_URL: (await server.database()).reveal() };
  return { environment, folder: async () => data };
}

async function inObjectStore(): Promise<Shared> {
  const place = await objectStore?.place('fovea/');
  if (place === undefined) throw new Error('There is no object store.');
  const environment = {
    ...objectsSettings(place),
    FOVEA_DATABASE_URL: (await server.database()).reveal(),
  };
  return { environment, folder: newFolder };
}

interface Running extends RunningService {
  readonly client: Client;
}

/** Until the end of the test. */
async function start(shared: Shared): Promise<Running> {
  const running = await open(shared);
  onTestFinished(() => end(running));
  return running;
}

async function end({ client, child }: Running): Promise<void> {
  await client.close();
  await killProcess(child);
}

async function open({ environment, folder }: Shared): Promise<Running> {
  const service = await startPlatformProcess(await folder(), undefined, environment);
  const upstream = async () => ({ url: service.url, credential: new Secret('a-key-for-tests') });
  const client = createClient({
    upstreams: { base: upstream, device: upstream },
    clock: systemClock,
    timeoutMs: 30_000,
  });
  return { ...service, client };
}

async function found(client: Client, query: string, project = 'cells'): Promise<number> {
  const asked = { workspace: 'acme', query: `project:${project} ${query}` };
  return (await client.call(search.workspace_search, asked)).body.total ?? -1;
}

/** A link of one process, asked of another one. */
const at = (other: RunningService, link: string) => {
  const { pathname, search: query } = new URL(link);
  return `${other.url}${pathname}${query}`;
};

const places = [
  { name: 'one data folder', share: inOneFolder, isHere: hasPostgres, isLeaseEnded: false },
  {
    name: 'one object store',
    share: inObjectStore,
    isHere: hasPostgres && hasS3Server,
    isLeaseEnded: true,
  },
];

for (const { name, share, isHere, isLeaseEnded } of places) {
  describe.skipIf(!isHere)(`with one database and ${name}`, { timeout: 120_000 }, () => {
    let shared: Shared;
    let one: Running;
    let two: Running;

    beforeAll(async () => {
      shared = await share();
      [one, two] = await Promise.all([open(shared), open(shared)]);
    }, 60_000);

    afterAll(() => Promise.all([one, two].map((each) => each && end(each))));

    test('what is sent to one is found, shown and given out by the other', async () => {
      await createProject(one.client, 'cells');
      const id = await upload(one.client, 'cells', 1, { tag: ['night'] });
      expect(await found(two.client, 'tag:night')).toBe(1);
      const wanted = { workspace: 'acme', project: 'cells', imageId: id };
      const { body } = await one.client.call(images.images_get, wanted);
      const answer = await fetch(at(two, String(body.image.urls?.original)));
      expect(answer.status).toBe(200);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(await testImage(1)));
    });

    test('both add to one project at once, and none is sent away', async () => {
      await createProject(one.client, 'many');
      await Promise.all(
        Array.from({ length: 60 }, (_, shade) =>
          upload((shade % 2 === 0 ? one : two).client, 'many', shade),
        ),
      );
      expect(await found(two.client, '*', 'many')).toBe(60);
    });

    test('a file is sent to the one process, by a link of the other', async () => {
      await createProject(one.client, 'linked');
      const input = { workspace: 'acme', project: 'linked' };
      const { body } = await one.client.call(images.images_upload_zip, input);
      const zip = plainZip({ 'train/1.png': await testImage(1) });
      expect((await put(at(two, String(body.signedUrl)), zip)).status).toBe(200);
      expect((await ended(one, body.taskId)).result).toMatchObject({ images: 1 });
    });

    // The last one: of the two only one is left.
    test('a task of a process that hangs and is killed is ended by another one', async () => {
      await end(two);
      await createProject(one.client, 'taken');
      const files: Record<string, string | Uint8Array> = {};
      for (let n = 0; n < 60; n += 1) {
        files[`train/${n}.png`] = await testImage(n);
        files[`labels/${n}.xml`] = voc(`${n}.png`, 'cat');
      }
      const input = { workspace: 'acme', project: 'taken' };
      const { body } = await one.client.call(images.images_upload_zip, input);
      expect((await put(String(body.signedUrl), plainZip(files))).status).toBe(200);
      const asked = { workspace: 'acme', taskId: body.taskId };
      for (let done = 0; done < 3; ) {
        const { body: state } = await one.client.call(images.images_upload_zip_status, asked);
        done = state.progress?.current ?? 0;
      }
      one.child.kill('SIGSTOP');
      const other = await start(shared);
      await killProcess(one.child);
      if (isLeaseEnded) await endLeases(shared);
      const { status, result } = await ended(other, body.taskId);
      expect(status).toBe('completed');
      expect(result).toMatchObject({ images: 60, failed: 0, annotated: 60, boxes: 60 });
      expect(await found(other.client, 'class:cat', 'taken')).toBe(60);
    });
  });
}

/** That they end by themselves is seen in one place. */
async function endLeases({ environment }: Shared): Promise<void> {
  const rows = await openPlatformRows('', new Secret(environment.FOVEA_DATABASE_URL ?? ''));
  await rows.run(endOfLeases);
  await rows.close();
}

describe.skipIf(!hasPostgres)('with one database', { timeout: 120_000 }, () => {
  test('an MCP server over stdio works in the datasets of the service', async () => {
    const { environment } = await inOneFolder();
    const home = await newFolder();
    const service = await start({ environment, folder: async () => join(home, 'platform') });
    await createProject(service.client, 'cells');
    const settings = { ...environment, FOVEA_WORKSPACE: 'acme' };
    const host = await launchFovea({ ...settings, FOVEA_HOME: home });
    onTestFinished(() => host.close());
    const file = join(host.folder, 'one.png');
    await writeFile(file, await testImage(1));
    await host.ok('images_upload', { project: 'cells', files: [file] });
    expect(await found(service.client, '*')).toBe(1);
    // One with a home of its own would not find the files.
    const stranger = await launchFovea(settings);
    onTestFinished(() => stranger.close());
    const refused = await stranger.call('projects_get', { project: 'cells' });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('in another data folder');
  });

  test('a process with files of its own is refused', async () => {
    const shared = await inOneFolder();
    await start(shared);
    const other = { ...shared, folder: newFolder };
    await expect(start(other)).rejects.toThrow('in another data folder');
  });

  test('an empty database is refused where the files are those of another', async () => {
    const { environment, folder } = await inOneFolder();
    const one = await start({ environment, folder });
    await createProject(one.client, 'cells');
    await upload(one.client, 'cells', 1);
    await killProcess(one.child);
    const empty = { FOVEA_DATABASE_URL: (await server.database()).reveal() };
    await expect(start({ environment: empty, folder })).rejects.toThrow('The database is empty');
    const again = await start({ environment, folder });
    expect(await found(again.client, '*')).toBe(1);
  });

  test('a folder that has datasets is not passed over', async () => {
    const shared = await inOneFolder();
    const data = await newFolder();
    await writeFile(join(data, 'platform.db'), '');
    const mine = { ...shared, folder: async () => data };
    await expect(start(mine)).rejects.toThrow('has datasets in platform.db');
    expect(existsSync(join(data, 'link-key'))).toBe(false);
  });

  test('the doctor says what a database lacks, and so does a process that does not start', async () => {
    const url = await server.database();
    const sql = new pg.Client({ connectionString: url.reveal() });
    await sql.connect();
    onTestFinished(() => sql.end());
    await sql.query('CREATE ROLE guest LOGIN');
    await sql.query("CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0 LOCALE 'C'");
    const guest = url.reveal().replace('user=fovea', 'user=guest');
    const bytes = url.reveal().replace(/[^/]+(?=[?])/, 'bytes');
    const home = await newFolder();
    const said = async (FOVEA_DATABASE_URL: string) => {
      const settings = { FOVEA_DATABASE_URL, FOVEA_HOME: home, HOME: home };
      const { stdout } = await runFovea(['doctor'], settings);
      return /^.*\bdatabase .*$/m.exec(stdout)?.[0];
    };
    expect(await said(url.reveal())).toMatch(
      /^ok +database +PostgreSQL \d+\.\d+ answers within \d+\.\d ms, and keeps datasets/,
    );
    expect(await said(guest)).toMatch(/^BAD .* its user cannot make the schemas of Fovea\.$/);
    expect(await said(bytes)).toMatch(/^BAD .* does not keep its texts as UTF-8\.$/);
    const starting = (at: string) =>
      start({ environment: { FOVEA_DATABASE_URL: at }, folder: newFolder });
    await expect(starting(guest)).rejects.toThrow('The database user may not do that.');
    await expect(starting(bytes)).rejects.toThrow('does not keep its texts as UTF-8.');
  });
});
