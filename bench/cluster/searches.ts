// Searches among a million images and more, whose rows are made by the server itself.

import pg from 'pg';
import { search } from '../../src/contract/search.ts';
import type { Client } from '../../src/http-client/client.ts';
import { lexeme } from '../../src/platform/postgres/search-index/conditions.ts';
import { propertiesOf, term } from '../../src/query-language/search-terms.ts';
import { median } from '../measure/text-table.ts';
import { makeProject, project } from './calls.ts';
import { startPlatforms, workspace } from './platforms.ts';

/** Of each, so many are timed, after one that is not. */
const searchesOfEach = 5;

const kinds: readonly (readonly [string, string])[] = [
  ['newest page of all', `project:${project}`],
  ['class of 1 in 1,000', 'class:class-7'],
  ['class of 1 in 10', 'class:class-of-ten-7'],
  ['two conditions', 'class:class-of-ten-7 split:valid'],
  ['number', 'min-width:1000 class:class-7'],
  ['part of a name', 'filename:*img_12345*'],
  ['none', 'class:nothing-like-it'],
];

/** `counts`: of images; one database grows from the smallest to the largest. */
export async function measureSearches(
  databaseUrl: string,
  counts: readonly number[],
): Promise<string[][]> {
  const { clients, close } = await startPlatforms(1, databaseUrl);
  const client = new pg.Client({
    connectionString: databaseUrl,
    // Neither the log of changes nor checks of rows that are right.
    options: '-c search_path=fovea_platform,public -c session_replication_role=replica',
  });
  await client.connect();
  try {
    const [platform] = clients;
    if (platform === undefined) throw new Error('no platform');
    await makeProject(platform);
    const figures: (readonly string[])[] = [];
    let there = 0;
    for (const count of counts.toSorted((a, b) => a - b)) {
      process.stderr.write(`${count} images...\n`);
      const startMs = performance.now();
      await fill(client, there + 1, count);
      const fillS = (performance.now() - startMs) / 1000;
      const rate = (count - there) / fillS;
      there = count;
      figures.push([
        count.toLocaleString('en'),
        fillS.toFixed(0),
        `${(100_000_000 / rate / 3600).toFixed(1)} h`,
        await sizeOf(client),
        ...(await timesOf(platform)),
      ]);
    }
    const names = ['images', 'made in, s', '100 million at that rate', 'MB of rows and indexes'];
    return transposed([[...names, ...kinds.map(([name]) => `${name}, ms`)], ...figures]);
  } finally {
    await client.end();
    await close();
  }
}

/** Images of these numbers, as uploads of a thousand kinds would leave them. */
async function fill(client: pg.Client, first: number, last: number): Promise<void> {
  const { rows } = await client.query('SELECT id, workspace_id FROM projects');
  const [{ id: projectId, workspace_id: workspaceId }] = rows;
  await client.query('INSERT INTO batches VALUES ($1, $2, $1, 1) ON CONFLICT DO NOTHING', [
    'seeded',
    projectId,
  ]);
  await client.query('CREATE TEMP TABLE IF NOT EXISTS kinds (n int PRIMARY KEY, terms tsvector)');
  const seeded = Array.from({ length: 1000 }, (_, n) => termsOf(n, workspaceId, projectId));
  await client.query(
    `INSERT INTO kinds SELECT ordinality - 1, value::tsvector
     FROM json_array_elements_text($1) WITH ORDINALITY ON CONFLICT DO NOTHING`,
    [JSON.stringify(seeded)],
  );
  for (let from = first; from <= last; from += perStatement) {
    await insert(client, [from, Math.min(last, from + perStatement - 1), projectId, workspaceId]);
  }
  for (const table of ['images', 'image_ordinals', 'image_search']) {
    await client.query(`VACUUM ANALYZE ${table}`);
  }
}

const perStatement = 250_000;

async function insert(client: pg.Client, values: readonly unknown[]): Promise<void> {
  const [from, to, projectId, workspaceId] = values;
  await client.query(
    `INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width, height, split,
       metadata, created, objects, annotated_at)
     SELECT 'image-' || n, $3, 'seeded', 'IMG_' || n || '.jpg', md5(n::text), 200000, 'jpeg',
       640 + n % 1000, 480, CASE WHEN n % 10 = 0 THEN 'valid' ELSE 'train' END, '{}', n, 2, n
     FROM generate_series($1::bigint, $2::bigint) AS n`,
    [from, to, projectId],
  );
  await client.query(
    `INSERT INTO image_ordinals (ordinal, image_id, indexed)
     SELECT n, 'image-' || n, 1 FROM generate_series($1::bigint, $2::bigint) AS n`,
    [from, to],
  );
  await client.query(
    `INSERT INTO image_search (ordinal, image_id, workspace_id, project_id, name, terms, width,
       height, objects, counts)
     SELECT i.n, 'image-' || i.n, $4, $3, 'img_' || i.n || '.jpg', kinds.terms,
       640 + i.n % 1000, 480, 2, '{}'
     FROM generate_series($1::bigint, $2::bigint) AS i (n) JOIN kinds ON kinds.n = i.n % 1000`,
    [from, to, projectId, workspaceId],
  );
}

function termsOf(n: number, workspaceId: string, projectId: string): string {
  const properties = propertiesOf({
    workspaceId,
    projectId,
    batchId: 'seeded',
    name: '',
    split: n % 10 === 0 ? 'valid' : 'train',
    width: 640,
    height: 480,
    objects: 2,
    isPredicted: false,
    metadata: { line: n % 12 },
    tags: [`tag-${n % 20}`],
    labels: [`class-${n}`, `class-of-ten-${n % 10}`].map((label) => ({ label, count: 1 })),
    jobIds: [],
    review: undefined,
    isDescribed: false,
  });
  // Names of files are words too, one for each image.
  const described = term('is', 'described');
  return properties
    .filter((name) => name !== described)
    .map(lexeme)
    .join(' ');
}

async function sizeOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query('SELECT pg_database_size(current_database()) AS bytes');
  return (Number(rows[0].bytes) / 1e6).toFixed(0);
}

async function timesOf(platform: Client): Promise<string[]> {
  const times: string[] = [];
  for (const [, query] of kinds) {
    const taken: number[] = [];
    for (let time = 0; time <= searchesOfEach; time += 1) {
      const startMs = performance.now();
      await platform.call(search.workspace_search, { workspace, query });
      taken.push(performance.now() - startMs);
    }
    times.push(median(taken.slice(1)).toFixed(1));
  }
  return times;
}

function transposed(rows: readonly (readonly string[])[]): string[][] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ''));
}
