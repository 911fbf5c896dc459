// Moves a large store from a data folder to PostgreSQL and back, holds what comes back against what
// was there, and says what that takes:
// `npm run measure:move -- [--bccd FILE] [--kills N] [IMAGES | DATA_FOLDER]`. Each image has three
// rows beside its own. --bccd: a dataset in an archive, with a version, in their place. --kills: it
// moves once more each way, and is killed so often. The release is moved with where
// FOVEA_TEST_ENTRY names it. Ends with 1 where a count, a row or a file differs.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from '../bench/measure/text-table.ts';
import { startPostgres } from '../test/fixtures/postgres-server.ts';
import {
  countsThatDiffer,
  differences,
  digestOf,
  type StoreDigest,
} from './measure-move/compare-stores.ts';
import { makeStoreOf, seedRows } from './measure-move/make-store.ts';
import { type Moved, move, moveKilled } from './measure-move/run-migrate.ts';

const { values, positionals } = parseArgs({
  options: { bccd: { type: 'string' }, kills: { type: 'string', default: '0' } },
  allowPositionals: true,
});
const [given = '250000'] = positionals;
const kills = Number(values.kills);
const folder = await mkdtemp(join(tmpdir(), 'fovea-measure-move-'));
const server = await startPostgres();
try {
  const from = await storeToMove();
  const before = await digestOf(from);
  say(`${before.tables.size} tables, ${before.rows} rows, ${before.files.length} files`);
  const there = await thereAndBack(from, 'whole', before, move);
  say(formatTable([['move', 'seconds', 'peak memory, MB', ''], ...there.map(rowOf)]));
  if (kills > 0) await killedThereAndBack(from, before, there);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function storeToMove(): Promise<string> {
  const from = join(folder, 'from');
  if (values.bccd !== undefined) await makeStoreOf(values.bccd, from);
  else if (/^\d+$/.test(given)) await seedRows(from, Number(given));
  else return given;
  return from;
}

async function killedThereAndBack(
  from: string,
  before: StoreDigest,
  whole: readonly Moved[],
): Promise<void> {
  const durations = [...whole];
  const killed = await thereAndBack(from, 'killed', before, (words) => {
    const { seconds = 1 } = durations.shift() ?? {};
    // On average they are killed so often within the time of a whole one: each loses some.
    return moveKilled(words, kills, Math.max(200, (seconds * 1500) / kills));
  });
  say(`killed ${killed[0]} times on the way there, ${killed[1]} on the way back`);
}

async function thereAndBack<T>(
  from: string,
  name: string,
  before: StoreDigest,
  run: (words: readonly string[]) => Promise<T>,
): Promise<readonly [T, T]> {
  const url = (await server.database()).reveal();
  const files = join(folder, `${name}-files`);
  await mkdir(files);
  const to = join(folder, `${name}-back`);
  const there = await run(['--from', from, '--to', url, '--objects', files]);
  const counts = await countsThatDiffer(url, before);
  const back = await run(['--from', url, '--to', to, '--objects', files]);
  const wrong = [...counts, ...differences(before, await digestOf(to))];
  say(`${name}: ${wrong.length === 0 ? 'every count, row and file as before' : wrong.join('\n')}`);
  if (wrong.length > 0) process.exitCode = 1;
  return [there, back];
}

function rowOf({ seconds, peakBytes, counts }: Moved, index: number): string[] {
  const name = index === 0 ? 'to PostgreSQL' : 'back';
  return [name, seconds.toFixed(1), (peakBytes / 1e6).toFixed(0), counts];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
