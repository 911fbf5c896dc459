// Searches by meaning on both engines: what is found, of whom, after a kill, and by which model.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { search } from '../../../src/contract/search.ts';
import type { Client } from '../../../src/http-client/client.ts';
import { limits } from '../../../src/limits.ts';
import { rankByMeaning as rankOnServer } from '../../../src/platform/postgres/search-index/nearest-images.ts';
import { writeEmbedder } from '../../fixtures/embedder-folder.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import {
  startPlatformProcess,
  startTestPlatform,
  withRowsInFolder,
} from '../../fixtures/platform.ts';
import { endOfLeases, openPlatformRows } from '../../fixtures/platform-rows.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../../fixtures/postgres-server.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { createProject } from '../labelled-projects.ts';

let server: PostgresServer;

beforeAll(async () => {
  if (hasPostgres) server = await startPostgres();
}, 60_000);

afterAll(() => server?.stop());

async function put(client: Client, project: string, name: string, background: string) {
  const image = sharp({ create: { width: 40, height: 40, channels: 3, background } });
  const file = { name, content: await image.png().toBuffer() };
  const { body } = await client.call(images.images_upload, { project, file });
  return body.id;
}

async function find(client: Client, query: string, workspace = 'acme') {
  const fields = ['id', 'name'];
  const { body } = await client.call(search.workspace_search, { workspace, query, fields });
  const { results, total, ...rest } = body;
  return { names: results.map((one) => String(Object(one).name)), total, rest };
}

/** Whole by its structure, with coded pixels that mean nothing. */
async function damagedImage(): Promise<Uint8Array> {
  const bytes = await readFile('sample/blood-cells/JPEGImages/BloodImage_00338.jpg');
  const start = bytes.indexOf(Buffer.from([0xff, 0xda])) + 200;
  bytes.fill(0, start, bytes.length - 200);
  return bytes;
}

/** Nearly red, each a little different. */
function shade(n: number): string {
  return `rgb(${255 - (n % 40)}, ${Math.floor(n / 40)}, 0)`;
}

const engines = hasPostgres ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const);

describe.each(engines)('on %s', { timeout: 60_000 }, (engine) => {
  async function start() {
    const embedder = await writeEmbedder(join(await temporaryFolder(), 'tiny-clip'));
    const databaseUrl = engine === 'SQLite' ? undefined : await server.database();
    const platform = await startTestPlatform({ embedder, databaseUrl });
    onTestFinished(() => platform.close());
    return { platform, embedder, client: platform.client };
  }

  it('finds by a text within all other conditions, in pages', async () => {
    const { client } = await start();
    const [one, two] = [await createProject(client, 'one'), await createProject(client, 'two')];
    await put(client, one, 'red.png', '#ff0000');
    await put(client, one, 'green.png', '#00ff00');
    await put(client, two, 'blue.png', '#0000ff');
    await put(client, two, 'dark-red.png', '#800000');
    const all = await find(client, 'like-text:"red"');
    expect(all.names.slice(0, 2)).toEqual(['red.png', 'dark-red.png']);
    expect(all.total).toBe(4);
    expect((await find(client, 'project:two like-text:red')).names).toEqual([
      'dark-red.png',
      'blue.png',
    ]);
    expect((await find(client, 'like-text:red (filename:*blue* OR filename:green*)')).total).toBe(
      2,
    );
    const paged = { workspace: 'acme', query: 'like-text:red', fields: ['name'], pageSize: 3 };
    const { body } = await client.call(search.workspace_search, paged);
    const { continuationToken } = body;
    const next = await client.call(search.workspace_search, {
      ...paged,
      continuationToken: String(continuationToken),
    });
    expect([body.results.length, next.body.results.length]).toEqual([3, 1]);
    const wrong = ['like-text:red sort:name', 'like-text:red like-image:x', '-like-text:red'];
    for (const query of wrong) {
      await expect(find(client, query)).rejects.toMatchObject({ code: 'invalid_input' });
    }
  });

  it('finds nothing of another workspace', async () => {
    const { platform, client } = await start();
    await put(client, await createProject(client, 'mine'), 'mine.png', '#ff0000');
    const other = await platform.otherWorkspace();
    expect((await find(other.client, 'like-text:red', other.slug)).names).toEqual([]);
    expect((await find(client, 'like-text:red')).names).toEqual(['mine.png']);
  });

  it('loses the vector of an image with the image, and gets it back with it', async () => {
    const { client } = await start();
    const project = await createProject(client, 'things');
    const red = await put(client, project, 'red.png', '#ff0000');
    await put(client, project, 'blue.png', '#0000ff');
    expect((await find(client, 'like-text:red')).names).toEqual(['red.png', 'blue.png']);
    await client.call(images.images_delete, { workspace: 'acme', project, images: [red] });
    expect((await find(client, 'like-text:red')).names).toEqual(['blue.png']);
    await put(client, project, 'red again.png', '#ff0000');
    expect((await find(client, 'like-text:red')).names).toEqual(['red again.png', 'blue.png']);
  });

  it('passes over an image whose pixels cannot be read, and says so', async () => {
    const { client } = await start();
    const project = await createProject(client, 'things');
    await put(client, project, 'red.png', '#ff0000');
    const file = { name: 'damaged.jpg', content: await damagedImage() };
    await client.call(images.images_upload, { project, file });
    const { names, rest } = await find(client, 'like-text:red');
    expect(names).toEqual(['red.png']);
    expect(Object(rest).notes[1]).toBe('1 of 2 images are not found: the model cannot read them.');
    const { body } = await client.call(search.workspace_search, {
      workspace: 'acme',
      query: 'filename:damaged.jpg',
      fields: ['id'],
    });
    await expect(find(client, `like-image:${body.results[0]?.id}`)).rejects.toMatchObject({
      code: 'invalid_input',
      upstream: { message: expect.stringContaining('this image cannot be read') },
    });
  });

  it('finds the same file in another project of the workspace too', async () => {
    const { client } = await start();
    const project = await createProject(client, 'things');
    await put(client, project, 'red.png', '#ff0000');
    await put(client, project, 'blue.png', '#0000ff');
    expect((await find(client, 'like-text:red')).total).toBe(2);
    const other = await createProject(client, 'others');
    await put(client, other, 'the same.png', '#ff0000');
    expect((await find(client, 'project:others like-text:red')).names).toEqual(['the same.png']);
  });

  it('keeps models apart, and goes back to one without embedding anew', async () => {
    const { client, embedder } = await start();
    const project = await createProject(client, 'things');
    await put(client, project, 'red.png', '#ff0000');
    await put(client, project, 'blue.png', '#0000ff');
    expect((await find(client, 'like-text:red')).names[0]).toBe('red.png');
    // Blue lies where red was: a vector of the first model would be found first.
    await writeEmbedder(embedder, { isTurned: true });
    const turned = await find(client, 'like-text:red');
    expect(turned.names).toEqual(['red.png', 'blue.png']);
    await writeEmbedder(embedder);
    expect((await find(client, 'like-text:blue')).names).toEqual(['blue.png', 'red.png']);
  });
});

