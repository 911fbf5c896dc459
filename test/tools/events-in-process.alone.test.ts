// Where the Event Store of the tools is: in the process, in several of them, or on port 8001.

import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startEventStoreProcess } from '../fixtures/event-store-process.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { mp4 } from '../fixtures/mp4-files.ts';
import { checkPortIsFree, create, refused, testDraftLife } from './draft-event-suite.ts';

/** What ends with a test, the last one first. */
const closing: (() => Promise<unknown>)[] = [];

beforeAll(checkPortIsFree);

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function launch(settings: Record<string, string> = {}): Promise<Fovea> {
  const fovea = await launchFovea(settings);
  closing.push(fovea.close);
  return fovea;
}

/** A `fovea event-store` on port 8001. */
async function startStore(environment: Record<string, string> = {}): Promise<string> {
  const store = await startEventStoreProcess({ port: 8001, environment });
  closing.push(store.stop);
  return store.url;
}

/** Something else on port 8001. */
async function startStranger(listener: RequestListener): Promise<void> {
  const stranger = createServer(listener);
  await new Promise<void>((resolve) => stranger.listen(8001, '127.0.0.1', resolve));
  closing.push(() => {
    stranger.closeAllConnections();
    return new Promise((resolve) => stranger.close(resolve));
  });
}

async function doctorOf(fovea: Fovea): Promise<Facts> {
  const { checks } = await fovea.ok('doctor');
  return Object(checks).find(({ check }: Facts) => check === 'event store');
}

describe('without a service', () => {
  let fovea: Fovea;

  beforeAll(async () => {
    fovea = await launchFovea();
  });

  afterAll(() => fovea.close());

  test('the doctor starts none', async () => {
    expect(await doctorOf(fovea)).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^None runs; the first events tool starts one/),
    });
    expect(existsSync(join(fovea.home, 'event-store'))).toBe(false);
  });

  testDraftLife(() => fovea);

  test('the doctor names the one of the process, and where its data is', async () => {
    const { ok, detail } = await doctorOf(fovea);
    expect(ok).toBe(true);
    expect(detail).toMatch(/^The one in this process, at http:\/\/127\.0\.0\.1:\d+ with /);
    expect(detail).toContain(join(fovea.home, 'event-store'));
    expect(detail).toMatch(/answers and holds \d+ events\.$/);
  });

  test('nobody else has its key', async () => {
    const { detail } = await doctorOf(fovea);
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(String(detail)) ?? [];
    expect((await fetch(`${url}/v2/events`)).status).toBe(401);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});

test('a setting that would keep it from starting is named, by the doctor too', async () => {
  const fovea = await launch({ RETENTION_DAYS: 'never', MAX_RECORDS: '0' });
  const text = await refused(fovea, 'events_count', {});
  expect(text).toContain('RETENTION_DAYS: must be a number above 0');
  expect(text).toContain('MAX_RECORDS: must be a whole number of at least 1');
  expect(await doctorOf(fovea)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('RETENTION_DAYS'),
  });
  expect(await fovea.ok('workspace_whoami')).toMatchObject({ workspace: 'local' });
});

describe('several processes', () => {
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'fovea-shared-'));
  });

  afterAll(() => rm(home, { recursive: true, force: true }));

  test('share their events, also at the same time', async () => {
    const [one, other] = await Promise.all([
      launch({ FOVEA_HOME: home }),
      launch({ FOVEA_HOME: home }),
    ]);
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, index) => create(index % 2 ? one : other)),
    );
    const idsOf = async (fovea: Fovea) => {
      const { events } = await fovea.ok('events_list');
      return Object(events).map(({ id }: Facts) => id);
    };
    expect((await idsOf(one)).toSorted()).toEqual(made.toSorted());
    expect(await idsOf(other)).toEqual(await idsOf(one));
    const event_id = await create(one, { draft: true });
    const file = join(other.folder, 'a.mp4');
    await writeFile(file, mp4());
    await other.ok('events_attach_video', { event_id, file });
    const final = await one.ok('events_finalize', { event_id });
    expect(final).toMatchObject({ already_finalized: false });
    expect(await other.ok('events_get', { event_id })).toMatchObject({
      draft: false,
      videos: [{ content_type: 'video/mp4' }],
    });
  });

  test('one that is killed while it takes in a video leaves nothing half-done', async () => {
    const [doomed, other] = await Promise.all([
      launch({ FOVEA_HOME: home }),
      launch({ FOVEA_HOME: home }),
    ]);
    const event_id = await create(doomed, { draft: true });
    const file = join(doomed.folder, 'large.mp4');
    await writeFile(file, mp4(80_000_000));
    const { transport } = doomed.client;
    const kill = () => {
      if (!(transport instanceof StdioClientTransport)) return;
      if (transport.pid !== null) process.kill(transport.pid, 'SIGKILL');
    };
    let told = 0;
    const attach = doomed.call('events_attach_video', { event_id, file }, () => {
      told += 1;
      kill();
    });
    await expect(attach).rejects.toThrow();
    expect(told).toBeGreaterThan(0);
    const left = { draft: true, videos: [], current_file_count: 0 };
    expect(await other.ok('events_get', { event_id })).toMatchObject(left);
    const small = join(other.folder, 'small.mp4');
    await writeFile(small, mp4());
    await other.ok('events_attach_video', { event_id, file: small });
    await other.ok('events_finalize', { event_id });
    const done = { draft: false, videos: [{ size_bytes: mp4().length }], current_file_count: 1 };
    expect(await other.ok('events_get', { event_id })).toMatchObject(done);
  });
});

describe('what answers on port 8001', () => {
  test('is used when it is an Event Store', async () => {
    const url = await startStore();
    const fovea = await launch();
    expect(await doctorOf(fovea)).toMatchObject({
      ok: true,
      detail: 'The one at http://127.0.0.1:8001 answers and holds 0 events.',
    });
    const id = await create(fovea);
    const found = await fetch(`${url}/v2/events/${id}`);
    expect(await found.json()).toMatchObject({ id });
    expect(existsSync(join(fovea.home, 'event-store'))).toBe(false);
  });

  test('may need a key: the error names its setting', async () => {
    await startStore({ API_KEY: 'right' });
    const keyless = await launch();
    const text = await refused(keyless, 'events_latest', {});
    expect(text).toMatch(/unauthenticated[\s\S]*FOVEA_DEVICE_API_KEY/);
    expect(await doctorOf(keyless)).toMatchObject({
      ok: false,
      fix: 'Set FOVEA_DEVICE_API_KEY to the key of that Event Store.',
    });
    const fovea = await launch({ FOVEA_DEVICE_API_KEY: 'right' });
    expect(await fovea.ok('events_latest')).toMatchObject({ count: 0 });
  });

  test.each([
    ['another service', 200, '<html>'],
    ['one that fails', 500, '{}'],
    ['another service in JSON', 200, '{"status":"ok"}'],
  ])('is left alone when it is %s', async (_name, status, body) => {
    const asked: string[] = [];
    await startStranger((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(status).end(body);
    });
    const fovea = await launch();
    await create(fovea);
    expect(await doctorOf(fovea)).toMatchObject({ ok: true });
    expect(asked).toEqual(['GET /events/count/stats']);
  });

  test('is not waited for when it is silent', async () => {
    await startStranger(() => undefined);
    const fovea = await launch();
    await create(fovea);
    expect(existsSync(join(fovea.home, 'event-store'))).toBe(true);
  });
});
