// Runs attacks one after the other, each target with one service and one watcher.

import type { Attack, TargetName } from './attack.ts';
import { startWatcher, type Watcher } from './latency-probe.ts';
import { type Measured, measure } from './measure-attack.ts';
import { readRss } from './process-state.ts';
import type { Release } from './service.ts';
import { runStdio } from './stdio.ts';
import { type Running, startTarget } from './targets.ts';

/** Memory above that of a new process with which no further attack begins. */
const restMemoryBytesMax = 60 * 1024 * 1024;

/** A machine that others use stops everybody now and then: a pause counts that comes each time. */
const triesMax = 3;

/** Told of each result when it is there. */
type Tell = (measured: Measured) => void;

export async function runAttacks(
  attacks: readonly Attack[],
  release: Release,
  tell: Tell,
): Promise<readonly Measured[]> {
  const results: Measured[] = [];
  for (const name of new Set(attacks.map(({ target }) => target))) {
    const chosen = attacks.filter(({ target }) => target === name);
    results.push(...(await runAt(name, chosen, release, tell)));
  }
  return results;
}

async function runAt(
  name: TargetName,
  attacks: readonly Attack[],
  release: Release,
  tell: Tell,
): Promise<readonly Measured[]> {
  if (name === 'stdio') return runStdio(release, namesOf(attacks), tell);
  const results: Measured[] = [];
  let running = await startTarget(name, release);
  const watcher = startWatcher();
  try {
    await warmUp(running, watcher);
    const restBytes = readRss(running.service.pid) + restMemoryBytesMax;
    for (const attack of attacks) {
      const result = await tryOften(attack, running, watcher, restBytes);
      tell(result);
      results.push(result);
      // Work that goes on would go on after a restart too: another folder has none.
      if (!result.worksOn) continue;
      await running.service.stop();
      running = await startTarget(name, release);
      await warmUp(running, watcher);
    }
  } finally {
    await watcher.close();
    await running.service.stop();
  }
  return results;
}

function namesOf(attacks: readonly Attack[]): readonly string[] {
  return attacks.map(({ name }) => name);
}

/** The attack whose pause alone was too long is made again: the least pause counts. */
async function tryOften(
  attack: Attack,
  running: Running,
  watcher: Watcher,
  restBytes: number,
): Promise<Measured> {
  let best: Measured | undefined;
  for (let count = 1; count <= triesMax; count += 1) {
    if (readRss(running.service.pid) > restBytes) await renew(running, watcher);
    const measured = await tryOnce(attack, running, watcher);
    best = best === undefined || measured.pauseMs < best.pauseMs ? measured : best;
    const isPauseAlone = best.problems.length === 1 && best.problems[0]?.startsWith('pause');
    best = { ...best, tries: count };
    if (!isPauseAlone || best.pauseMs > clearlyTooLongMs) break;
  }
  return best ?? failed(attack, 'never ran');
}

/** Longer than any pause of the machine itself. */
const clearlyTooLongMs = 2_000;

async function tryOnce(attack: Attack, running: Running, watcher: Watcher): Promise<Measured> {
  const { pid } = running.service;
  const result = await measure(attack, running, watcher).catch((thrown) =>
    failed(attack, `could not run: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
  );
  if (running.service.hasEnded()) await running.service.restart();
  if (running.service.pid !== pid) await warmUp(running, watcher);
  return result;
}

async function renew(running: Running, watcher: Watcher): Promise<void> {
  await running.service.restart();
  await warmUp(running, watcher);
}

/** Warms up: modules of the first calls are loaded, and the watcher's connection is open. */
async function warmUp({ service, cheap, gapMs }: Running, watcher: Watcher): Promise<void> {
  watcher.watch({ url: service.url, request: cheap, gapMs });
  await new Promise((resolve) => setTimeout(resolve, 600));
  await watcher.take();
}

function failed({ name, target }: Attack, problem: string): Measured {
  return { name, target, statuses: new Map(), pauseMs: 0, peakBytes: 0, problems: [problem] };
}
