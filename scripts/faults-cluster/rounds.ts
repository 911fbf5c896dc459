// Rounds of work under faults; after each, what is there is held against what was acknowledged.

import { below, between, forkSeed, type Random, randomFrom } from '../../src/seeded-random.ts';
import { Sight } from './calls.ts';
import type { Cluster } from './cluster.ts';
import { workADay } from './day.ts';
import { type Fault, runFaults } from './faults.ts';
import { sweep } from './sweep.ts';
import { endTasks, orphans, referredTo, verify } from './verify.ts';

export interface RoundOptions {
  readonly clients: number;
  /** For how long faults begin. */
  readonly roundMs: number;
  readonly faults: readonly Fault[];
  readonly seed: string;
}

export interface RoundResult {
  readonly round: number;
  readonly faults: readonly string[];
  readonly acknowledged: number;
  readonly unavailable: number;
  readonly cut: number;
  /** The call that waited longest. */
  readonly slowestMs: number;
  /** From the end of all faults to that of all work. */
  readonly recoveryMs: number;
  readonly swept: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

export async function runRound(
  cluster: Cluster,
  round: number,
  { clients, roundMs, faults, seed }: RoundOptions,
): Promise<RoundResult> {
  const startMs = performance.now();
  const random = randomFrom(`${seed} ${round}`);
  const chosen = choose(faults, random);
  const sight = new Sight();
  const { url, key, application } = cluster;
  const caller = { url, key, application, sight };
  let isOver = false;
  const days = Array.from({ length: clients }, (_, number) => {
    const name = `round ${round} client ${number + 1}`;
    return workADay(caller, name, randomFrom(forkSeed(random)), () => isOver);
  });
  await runFaults(cluster, chosen, random, roundMs);
  isOver = true;
  const endMs = performance.now();
  const desks = (await Promise.all(days)).filter((desk) => desk !== undefined);
  const worked = { ...sight };
  const problems = [...(await endTasks(cluster))];
  const recoveryMs = performance.now() - endMs;
  problems.push(...(await verify(cluster, caller, desks)));
  const swept = await sweepOrphans(cluster, problems);
  problems.push(...sight.wrong, ...crashes(cluster));
  return {
    round,
    faults: chosen.map(({ name }) => name),
    acknowledged: worked.acknowledged,
    unavailable: worked.unavailable,
    cut: worked.cut,
    slowestMs: worked.slowestMs,
    recoveryMs,
    swept,
    seconds: (performance.now() - startMs) / 1000,
    problems,
  };
}

/** How many contents are gone; all that nothing refers to must be. */
async function sweepOrphans(cluster: Cluster, problems: string[]): Promise<number> {
  const before = await orphans(cluster);
  const unseen = [...cluster.orphaned].filter((hash) => !before.includes(hash));
  cluster.orphaned.clear();
  problems.push(...unseen.map((hash) => `left behind, but not there: ${hash}`));
  await sweep(cluster, await referredTo(cluster));
  const after = await orphans(cluster);
  problems.push(...after.map((hash) => `nobody's content: ${hash}`));
  return before.length - after.length;
}

/** Two to five; each may come again. */
function choose(faults: readonly Fault[], random: Random): readonly Fault[] {
  const count = Math.round(between(random, 2, 5));
  return Array.from({ length: count }, () => faults[below(random, faults.length)]).filter(
    (fault) => fault !== undefined,
  );
}

function crashes({ platforms, workers }: Cluster): readonly string[] {
  return [...platforms, ...workers].flatMap((member) => {
    const log = member.log.splice(0);
    if (member.crashes === 0) return [];
    member.crashes = 0;
    return [`${member.name} ended by itself: ${log.slice(-10).join(' ')}`];
  });
}
