// A worker that comes back to a task which another one has taken over meanwhile: with the fence of
// the task queue nothing is wrong then. Without it something must be, else rounds prove nothing.

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { randomFrom } from '../../src/seeded-random.ts';
import { isRelease } from '../../test/fixtures/under-test.ts';
import { Sight } from './calls.ts';
import { type Cluster, sql, startCluster } from './cluster.ts';
import { addImage, makeVersion } from './day.ts';
import { openDesk } from './deed.ts';
import type { Member } from './member.ts';
import { endTasks, verify } from './verify.ts';

/** A cluster of its own. `isFenced`: false over the sources alone. */
export async function comeBackLateOf(isFenced: boolean): Promise<readonly string[]> {
  if (!isFenced && isRelease) throw new Error('The control runs over the sources.');
  const unfenced = join(import.meta.dirname, 'unfenced.ts');
  const ofWorkers = isFenced ? {} : { NODE_OPTIONS: `--import ${unfenced}` };
  const cluster = await startCluster({ platforms: 1, workers: 2, ofWorkers });
  try {
    return await comeBackLate(cluster);
  } finally {
    await cluster.close();
  }
}

/** What is wrong in the end, of a cluster of two workers that has nothing to do. */
export async function comeBackLate(cluster: Cluster): Promise<readonly string[]> {
  const { url, key, application } = cluster;
  const caller = { url, key, application, sight: new Sight() };
  const [one, two] = cluster.workers;
  two?.pause();
  const desk = await openDesk(caller, 'late');
  if (desk === undefined) throw new Error(caller.sight.wrong.join(' '));
  const worker = { ...caller, desk, random: randomFrom('late') };
  for (let count = 0; count < sources; count += 1) await addImage(worker);
  await makeVersion(worker);
  const task = desk.versions[0]?.taskId ?? '';
  await reached(cluster, task, ({ lease, done }) => lease !== null && done > 0);
  if (one !== undefined) await pauseBetweenTransactions(cluster, one);
  const before = await stateOf(cluster, task);
  // Its time is over at once, and not after that of a lease.
  await sql(cluster, 'UPDATE work SET lease_expires = 0 WHERE id = $1', [task]);
  // Statements take so long that the other one is in the middle of the version.
  cluster.databaseLine.delay(5);
  two?.resume();
  const isTaken = ({ lease, done }: State) => lease !== before.lease && done > before.done;
  const taken = await reached(cluster, task, isTaken);
  one?.resume();
  // Meanwhile the late one writes what it had made, or is refused.
  await reached(cluster, task, ({ done }) => done > taken.done + atOnce);
  cluster.databaseLine.delay(0);
  const problems = await endTasks(cluster);
  return [...problems, ...(await verify(cluster, caller, [desk])), ...caller.sight.wrong];
}

/** How many images the version has, in eights. */
const sources = 40;

/** Of how many of them a worker says together that they are done. */
const atOnce = 4;

interface State {
  readonly lease: unknown;
  readonly done: number;
  readonly hasEnded: boolean;
}

/** Resolves once it is in such a state, or has ended. */
async function reached(
  cluster: Cluster,
  task: string,
  isIt: (state: State) => boolean,
): Promise<State> {
  for (;;) {
    const state = await stateOf(cluster, task);
    if (state.hasEnded || isIt(state)) return state;
    await wait(20);
  }
}

async function stateOf(cluster: Cluster, task: string): Promise<State> {
  const [row] = await sql(
    cluster,
    `SELECT lease_owner AS lease, current::int AS done, status IN ('completed', 'failed') AS ended
     FROM work WHERE id = $1`,
    [task],
  );
  return { lease: row?.lease, done: Number(row?.done), hasEnded: row?.ended === true };
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
