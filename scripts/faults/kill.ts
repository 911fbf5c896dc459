// SIGKILL at any moment of a load, again and again on one data folder.

import { setTimeout as wait } from 'node:timers/promises';
import { releaseAll, startLoad } from './load.ts';
import type { Loaded } from './loads.ts';
import { type Result, Trial } from './trial.ts';

export interface Kills {
  readonly data: string;
  readonly rounds: number;
  readonly load: Loaded;
}

/** After a kill; on a machine that is busy, so many times what an empty store takes. */
const readyMsMax = 2_000;
const readyTimesMax = 3;

export async function trySigkill(
  { data, rounds, load }: Kills,
  say: (line: string) => void = () => {},
): Promise<Result> {
  const { options, environment, acknowledgedMax } = load;
  const name = `SIGKILL in ${load.name}, ${rounds} rounds`;
  const trial = new Trial({ name, data, environment });
  const empty = new Trial({ name: 'an empty store', data: `${data}-empty` });
  for (let round = 1; round <= rounds; round += 1) {
    await empty.start();
    await empty.kill();
    await trial.start();
    await trial.judge();
    await releaseAll(trial.history, trial.url);
    const running = startLoad(trial.history, trial.url, options);
    await trial.acknowledgements(Math.floor(Math.random() * acknowledgedMax));
    await wait(Math.random() * 100);
    await trial.kill();
    await running.stop();
    if (round % 20 === 0) say(`  ${round} rounds, ${trial.history.acknowledged} acknowledged`);
  }
  await trial.start();
  await trial.judge();
  await trial.kill();
  const readyMs = percentile(trial.readyMs, 0.95);
  const emptyMs = percentile(empty.readyMs, 0.95);
  if (readyMs > Math.max(readyMsMax, readyTimesMax * emptyMs)) {
    trial.failures.push(`ready after ${readyMs} ms (p95), an empty store after ${emptyMs} ms`);
  }
  const medianMs = percentile(trial.readyMs, 0.5);
  return trial.result(
    `ready again after ${medianMs} ms, p95 ${readyMs} ms; an empty store: p95 ${emptyMs} ms`,
  );
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
}
