// Moves a large store from a data folder to PostgreSQL and back, and says what that takes:
// `npm run measure:move -- [IMAGES | DATA_FOLDER]`. Each image has three rows beside its own. The
// release is moved with where FOVEA_TEST_ENTRY names it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval } from 'node:timers';
import { formatTable } from '../bench/measure/text-table.ts';
import { platformMigrations } from '../src/platform/database/migrations.ts';
import { openDatabase } from '../src/storage/database.ts';
import { startPostgres } from '../test/fixtures/postgres-server.ts';
import { entryUnderTest, nodeUnderTest } from '../test/fixtures/under-test.ts';
import { readPeak } from './attacks/process-state.ts';

const [given = '250000'] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'fovea-measure-move-'));
const server = await startPostgres();
try {
  const url = (await server.database()).reveal();
  const isFolder = !/^\d+$/.test(given);
  const from = isFolder ? given : join(folder, 'from');
  if (!isFolder) await seed(from, Number(given));
  const files = join(folder, 'files');
  await mkdir(files);
  const rows = [
    await move('to PostgreSQL', ['--from', from, '--to', url, '--objects', files]),
    await move('back', ['--from', url, '--to', join(folder, 'to'), '--objects', files]),
  ];
  process.stdout.write(`${formatTable([['move', 'seconds', 'peak memory, MB', ''], ...rows])}\n`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function move(name: string, words: readonly string[]): Promise<readonly string[]> {
  const startMs = performance.now();
  const child = spawn(nodeUnderTest, [entryUnderTest(), 'migrate', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  let peakBytes = 0;
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, readPeak(child.pid ?? 0));
  }, 100);
  const [code] = await once(child, 'close');
  clearInterval(watch);
  if (code !== 0) throw new Error(said);
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const [counts = ''] = /^\d+ tables.*$/m.exec(said) ?? [];
  return [name, seconds, (peakBytes / 1e6).toFixed(0), counts.split('. ')[0] ?? ''];
}

async function seed(data: string, images: number): Promise<void> {
  await mkdir(data);
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  const numbers = `WITH RECURSIVE numbers (n) AS (
    VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${images})`;
  const boxes = `{"kind":"detection","boxes":[
    {"label":"cell","x":10,"y":10,"width":20,"height":20},
    {"label":"cell","x":40,"y":12,"width":20,"height":20}]}`;
  database.transaction(() => {
    database.run("INSERT INTO workspaces VALUES ('w', 'local', 'Local', 1)");
    database.run(
      `INSERT INTO projects (id, workspace_id, slug, name, type, annotation, created, updated)
       VALUES ('p', 'w', 'large', 'Large', 'object-detection', 'cells', 1, 1)`,
    );
    database.run("INSERT INTO batches VALUES ('b', 'p', 'first', 1)");
    database.run(
      `${numbers} INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width,
         height, split, metadata, annotation, objects, annotated_at, created)
       SELECT printf('%020d', n * 7919 % ${images}), 'p', 'b', 'IMG_' || n || '.jpg', 'of ' || n,
         100, 'jpeg', 640, 480, 'train', '{"line":' || (n % 9) || '}', ?, 2, n, n FROM numbers`,
      [boxes],
    );
    database.run("INSERT INTO image_tags SELECT id, 'tag ' || created % 20 FROM images");
    database.run("INSERT INTO image_labels SELECT id, 'p', 'cell', 2 FROM images");
    database.run('INSERT INTO image_ordinals (image_id, indexed) SELECT id, 0 FROM images');
  });
  database.close();
}
