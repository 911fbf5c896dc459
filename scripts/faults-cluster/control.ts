// A worker that comes back to a task which another one has taken over meanwhile: with the fence of
// the task queue nothing is wrong then. Without it something must be, else rounds prove nothing.

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../../src/seeded-random.ts';
import { isRelease } from '../../test/fixtures/under-test.ts';
import { Sight } from './calls.ts';
import { type Cluster, sql, startCluster } from './cluster.ts';
import { addImage, makeVersion, openDesk } from './day.ts';
import type { Member } from './member.ts';
import { endTasks, verify } from './verify.ts';

/** What is wrong in the end. `isFenced`: false over the sources alone. */
export async function comeBackLate(isFenced: boolean): Promise<readonly string[]> {
  if (!isFenced && isRelease) throw new Error('The control runs over the sources.');
  const unfenced = join(import.meta.dirname, 'unfenced.ts');
  const ofWorkers = isFenced ? {} : { NODE_OPTIONS: `--import ${unfenced}` };
  const cluster = await startCluster({ platforms: 1, workers: 2, ofWorkers });
  try {
    const { url, key, application } = cluster;
    const caller = { url, key, application, sight: new Sight() };
    const [one, two] = cluster.workers;
    two?.pause();
    const desk = await openDesk(caller, 'late');
    if (desk === undefined) throw new Error(caller.sight.wrong.join(' '));
    const worker = { ...caller, desk, random: randomFrom('late') };
    for (let count = 0; count < sources; count += 1) await addImage(worker);
    await makeVersion(worker);
    await isBeyond(cluster, { lease: null, done: 0 });
    if (one !== undefined) await pauseBetweenTransactions(cluster, one);
    const before = await stateOf(cluster);
    // Statements take so long that the other one is in the middle of the version.
    cluster.databaseLine.delay(15);
    two?.resume();
    await isBeyond(cluster, before);
    one?.resume();
    const problems = await endTasks(cluster);
    cluster.databaseLine.delay(0);
    return [...problems, ...(await verify(cluster, caller, [desk])), ...caller.sight.wrong];
  } finally {
    await cluster.close();
  }
}

/** How many images the version has, in eights. */
const sources = 40;

interface State {
  readonly lease: unknown;
  readonly done: number;
}

/** Resolves once another one has the version, and has made more of it. */
async function isBeyond(cluster: Cluster, before: State): Promise<void> {
  for (;;) {
    const state = await stateOf(cluster);
    if (state.lease !== before.lease && state.done > before.done) return;
    await wait(20);
  }
}

async function stateOf(cluster: Cluster): Promise<State> {
  const [row] = await sql(
    cluster,
    "SELECT lease_owner AS lease, current::int AS done FROM work WHERE kind = 'version'",
  );
  return { lease: row?.lease, done: Number(row?.done) };
}

/** In a transaction the server would cut its connection meanwhile, and it would find out early. */
async function pauseBetweenTransactions(cluster: Cluster, worker: Member): Promise<void> {
  const text = `SELECT 1 FROM pg_stat_activity
    WHERE application_name = 'fovea' AND state <> 'idle'`;
  for (;;) {
    worker.pause();
    await wait(50);
    if ((await sql(cluster, text)).length === 0) return;
    worker.resume();
    await wait(7);
  }
}
