// SIGKILL at any moment of a load, again and again on one data folder.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import type { Loaded } from './loads.ts';
import { releaseAll, startLoad } from './send-load.ts';
import { type Result, Trial } from './trial.ts';

export interface Kills {
  readonly data: string;
  readonly rounds: number;
  readonly load: Loaded;
}

/** The longest start after a kill: a multiple of that of an empty store, on a busy machine. */
const readyMsMax = 2_000;
const readyTimesMax = 3;

export async function trySigkill(
  { data, rounds, load }: Kills,
  say: (line: string) => void,
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
  const indexed = indexedIn(data);
  const isIndexed = trial.history.acknowledged > enoughToIndex && options.isFlood;
  if (isIndexed && indexed === 0) trial.failures.push('the index was never written: it is blind');
  const readyMs = percentile(trial.readyMs, 0.95);
  const emptyMs = percentile(empty.readyMs, 0.95);
  if (readyMs > Math.max(readyMsMax, readyTimesMax * emptyMs)) {
    trial.failures.push(`ready after ${readyMs} ms (p95), an empty store after ${emptyMs} ms`);
  }
  const medianMs = percentile(trial.readyMs, 0.5);
  const ready = `ready again after ${medianMs} ms, p95 ${readyMs} ms`;
  return trial.result(
    `${ready}; an empty store: p95 ${emptyMs} ms; ${indexed} events in the index`,
  );
}

/** Only what many events are behind is indexed, and a kill may come before it. */
const enoughToIndex = 20_000;

function indexedIn(data: string): number {
  const path = join(data, 'index.db');
  if (!existsSync(path)) return 0;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare('SELECT number FROM progress').get()?.number);
  } finally {
    database.close();
  }
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return Math.round(sorted[Math.floor(sorted.length * part)] ?? 0);
}