it('on PostgreSQL compares so many images, and asks to narrow what finds more', async () => {
  const reader = { all: never, each: never, get: never };
  const asked = { model: 1, vector: Float32Array.of(1, 0) };
  await expect(
    rankOnServer(reader, { sql: 'true', values: [] }, limits.serverVectorsReadMax + 1, asked),
  ).rejects.toMatchObject({ code: 'invalid_input', hint: expect.stringContaining('Narrow it') });
});

async function never(): Promise<never> {
  throw new Error('nothing is read');
}

it('killed while it embeds, it ends as if nobody had', { timeout: 120_000 }, async () => {
  const embedder = await writeEmbedder(join(await temporaryFolder(), 'tiny-clip'));
  const data = await temporaryFolder();
  const count = 300;
  const first = await startTestPlatform({ data, ...withRowsInFolder });
  const project = await createProject(first.client, 'things');
  for (let n = 0; n < count; n += 1) await put(first.client, project, `${n}.png`, shade(n));
  await first.close();
  const rows = await openPlatformRows(data, undefined);
  onTestFinished(() => rows.close());
  const countVectors = async () => {
    const [found] = await rows.run('SELECT count(*) AS n FROM embedding_vectors');
    return Number(found?.n);
  };
  const kept: number[] = [];
  for (let round = 0; round < 2; round += 1) {
    const { child } = await startPlatformProcess(data, undefined, { FOVEA_EMBEDDER: embedder });
    while ((await countVectors()) <= (kept.at(-1) ?? 0)) await delay(5);
    await killProcess(child);
    kept.push(await countVectors());
    await rows.run(endOfLeases);
  }
  expect(kept[0]).toBeLessThan(count);
  const platform = await startTestPlatform({ data, embedder, inSources: true });
  onTestFinished(() => platform.close());
  while ((await countVectors()) < count) await delay(50);
  const { total, rest } = await find(platform.client, 'like-text:red');
  expect(total).toBe(count);
  expect(Object(rest).notes).toEqual(['Similar by meaning, as the model "tiny-clip" sees it.']);
  expect(await countVectors()).toBe(count);
});
